//! What a test leaves open and a bench must set: a run of the model that has the inputs and outputs of the test.
//!
//! Registers that start with any value, and input ports that are choices, have some value in a simulator. A test expects
//! the outputs that the model gives for *some* of them; here they are found, by trying zeros and then by a solver.

use hyperkill_checker::judge::run_of;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::system::{Output, TransitionSystem};
use hyperkill_core::trace::{Stimulus, Trace, decode, replay};
use hyperkill_frontend::{FrontendOptions, Hardware, NamePredicate};

use crate::documents::{Suite, SuiteTest, Valuation};
use crate::failure::Failure;
use crate::load::Prepared;
use crate::session::Session;

/// One run, as far as a bench has to know.
#[derive(Default)]
pub(super) struct Play {
    /// The bits of each of [`Hardware::free`] when the first step begins, least significant first.
    pub(super) registers: Vec<Vec<bool>>,
    /// Per step the values of input ports that are choices.
    pub(super) choices: Vec<Vec<(String, Value)>>,
}

/// A run for each test; nothing is looked for where nothing is open.
///
/// # Errors
/// If the model has no run like a test.
pub(super) fn plays(
    session: &Session<'_>,
    written: &Prepared,
    hardware: &Hardware,
    suite: &Suite,
) -> Result<Vec<Play>, Failure> {
    let is_pin = |name: &String| hardware.inputs.iter().any(|pin| pin.name == *name);
    let choices = &suite.signature.choices;
    let open = !hardware.free.is_empty() || choices.iter().any(|port| is_pin(&port.name));
    if !open {
        return Ok(suite.tests.iter().map(|_| Play::default()).collect());
    }
    let model = Model::of(written, hardware)?;
    let plays = suite.tests.iter().map(|test| {
        let run = model.run(session, test)?;
        model.play(hardware, &run)
    });
    plays.collect()
}

/// The model without mutants.
struct Model {
    plain: ConditionalMutant,
    /// The same circuit, of which the registers are outputs too.
    open: ConditionalMutant,
}

impl Model {
    fn of(written: &Prepared, hardware: &Hardware) -> Result<Model, Failure> {
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| false)),
            ..written.options.clone()
        };
        let translation = written.frontend.translate(&written.sources, &options);
        let mut system = translation
            .map_err(|diagnostics| super::refused(written, diagnostics))?
            .system;
        let plain = circuit(&system)?;
        for register in &hardware.free {
            let state = system.states.iter();
            let Some(index) = state.clone().position(|s| s.name == register.state) else {
                return Err(internal("a register is no state of the model"));
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

    fn run(&self, session: &Session<'_>, test: &SuiteTest) -> Result<Stimulus, Failure> {
        let aig = &self.plain.aig;
        let inputs = bits(&self.plain.inputs, aig.inputs().len(), test, |step| {
            &step.inputs
        })?;
        let outputs = bits(&self.plain.outputs, aig.outputs.len(), test, |step| {
            &step.outputs
        })?;
        let zeros = Stimulus {
            initial: vec![false; aig.latches().len()],
            steps: inputs.clone(),
        };
        let trace = replayed(&self.plain, &zeros)?;
        if trace.outputs == outputs && trace.broken_at.is_none() {
            return Ok(zeros);
        }
        let budget = session.budget();
        let run = run_of(&self.plain, Variant::Original, &inputs, &outputs, &budget);
        run.ok_or_else(|| {
            let message = format!("the model has no run like the test {}", test.id);
            Failure::usage(message).with_help("give the options that the run was given")
        })
    }

    fn play(&self, hardware: &Hardware, run: &Stimulus) -> Result<Play, Failure> {
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
        })
    }
}

fn circuit(system: &TransitionSystem) -> Result<ConditionalMutant, Failure> {
    match bit_blast(system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(Failure::model(error.to_string())),
    }
}

fn replayed(model: &ConditionalMutant, run: &Stimulus) -> Result<Trace, Failure> {
    replay(model, Variant::Original, run).map_err(|error| internal(&error.to_string()))
}

fn internal(message: &str) -> Failure {
    Failure::message(
        crate::exit_code::ExitCode::Internal,
        anyhow::anyhow!("{message}"),
    )
}

/// Per step one bool per input or output of the circuit.
fn bits(
    ports: &[Port],
    count: usize,
    test: &SuiteTest,
    values: impl Fn(&crate::documents::TestStep) -> &Valuation,
) -> Result<Vec<Vec<bool>>, Failure> {
    let mut steps = Vec::with_capacity(test.steps.len());
    for step in &test.steps {
        let mut row = vec![false; count];
        for port in ports {
            let mut given = values(step).0.iter();
            let value = given.find(|(name, _)| *name == port.name);
            let code = value.and_then(|(_, value)| port.sort.encode(value));
            let Some(code) = code else {
                let message = format!("{} has no value for `{}`", test.id, port.name);
                return Err(Failure::usage(message)
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
