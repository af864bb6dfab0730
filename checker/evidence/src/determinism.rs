//! The determinism of a copy of a model, with its evidence (semantics.md §2).

use hyperkill_core::trace::Stimulus;

use crate::proof::Proof;

/// Whether a copy has one output sequence for each input sequence, as far as decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Determinism {
    /// At most one output sequence per input sequence; proved.
    Deterministic,
    /// Two runs with the same inputs have different outputs.
    NonDeterministic,
    /// Undecided; treated as non-deterministic.
    Unsettled,
}

/// The evidence that a copy of a model is deterministic, or that it is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answering {
    /// The copy is deterministic: outputs depend on test inputs and on these latches only, as do the next values of these latches. None of
    /// them has a free first value. Indices of latches, ascending.
    Unchosen(Vec<usize>),
    /// The copy is deterministic: two copies with the same inputs never reach different outputs.
    Proved(Proof),
    /// The copy is not deterministic: these runs have the same inputs and different outputs.
    Differing([Stimulus; 2]),
}

impl Answering {
    /// Returns the determinism that this evidence shows.
    #[must_use]
    pub fn shows(&self) -> Determinism {
        match self {
            Answering::Unchosen(_) | Answering::Proved(_) => Determinism::Deterministic,
            Answering::Differing(_) => Determinism::NonDeterministic,
        }
    }
}
