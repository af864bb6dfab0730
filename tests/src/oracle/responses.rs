//! R_o(Ī) and R_m(Ī) of semantics.md §2 for one given input sequence, by following every run.
//!
//! The bounded half of the oracle: it never searches for inputs.

use std::collections::BTreeSet;

use super::{Machine, Oracle, State, Word};

/// The output sequences of one length, one word per step.
pub type OutputSequences = BTreeSet<Vec<Word>>;

/// The possible output sequences of original and mutant for one input sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Responses {
    /// R_o(Ī); empty where the model refuses the input sequence.
    pub original: OutputSequences,
    /// R_m(Ī); empty where the mutant refuses it.
    pub mutant: OutputSequences,
}

impl Responses {
    /// Whether the inputs kill potentially: R_o ≠ ∅ and R_m ⊄ R_o [3 Def. 3].
    #[must_use]
    pub fn kill_potentially(&self) -> bool {
        !self.original.is_empty() && !self.mutant.is_subset(&self.original)
    }

    /// Whether the inputs kill definitely: R_o ≠ ∅, R_m ≠ ∅ and R_m ∩ R_o = ∅ [3 Def. 4].
    #[must_use]
    pub fn kill_definitely(&self) -> bool {
        !self.original.is_empty()
            && !self.mutant.is_empty()
            && self.mutant.is_disjoint(&self.original)
    }
}

impl Machine {
    /// Returns R(Ī): the outputs of all runs that are alive at every step of `inputs`.
    #[must_use]
    pub fn responses(&self, inputs: &[Word]) -> OutputSequences {
        let mut runs: BTreeSet<(Vec<Word>, State)> = self
            .initial()
            .iter()
            .map(|&state| (Vec::new(), state))
            .collect();
        for &input in inputs {
            let mut longer = BTreeSet::new();
            for (history, state) in &runs {
                for step in self.moves(*state, input) {
                    let mut history = history.clone();
                    history.push(step.outputs);
                    longer.insert((history, step.next));
                }
            }
            runs = longer;
        }
        runs.into_iter().map(|(history, _)| history).collect()
    }
}

impl Oracle {
    /// Returns R_o(Ī) and R_m(Ī): the output sequences that original and mutant can give to these inputs.
    #[must_use]
    pub fn responses(&self, inputs: &[Word]) -> Responses {
        Responses {
            original: self.original.responses(inputs),
            mutant: self.mutant.responses(inputs),
        }
    }

    /// Returns the pairs (outputs of the original, outputs of the mutant) of runs that make the same choices, free initial values included,
    /// and are both alive at every step of `inputs` (semantics.md §5).
    #[must_use]
    pub fn shared_choice_responses(&self, inputs: &[Word]) -> BTreeSet<(Vec<Word>, Vec<Word>)> {
        let mut runs: BTreeSet<(Vec<Word>, Vec<Word>, State, State)> = self
            .original
            .initial()
            .iter()
            .map(|&state| (Vec::new(), Vec::new(), state, state))
            .collect();
        for &input in inputs {
            let mut longer = BTreeSet::new();
            for (shown, mutant_shown, state, mutant_state) in &runs {
                for choice in self.original.choices() {
                    let step = self.original.step(*state, input, choice);
                    let mutant_step = self.mutant.step(*mutant_state, input, choice);
                    if let (Some(step), Some(mutant_step)) = (step, mutant_step) {
                        let mut shown = shown.clone();
                        shown.push(step.outputs);
                        let mut mutant_shown = mutant_shown.clone();
                        mutant_shown.push(mutant_step.outputs);
                        longer.insert((shown, mutant_shown, step.next, mutant_step.next));
                    }
                }
            }
            runs = longer;
        }
        runs.into_iter()
            .map(|(shown, mutant_shown, ..)| (shown, mutant_shown))
            .collect()
    }
}
