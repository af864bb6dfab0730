//! Totality: whether every reachable state has a step, or a step for every input.
//!
//! Constraints can forbid all steps from a state. As in NuSMV, a *state* satisfies the state constraints for some values of its inputs and
//! choices, and a *step* leads from a state to a state. A deadlock is a reachable state without a step. The states with steps are computed
//! as a term, for all states at once. The safety engines decide whether a state without a step is reachable; their answers have been
//! checked.
//!
//! [`complete`] makes a system total.

mod candidates;
mod completion;
mod instances;
mod projection;
mod steps;
mod undone;

pub use completion::{IGNORED, complete};
pub use undone::Undone;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::substitution::Substitution;
use hyperkill_core::system::{
    Constraint, Init, InputRole, InputVar, Invariant, Output, StateVar, TransitionSystem, When,
};
use hyperkill_core::term::{BinaryOp, TermError, TermId};
use hyperkill_core::trace::{Stimulus, decode, replay};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::engines::encode::Encoder;
use crate::safety::{Problem, SafetyVerdict, decide_safety};
use crate::schedule::reachability::Options;
use instances::over_free_states;
use projection::exists;
use steps::{Steps, original};

/// The steps that a state must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A step under some input; a state that has none is a deadlock.
    AnyInput,
    /// A step for every test input.
    EveryInput,
}

/// The answer to the question whether reachable states have the wanted steps, with a run if steps are missing.
#[derive(Clone, PartialEq, Debug)]
pub enum Totality {
    /// Every reachable state has the wanted steps.
    Total,
    /// The last state of this run lacks a wanted step.
    Stuck(Run),
    /// Neither was shown, for this reason.
    Unknown(Undone),
}

/// A run to a state that lacks a step. It has been replayed.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// For each step the values of state variables, inputs and choices, by name.
    pub steps: Vec<Vec<(String, Value)>>,
    /// The values of state variables in the last state, by name.
    pub state: Vec<(String, Value)>,
    /// Whether the last state is initial, so that initial constraints apply to it.
    is_first: bool,
    /// The test inputs that the state refuses; empty if it refuses all.
    pub refused: Vec<(String, Value)>,
}

/// Decides whether every reachable state of the original has the wanted steps. Only constraints can forbid steps.
#[must_use]
pub fn totality(
    system: &TransitionSystem,
    wanted: Asked,
    options: &Options,
    budget: &Budget,
) -> Totality {
    if system.constraints.is_empty() {
        return Totality::Total;
    }
    decide(system, wanted, options, budget).unwrap_or_else(Totality::Unknown)
}

fn decide(
    system: &TransitionSystem,
    wanted: Asked,
    options: &Options,
    budget: &Budget,
) -> Result<Totality, Undone> {
    let mut steps = Steps::new(&original(system)?, budget)?;
    let free = match wanted {
        Asked::AnyInput => steps.inputs(&[InputRole::Test, InputRole::Choice]),
        Asked::EveryInput => steps.inputs(&[InputRole::Choice]),
    };
    let enabled = exists(&mut steps.system, steps.possible, &free, budget)?;
    if steps.system.terms.as_bool(enabled) == Some(true) {
        return Ok(Totality::Total);
    }
    let question = Stuck::new(&steps, enabled, wanted)?;
    let blasted = bit_blast(&question.system)?;
    let problem = Problem {
        model: &blasted.model.aig,
        bad: blasted.model.aig.bad[0].lit,
    };
    let run = match decide_safety(&problem, options, None, budget)? {
        SafetyVerdict::Holds(_) => return Ok(Totality::Total),
        SafetyVerdict::Unknown { reason, .. } => {
            return Ok(Totality::Unknown(Undone::Stopped(reason)));
        }
        SafetyVerdict::Fails(run) => run,
    };
    let run = question.read(&blasted.model, &run, steps.start);
    let run = run.ok_or(Undone::HasStep)?;
    match has_step(&steps, &run, budget)? {
        false => Ok(Totality::Stuck(run)),
        true => Err(Undone::HasStep),
    }
}

/// Prefix of the name of an input that holds a refused value.
const REFUSED: &str = "refused.";

/// Asks a fresh solver whether a step leaves the last state of a run, under the inputs that it is claimed to refuse.
fn has_step(steps: &Steps, run: &Run, budget: &Budget) -> Result<bool, Undone> {
    let system = over_free_states(&steps.system, steps.possible, &[]);
    let blasted = bit_blast(&system)?;
    let aig = &blasted.model.aig;
    let mut solver = Encoder::new(Cadical::new());
    solver.require(aig, &[blasted.obligations[0]]);
    let mut fixed = Vec::new();
    let start = [(
        system.states[steps.start].name.clone(),
        Value::bool(run.is_first),
    )];
    let (mut latch, mut input) = (0, 0);
    for state in &system.states {
        let values = run.state.iter().chain(&start);
        let bits = bits(&state.name, &state.sort, values).ok_or(Undone::HasStep)?;
        fixed.extend(
            (latch..)
                .zip(bits)
                .map(|(i, bit)| (aig.latches()[i].var, bit)),
        );
        latch += state.sort.width();
    }
    for variable in &system.inputs {
        let given = bits(&variable.name, &variable.sort, run.refused.iter());
        let given = (input..).zip(given.into_iter().flatten());
        fixed.extend(given.map(|(i, bit)| (aig.inputs()[i].var, bit)));
        input += variable.sort.width();
    }
    for (var, bit) in fixed {
        solver.require(aig, &[var.lit() ^ !bit]);
    }
    match solver.solve(&[], None, budget) {
        Answer::Possible => Ok(true),
        Answer::Impossible => Ok(false),
        Answer::Undecided(stop) => Err(Undone::Stopped(stop)),
    }
}

/// Returns the bits of the value that the variable with this name has in `values`; `None` if it has none of this sort.
fn bits<'a>(
    name: &str,
    sort: &Sort,
    mut values: impl Iterator<Item = &'a (String, Value)>,
) -> Option<Vec<bool>> {
    let (_, value) = values.find(|(other, _)| other == name)?;
    sort.encode(value)
}

/// A system in which it is asked whether a reachable state lacks a step.
struct Stuck {
    system: TransitionSystem,
    /// For each test input the index of the input that holds its refused value.
    refused: Vec<usize>,
}

impl Stuck {
    fn new(steps: &Steps, enabled: TermId, wanted: Asked) -> Result<Stuck, TermError> {
        let mut system = steps.system.clone();
        let mut refused = Vec::new();
        let mut renamed = Substitution::new();
        if wanted == Asked::EveryInput {
            // The refused inputs are new ones: they may differ from the inputs of the step to the state.
            for input in steps.inputs(&[InputRole::Test]) {
                let InputVar { name, sort, role } = system.inputs[input].clone();
                let index = system.inputs.len();
                refused.push(index);
                let old = system.terms.input(input, sort.clone());
                let new = system.terms.input(index, sort.clone());
                renamed.replace(old, new);
                let name = format!("{REFUSED}{name}");
                system.inputs.push(InputVar { name, sort, role });
            }
        }
        let terms = &mut system.terms;
        let enabled = renamed.apply(terms, enabled)?;
        let alive = terms.state(system.states.len(), Sort::Bool);
        let next = terms.binary(BinaryOp::And, alive, steps.on_step)?;
        let init = Init::Term(terms.bool(true));
        let dead = terms.not(alive)?;
        let term = terms.binary(BinaryOp::Or, dead, enabled)?;
        system.states.push(StateVar {
            name: "hyperkill-alive".to_owned(),
            sort: Sort::Bool,
            init,
            next,
        });
        system.constraints = vec![Constraint {
            name: None,
            term: steps.on_state,
            when: When::Always,
            span: None,
        }];
        system.invariants = vec![Invariant {
            name: "total".to_owned(),
            term,
        }];
        system.outputs.clear();
        for (index, state) in system.states.iter().enumerate() {
            system.outputs.push(Output {
                name: state.name.clone(),
                term: system.terms.state(index, state.sort.clone()),
            });
        }
        Ok(Stuck { system, refused })
    }
}

impl Stuck {
    /// Returns a run of the circuit to a state that lacks a step, with names and values. `None` if the run does not replay.
    fn read(&self, model: &ConditionalMutant, run: &Stimulus, start: usize) -> Option<Run> {
        let trace = replay(model, Variant::Original, run).ok()?;
        if trace.broken_at.is_some() {
            return None;
        }
        let steps: Vec<_> = run.steps.iter().zip(&trace.outputs).collect();
        let (last, before) = steps.split_last()?;
        let state = |outputs: &[bool]| {
            let mut state = decode(&model.outputs, outputs);
            state.truncate(start);
            state
        };
        let is_refused = |name: &str| {
            let names = self.refused.iter();
            names
                .map(|input| &self.system.inputs[*input].name)
                .any(|n| n == name)
        };
        let step = |(inputs, outputs): &(&Vec<bool>, &Vec<bool>)| {
            let mut step = state(outputs);
            let given = decode(&model.inputs, inputs).into_iter();
            step.extend(given.filter(|(name, _)| !is_refused(name)));
            step.extend(decode(&model.choices, inputs));
            step
        };
        let refused = decode(&model.inputs, last.0).into_iter();
        let refused = refused.filter_map(|(name, value)| {
            let own = name.strip_prefix(REFUSED)?;
            is_refused(&name).then(|| (own.to_owned(), value))
        });
        Some(Run {
            steps: before.iter().map(step).collect(),
            state: state(last.1),
            is_first: before.is_empty(),
            refused: refused.collect(),
        })
    }
}
