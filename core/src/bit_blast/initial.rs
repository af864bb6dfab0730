//! Initial values: their order of evaluation, and their assignment to latches.
//!
//! Constant bits become resets; one shared latch selects the others at step 0.

use super::{BitBlastError, Blaster, FIRST_STEP, bits};
use crate::Lit;
use crate::aig::Reset;
use crate::system::{Init, StateVar, TransitionSystem};
use crate::term::{Term, TermId};

impl Blaster<'_> {
    /// Sets the resets of latches, and computes the value of every state variable at step 0 and at the current step.
    pub(super) fn set_initial_values(&mut self) -> Result<(), BitBlastError> {
        let system = self.system;
        let mut codes: Vec<Option<Vec<Lit>>> = vec![None; system.states.len()];
        for i in evaluation_order(system)? {
            let state = &system.states[i];
            let code = match state.init {
                Init::Free => self.latch_lits(i),
                Init::Term(term) => {
                    let value = self.initial_value(term)?;
                    self.code_word(&value, term, &state.sort, &state.name)?
                }
            };
            let meant = bits::without_alias(&mut self.aig, &state.sort, &code);
            self.initial_states[i] = Some(bits::decode(&mut self.aig, &state.sort, &meant));
            codes[i] = Some(code);
        }
        for (i, state) in system.states.iter().enumerate() {
            let mut word = self.latch_lits(i);
            if let (Init::Term(_), Some(code)) = (&state.init, &codes[i]) {
                for (bit, &initial) in code.iter().enumerate() {
                    let latch = self.latches[i][bit];
                    match initial.as_constant() {
                        Some(value) => self.aig.set_reset(latch, Reset::constant(value)),
                        None => {
                            self.aig.set_reset(latch, Reset::Zero);
                            let first = self.first_step();
                            word[bit] = self.aig.ite(first, initial, word[bit]);
                        }
                    }
                }
            }
            let code = bits::without_alias(&mut self.aig, &state.sort, &word);
            self.states[i] = Some(bits::decode(&mut self.aig, &state.sort, &code));
            self.state_codes.push(code);
        }
        Ok(())
    }

    /// Returns the latch that is 1 at step 0 and 0 afterwards.
    pub(super) fn first_step(&mut self) -> Lit {
        if let Some(first) = self.first {
            return first;
        }
        let mut states = self.system.states.iter();
        if let Some(known) = states.position(|state| is_first_step(self.system, state)) {
            let lit = self.latch_lits(known)[0];
            self.first = Some(lit);
            return lit;
        }
        let mut name = FIRST_STEP.to_owned();
        while self.system.states.iter().any(|state| state.name == name) {
            name.push('\'');
        }
        let index = self.aig.latches().len();
        let lit = self.aig.add_latch(Reset::One, Some(name));
        self.aig.set_next(index, Lit::FALSE);
        self.first = Some(lit);
        lit
    }
}

/// Whether a state variable is the one that is true at step 0 only: it has the name [`FIRST_STEP`], starts with true and becomes false.
fn is_first_step(system: &TransitionSystem, state: &StateVar) -> bool {
    let truth = |term| system.terms.as_bool(term);
    let starts = match state.init {
        Init::Term(term) => truth(term) == Some(true),
        Init::Free => false,
    };
    state.name == FIRST_STEP && starts && truth(state.next) == Some(false)
}

/// Returns the indices of the state variables, each after the variables that its initial value reads.
///
/// # Errors
/// If initial values depend on each other in a circle.
fn evaluation_order(system: &TransitionSystem) -> Result<Vec<usize>, BitBlastError> {
    let count = system.states.len();
    let mut order = Vec::with_capacity(count);
    let mut done = vec![false; count];
    let mut open = vec![false; count];
    for root in 0..count {
        if done[root] {
            continue;
        }
        // A depth-first search; each entry has the variables that are still to be visited.
        let mut path = vec![(root, initially_read(system, root))];
        open[root] = true;
        while let Some((variable, reads)) = path.last_mut() {
            let variable = *variable;
            match reads.pop() {
                Some(next) if done[next] => {}
                Some(next) if open[next] => {
                    let circle = path.iter().map(|&(v, _)| v).skip_while(|&v| v != next);
                    return Err(BitBlastError::CircularInit {
                        variables: circle.map(|v| system.states[v].name.clone()).collect(),
                    });
                }
                Some(next) => {
                    open[next] = true;
                    path.push((next, initially_read(system, next)));
                }
                None => {
                    open[variable] = false;
                    done[variable] = true;
                    order.push(variable);
                    path.pop();
                }
            }
        }
    }
    Ok(order)
}

/// Returns the indices of the state variables that the initial value of `state` reads.
fn initially_read(system: &TransitionSystem, state: usize) -> Vec<usize> {
    let Init::Term(root) = system.states[state].init else {
        return Vec::new();
    };
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<TermId> = vec![root];
    let mut reads = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match system.terms.term(id) {
            // The evaluation of the term reports an index that the system does not have.
            Term::State(i) if (*i as usize) < system.states.len() => reads.push(*i as usize),
            term => stack.extend(term.operands().into_iter().flatten()),
        }
    }
    reads
}
