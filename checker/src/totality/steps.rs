//! States and steps of a system as terms: the constraint on states, and the steps between them.

use hyperkill_core::budget::Budget;
use hyperkill_core::substitution::Substitution;
use hyperkill_core::system::{Init, InputRole, StateVar, TransitionSystem, When};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};

use super::Undone;
use super::projection::exists;

/// Name of a state variable that is true at step 0 only. Initial constraints apply where it is true.
const START: &str = "hyperkill-start";

/// A system with terms that say which values form a state, and which steps exist.
pub(super) struct Steps {
    /// The system with one more state variable, and without constraints.
    pub(super) system: TransitionSystem,
    /// Index of the additional state variable, which is true at step 0 only.
    pub(super) start: usize,
    /// A term: the values satisfy the constraints on a state, with these values of its inputs and choices.
    pub(super) on_state: TermId,
    /// A term: the step satisfies the constraints on steps, beyond those on states.
    pub(super) on_step: TermId,
    /// A term: the values form a state, for some values of its inputs and choices. It reads state variables and selectors only.
    pub(super) proper: TermId,
    /// A term: the step with these inputs and choices exists and leads to a state.
    pub(super) possible: TermId,
}

impl Steps {
    pub(super) fn new(system: &TransitionSystem, budget: &Budget) -> Result<Steps, Undone> {
        let mut system = system.clone();
        // The questions here consider the next state themselves.
        system.leaving.clear();
        let terms = &mut system.terms;
        let (yes, no) = (terms.bool(true), terms.bool(false));
        let start = system.states.len();
        let at_start = terms.state(start, hyperkill_core::sort::Sort::Bool);
        system.states.push(StateVar {
            name: START.to_owned(),
            sort: hyperkill_core::sort::Sort::Bool,
            init: Init::Term(yes),
            next: no,
        });
        let (mut on_state, mut on_step) = (yes, yes);
        for constraint in std::mem::take(&mut system.constraints) {
            let all = match constraint.when {
                When::Leaving => &mut on_step,
                When::Always | When::Initially => &mut on_state,
            };
            let term = match constraint.when {
                When::Always | When::Leaving => constraint.term,
                When::Initially => {
                    let later = terms.not(at_start)?;
                    terms.binary(BinaryOp::Or, later, constraint.term)?
                }
            };
            *all = terms.binary(BinaryOp::And, *all, term)?;
        }
        let inputs: Vec<usize> = (0..system.inputs.len()).collect();
        let proper = exists(&mut system, on_state, &inputs, budget)?;
        let mut one_later = Substitution::new();
        for (index, state) in system.states.iter().enumerate() {
            let now = system.terms.state(index, state.sort.clone());
            one_later.replace(now, state.next);
        }
        let terms = &mut system.terms;
        let proper_later = one_later.apply(terms, proper)?;
        let step = terms.binary(BinaryOp::And, on_state, on_step)?;
        let possible = terms.binary(BinaryOp::And, step, proper_later)?;
        Ok(Steps {
            system,
            start,
            on_state,
            on_step,
            proper,
            possible,
        })
    }

    /// Returns the indices of the inputs with these roles.
    pub(super) fn inputs(&self, roles: &[InputRole]) -> Vec<usize> {
        let inputs = self.system.inputs.iter().enumerate();
        inputs
            .filter(|(_, input)| roles.contains(&input.role))
            .map(|(index, _)| index)
            .collect()
    }
}

/// Returns the system of the original alone, with all selectors off.
pub(super) fn original(system: &TransitionSystem) -> Result<TransitionSystem, TermError> {
    let mut system = system.clone();
    let mut off = Substitution::new();
    let terms = &mut system.terms;
    for index in 0..system.selectors.len() {
        let selector = terms.selector(index);
        let never = terms.bool(false);
        off.replace(selector, never);
    }
    let mut replace = |terms: &mut TermPool, term: &mut TermId| -> Result<(), TermError> {
        *term = off.apply(terms, *term)?;
        Ok(())
    };
    for state in &mut system.states {
        replace(terms, &mut state.next)?;
        if let Init::Term(term) = &mut state.init {
            replace(terms, term)?;
        }
    }
    for constraint in &mut system.constraints {
        replace(terms, &mut constraint.term)?;
    }
    for output in &mut system.outputs {
        replace(terms, &mut output.term)?;
    }
    system.obligations.clear();
    system.invariants.clear();
    system.selectors.clear();
    Ok(system)
}
