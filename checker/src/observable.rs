//! Is the model observable: does what it shows tell its state? (semantics.md §6.8)
//!
//! Then following the outputs of a mutant is no gamble: there is one state to be in, and [`question::tracked`] is
//! complete with [`Preference::Any`]: whatever it reaches is killed. Nothing is believed because of this: kills are
//! judged by themselves and proofs are checked by themselves, so the answer here is not certified.
//!
//! [`question::tracked`]: crate::question::tracked
//! [`Preference::Any`]: hyperkill_evidence::question::Preference::Any

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;

use crate::question::Reachability;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve};

/// Whether what is seen determines the model's state, as far as that was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observability {
    /// After each step there is at most one state that the model can be in, given inputs and outputs. A choice that
    /// nothing shows in its own step counts as made in the next one.
    Observable,
    /// Some run could have led to two states.
    NotObservable,
    /// Not settled; to be treated as not observable.
    Unsettled,
}

/// Decides observability of the original, over its reachable states, within a modest effort.
#[must_use]
pub fn observability(model: &ConditionalMutant, budget: &Budget) -> Observability {
    match solve(&Reachability::ambiguity(model), &Options::MODEST, budget) {
        Solved::Reached { .. } => Observability::NotObservable,
        Solved::Unreachable(_) => Observability::Observable,
        Solved::Open { .. } => Observability::Unsettled,
    }
}
