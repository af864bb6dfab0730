//! Allowed outputs of a locally or globally adaptive test (semantics.md §4), by following runs and sets of states.

use std::collections::BTreeSet;

use super::{Machine, State, Word};

/// One step of a given run of the model: its state, input and outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The state X_j before the step.
    pub state: State,
    /// The input I_j of the step.
    pub input: Word,
    /// The outputs O_j of the step.
    pub outputs: Word,
}

impl Machine {
    /// Returns the steps of the run from this initial state, under an input and a choice per step. `None` if the run ends early, because a
    /// constraint breaks.
    #[must_use]
    pub fn trail(&self, initial: State, steps: &[(Word, Word)]) -> Option<Vec<Taken>> {
        let mut state = initial;
        let mut trail = Vec::with_capacity(steps.len());
        for &(input, choice) in steps {
            let step = self.step(state, input, choice)?;
            trail.push(Taken {
                state,
                input,
                outputs: step.outputs,
            });
            state = step.next;
        }
        Some(trail)
    }

    /// Returns for each step j the outputs O such that some run agrees with this one on I, O and X before j, has its input at j and outputs
    /// O there. X_j is not fixed, except for latches `was:…`.
    #[must_use]
    pub fn locally_allowed(&self, run: &[Taken]) -> Vec<BTreeSet<Word>> {
        (0..run.len())
            .map(|j| {
                let states: BTreeSet<State> = match j.checked_sub(1).map(|before| run[before]) {
                    None => self.initial().iter().copied().collect(),
                    // The latches `was:…` belong to the step before.
                    Some(before) => self
                        .moves(before.state, before.input)
                        .filter(|step| step.outputs == before.outputs)
                        .map(|step| step.next)
                        .filter(|next| next & self.kept() == run[j].state & self.kept())
                        .collect(),
                };
                self.shown(&states, run[j].input)
            })
            .collect()
    }

    /// Returns for each step j the outputs O such that some run has the same inputs and outputs as this one before j, the same input at j,
    /// and outputs O there.
    #[must_use]
    pub fn globally_allowed(&self, run: &[Taken]) -> Vec<BTreeSet<Word>> {
        let mut states: BTreeSet<State> = self.initial().iter().copied().collect();
        let mut allowed = Vec::with_capacity(run.len());
        for taken in run {
            allowed.push(self.shown(&states, taken.input));
            states = states
                .iter()
                .flat_map(|&state| self.moves(state, taken.input))
                .filter(|step| step.outputs == taken.outputs)
                .map(|step| step.next)
                .collect();
        }
        allowed
    }

    /// Returns the outputs that any of these states can show under this input.
    fn shown(&self, states: &BTreeSet<State>, input: Word) -> BTreeSet<Word> {
        states
            .iter()
            .flat_map(|&state| self.moves(state, input))
            .map(|step| step.outputs)
            .collect()
    }
}
