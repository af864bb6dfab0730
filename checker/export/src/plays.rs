//! Values that a bench must set although tests leave them open. They come from runs of the model with the inputs and outputs of a test,
//! and from runs of mutants that may pass it.
//!
//! Registers with free initial values, and input ports that are choices, have some value in a simulator. A test expects the outputs that
//! the model gives for *some* of these values. This module tries zeros first and then asks a solver. A mutant that fails only for certain
//! choices gets a play of its own with such choices.

use hyperkill_audit::documents::{StrengthWord, Suite, SuiteTest, Valuation};
use hyperkill_checker::judge::run_of;
use hyperkill_checker::testgen::running::{Observer, Then};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::Port;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::TestKind;
use hyperkill_core::system::{Output, TransitionSystem};
use hyperkill_core::trace::{Stimulus, Trace, decode, replay};
use hyperkill_frontend::Hardware;

use crate::error::ExportError;
use crate::scripts::script;

/// Number of allowed answers, at most, in the state machine of one test that a bench contains.
const MOST_ANSWERS: usize = 4096;
/// Number of pairs of place (state of the test's machine) and state of a mutant, at most, in the search for a failing run of the mutant.
const MOST_PAIRS: usize = 1 << 14;

/// The values that a bench sets for one run of a test, since the test leaves them open.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Play {
    /// The bits of each of [`Hardware::free`] at the beginning of the first step, the least significant first.
    pub(crate) registers: Vec<Vec<bool>>,
    /// For each step the values of input ports that are choices.
    pub(crate) choices: Vec<Vec<(String, Value)>>,
    /// The mutant that makes these choices, and the number of steps until it has failed; `None` for the model.
    pub(crate) of_mutant: Option<(String, usize)>,
}

/// A test in the form in which a bench runs it.
pub struct BenchTest<'s> {
    pub(crate) test: &'s SuiteTest,
    /// State machine of the test, if it continues after outputs other than its own.
    pub(crate) machine: Option<Observer>,
    /// The runs for which the test is carried out, the model's first.
    pub(crate) plays: Vec<Play>,
}

/// All tests of a suite, prepared for a bench.
pub struct BenchTests<'s> {
    /// Tests in the order of the suite.
    pub tests: Vec<BenchTest<'s>>,
    /// Warnings for the user.
    pub remarks: Vec<String>,
}

/// The part of the model that the benches depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// No part: each test expects one run, and no value is open.
    Nothing,
    /// The unmutated model.
    Model,
    /// The model with the mutants of the run.
    Mutants,
}

/// Rule that says which tests become state machines in a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Followed {
    /// Only adaptive tests (kinds global and tree).
    Following,
    /// All tests.
    All,
}

impl Followed {
    fn is(self, test: &SuiteTest) -> bool {
        self == Followed::All || matches!(test.kind.as_str(), "global" | "tree")
    }
}

/// Whether tests leave a value open that a bench has to set: a free register, or a choice that is an input pin.
fn leaves_open(hardware: &Hardware, suite: &Suite) -> bool {
    let is_pin = |name: &String| hardware.inputs.iter().any(|pin| pin.name == *name);
    let choices = &suite.signature.choices;
    !hardware.free.is_empty() || choices.iter().any(|port| is_pin(&port.name))
}

/// Returns the part of the model that [`bench_tests`] needs for these tests.
#[must_use]
pub fn needed(hardware: &Hardware, suite: &Suite, followed: Followed) -> Needed {
    let open = leaves_open(hardware, suite);
    let mut tests = suite.tests.iter();
    if open && tests.any(|test| followed.is(test) && may_pass(test).next().is_some()) {
        return Needed::Mutants;
    }
    match open || suite.tests.iter().any(|test| followed.is(test)) {
        false => Needed::Nothing,
        true => Needed::Model,
    }
}

/// Returns all tests of a suite as a bench runs them; `followed` says which get state machines. `system` is the part of the model that is
/// [`needed`].
///
/// # Errors
/// If the model has no run that matches a test, or a state machine becomes too large.
pub fn bench_tests<'s>(
    hardware: &Hardware,
    suite: &'s Suite,
    followed: Followed,
    system: Option<TransitionSystem>,
    budget: &Budget,
) -> Result<BenchTests<'s>, ExportError> {
    let open = leaves_open(hardware, suite);
    let mut found = BenchTests {
        tests: Vec::new(),
        remarks: Vec::new(),
    };
    let Some(system) = system else {
        found.tests = suite.tests.iter().map(plain).collect();
        return Ok(found);
    };
    let model = Model::of(system, hardware)?;
    let mut endless = Vec::new();
    for test in &suite.tests {
        let machine = match followed.is(test) {
            true => model.machine(test)?,
            false => None,
        };
        if followed.is(test) && machine.is_none() {
            endless.push(test.id.as_str());
            continue;
        }
        let plays = match (open, &machine) {
            (false, _) => vec![Play::default()],
            (true, machine) => {
                let remarks = &mut found.remarks;
                model.plays(hardware, test, machine.as_ref(), remarks, budget)?
            }
        };
        found.tests.push(BenchTest {
            test,
            machine,
            plays,
        });
    }
    match endless.as_slice() {
        [] => Ok(found),
        endless => Err(too_much(endless)),
    }
}

/// Returns a test without a state machine that sets no values: it expects one run, and the model leaves no values open.
fn plain(test: &SuiteTest) -> BenchTest<'_> {
    BenchTest {
        test,
        machine: None,
        plays: vec![Play::default()],
    }
}

/// Returns the ids of the mutants that the test kills only potentially: they may pass it.
fn may_pass(test: &SuiteTest) -> impl Iterator<Item = &str> {
    let kills = test.kills.iter();
    let kills = kills.filter(|kill| kill.strength == StrengthWord::Potential);
    kills.map(|kill| kill.mutant.as_str())
}

fn too_much(tests: &[&str]) -> ExportError {
    ExportError::unsuited(format!(
        "{}: the allowed outputs are too many to write into a bench, and without them the bench would miss failures",
        tests.join(", ")
    ))
    .with_help(
        "`hyperkill exec` follows with the model itself; `run --tests linear` makes tests that expect one run, whose choices a bench \
         sets; --test names those that are to be exported",
    )
}

/// The circuit of the model, without mutants unless their runs are needed.
struct Model {
    plain: ConditionalMutant,
    /// The same circuit, with the free registers as additional outputs after its own.
    open: ConditionalMutant,
}

impl Model {
    fn of(mut system: TransitionSystem, hardware: &Hardware) -> Result<Model, ExportError> {
        let plain = circuit(&system)?;
        for register in &hardware.free {
            let state = system.states.iter();
            let Some(index) = state.clone().position(|s| s.name == register.state) else {
                return Err(internal("a register is not a latch of the model"));
            };
            let sort = system.states[index].sort.clone();
            let term = system.terms.state(index, sort);
            system.outputs.push(Output {
                name: format!("register {}", system.outputs.len()),
                term,
            });
        }
        Ok(Model {
            plain,
            open: circuit(&system)?,
        })
    }

    /// Returns the state machine of a test; `None` if it is too large.
    fn machine(&self, test: &SuiteTest) -> Result<Option<Observer>, ExportError> {
        let script = script(test)?;
        let most = match script.kind {
            // A run has already written the tree, so its size is acceptable.
            TestKind::Tree => usize::MAX,
            _ => MOST_ANSWERS,
        };
        Observer::of(&self.plain, &script, most).map_err(|misfit| {
            ExportError::unsuited(format!("{} is not a test of this model: {misfit}", test.id))
        })
    }

    fn plays(
        &self,
        hardware: &Hardware,
        test: &SuiteTest,
        machine: Option<&Observer>,
        remarks: &mut Vec<String>,
        budget: &Budget,
    ) -> Result<Vec<Play>, ExportError> {
        let run = self.run(test, budget)?;
        let mut plays = vec![self.play(hardware, &run)?];
        let Some(machine) = machine else {
            return Ok(plays);
        };
        let mut runs = vec![run];
        let mut unshown = Vec::new();
        for id in may_pass(test) {
            let Some(selector) = self.plain.selector_of_mutant(id) else {
                unshown.push(id);
                continue;
            };
            let mutant = Variant::Mutant(selector);
            if runs.iter().any(|run| self.fails(machine, mutant, run)) {
                continue;
            }
            let Some(run) = self.failing_run(machine, mutant, budget) else {
                unshown.push(id);
                continue;
            };
            let play = Play {
                of_mutant: Some((id.to_owned(), run.steps.len())),
                ..self.play(hardware, &run)?
            };
            plays.push(play);
            runs.push(run);
        }
        if !unshown.is_empty() {
            remarks.push(format!(
                "{}: no choices that a bench can set were found to show {}, which may pass",
                test.id,
                unshown.join(", ")
            ));
        }
        Ok(plays)
    }

    /// Returns a run whose choices make the mutant fail and the model pass. `None` if the search finds none within its limits.
    fn failing_run(
        &self,
        machine: &Observer,
        mutant: Variant,
        budget: &Budget,
    ) -> Option<Stimulus> {
        let escape = machine.escape(&self.plain, mutant, MOST_PAIRS)?;
        let run = run_of(&self.plain, mutant, &escape.inputs, &escape.outputs, budget)?;
        let as_model = replay(&self.plain, Variant::Original, &run).ok()?;
        let exists = as_model.broken_at.is_none();
        (exists && self.fails(machine, mutant, &run)).then_some(run)
    }

    /// Whether a variant with the inputs and choices of `run` fails the test, before it refuses an input. False if the test sets other
    /// inputs.
    fn fails(&self, machine: &Observer, variant: Variant, run: &Stimulus) -> bool {
        let Ok(trace) = replay(&self.plain, variant, run) else {
            return false;
        };
        let taken = trace.broken_at.unwrap_or(trace.outputs.len());
        let mut place = 0;
        for (inputs, outputs) in run.steps.iter().zip(&trace.outputs).take(taken) {
            let set = decode(&self.plain.inputs, inputs);
            if machine.places[place].inputs != set {
                return false;
            }
            match machine.then(place, &decode(&self.plain.outputs, outputs)) {
                None => return true,
                Some(Then::At(next)) => place = next,
                Some(Then::Passes | Then::Stops) => return false,
            }
        }
        false
    }

    fn run(&self, test: &SuiteTest, budget: &Budget) -> Result<Stimulus, ExportError> {
        let aig = &self.plain.aig;
        let (inputs, outputs) = bits_of(&self.plain, test)?;
        let zeros = Stimulus {
            initial: FirstValues::zeros(aig.latches().len()),
            steps: inputs.clone(),
        };
        let trace = replayed(&self.plain, &zeros)?;
        if trace.outputs == outputs && trace.broken_at.is_none() {
            return Ok(zeros);
        }
        let run = run_of(&self.plain, Variant::Original, &inputs, &outputs, budget);
        run.ok_or_else(|| no_run(test))
    }

    fn play(&self, hardware: &Hardware, run: &Stimulus) -> Result<Play, ExportError> {
        let trace = replayed(&self.open, run)?;
        let first = trace.outputs.first().map_or(&[][..], Vec::as_slice);
        let ports = &self.open.outputs[self.plain.outputs.len()..];
        let registers = hardware.free.iter().zip(ports).map(|(register, port)| {
            let bits = port.bits.iter().skip(register.low).take(register.width);
            bits.map(|&bit| first[bit]).collect()
        });
        let pins = &hardware.inputs;
        let choices = self.plain.choices.iter();
        let choices: Vec<Port> = choices
            .filter(|port| pins.iter().any(|pin| pin.name == port.name))
            .cloned()
            .collect();
        Ok(Play {
            registers: if first.is_empty() {
                Vec::new()
            } else {
                registers.collect()
            },
            choices: run
                .steps
                .iter()
                .map(|step| decode(&choices, step))
                .collect(),
            of_mutant: None,
        })
    }
}

/// For each step one bool per input or output of a circuit.
type Rows = Vec<Vec<bool>>;

/// Returns the inputs and the outputs of a test as bits of the circuit, each one row per step.
pub(crate) fn bits_of(
    model: &ConditionalMutant,
    test: &SuiteTest,
) -> Result<(Rows, Rows), ExportError> {
    let aig = &model.aig;
    let inputs = bits(&model.inputs, aig.inputs().len(), test, |step| &step.inputs)?;
    let outputs = bits(&model.outputs, aig.outputs.len(), test, |step| {
        &step.outputs
    })?;
    Ok((inputs, outputs))
}

pub(crate) fn no_run(test: &SuiteTest) -> ExportError {
    ExportError::unsuited(format!("the model has no run like the test {}", test.id))
        .with_help("give the options that the run was given")
}

fn circuit(system: &TransitionSystem) -> Result<ConditionalMutant, ExportError> {
    match bit_blast(system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(ExportError::Model(error.to_string())),
    }
}

fn replayed(model: &ConditionalMutant, run: &Stimulus) -> Result<Trace, ExportError> {
    replay(model, Variant::Original, run).map_err(|error| internal(&error.to_string()))
}

fn internal(message: &str) -> ExportError {
    ExportError::Internal(message.to_owned())
}

/// Returns for each step of a test `count` bools, one for each input or output of the circuit; `ports` say which bits belong to which
/// value. `values` returns the inputs or the outputs of a step.
///
/// # Errors
/// If the valuation has no value that fits a port.
fn bits(
    ports: &[Port],
    count: usize,
    test: &SuiteTest,
    values: impl Fn(&hyperkill_audit::documents::TestStep) -> &Valuation,
) -> Result<Vec<Vec<bool>>, ExportError> {
    let mut steps = Vec::with_capacity(test.steps.len());
    for step in &test.steps {
        let mut row = vec![false; count];
        for port in ports {
            let mut given = values(step).0.iter();
            let value = given.find(|(name, _)| *name == port.name);
            let code = value.and_then(|(_, value)| port.sort.encode(value));
            let Some(code) = code else {
                let message = format!("{} has no value for `{}`", test.id, port.name);
                return Err(ExportError::unsuited(message)
                    .with_help("give the model and the options that the run was given"));
            };
            for (&bit, value) in port.bits.iter().zip(code) {
                row[bit] = value;
            }
        }
        steps.push(row);
    }
    Ok(steps)
}
