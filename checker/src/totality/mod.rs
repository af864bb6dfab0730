//! Totality: does every state that can be reached have a step that leaves it, and one for every input?
//!
//! Constraints can forbid all steps that leave a state. As in NuSMV a *state* is what state constraints allow, for some values of
//! its inputs and choices, and a *step* leads from a state to a state; a deadlock is a state that can be reached and that no step
//! leaves. Which states have steps is asked of terms, for all states at once; whether one that has none is
//! reached is asked of the engines for plain safety, whose answers have been checked.
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

/// Which steps a state must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// One, under whatever input: otherwise it is a deadlock.
    AnyInput,
    /// One for every test input.
    EveryInput,
}

/// What is known of the steps, with a run if some are missing.
#[derive(Clone, PartialEq, Debug)]
pub enum Totality {
    /// Every state that can be reached has the steps.
    Total,
    /// The last state of this run has not.
    Stuck(Run),
    /// Neither was shown, for this reason.
    Unknown(Undone),
}

/// A run to a state that lacks a step; replayed.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// State, inputs and choices of each step that is made.
    pub steps: Vec<Vec<(String, Value)>>,
    /// The state that is reached.
    pub state: Vec<(String, Value)>,
    /// Whether it is an initial state: then more constraints hold of it.
    is_first: bool,
    /// The test inputs that it refuses; empty if it refuses all.
    pub refused: Vec<(String, Value)>,
}

/// Whether the original has the steps. Constraints are the only thing that can forbid some.
#[must_use]
pub fn totality(
    system: &TransitionSystem,
    wanted: Wanted,
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
    wanted: Wanted,
    options: &Options,
    budget: &Budget,
) -> Result<Totality, Undone> {
    let mut steps = Steps::new(&original(system)?, budget)?;
    let free = match wanted {
        Wanted::AnyInput => steps.inputs(&[InputRole::Test, InputRole::Choice]),
        Wanted::EveryInput => steps.inputs(&[InputRole::Choice]),
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

/// In front of the name of an input that is refused.
const REFUSED: &str = "refused.";

/// Asks a fresh solver whether a step leaves the last state of a run, under the inputs that are said to be refused.
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

/// The bits of the value that a variable of this name has among these.
fn bits<'a>(
    name: &str,
    sort: &Sort,
    mut values: impl Iterator<Item = &'a (String, Value)>,
) -> Option<Vec<bool>> {
    let (_, value) = values.find(|(other, _)| other == name)?;
    sort.encode(value)
}

/// The system of states that can be reached, with the invariant that each has the steps.
struct Stuck {
    system: TransitionSystem,
    /// Of test inputs the inputs that say what is refused.
    refused: Vec<usize>,
}

impl Stuck {
    fn new(steps: &Steps, enabled: TermId, wanted: Wanted) -> Result<Stuck, TermError> {
        let mut system = steps.system.clone();
        let mut refused = Vec::new();
        let mut renamed = Substitution::new();
        if wanted == Wanted::EveryInput {
            // What is refused need not be what the state itself, a step before, was under.
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
    /// A run of the circuit by names and values.
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
