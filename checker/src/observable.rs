//! Observability of the model: whether its inputs and outputs determine its state (semantics.md §6.8).
//!
//! In an observable model, a search that follows the outputs of a mutant meets one model state at a time. [`question::tracked`] with
//! [`Preference::Any`] is then complete: every mutant that it reaches is killed. Kills and proofs are checked independently of this result,
//! so it is not certified.
//!
//! [`question::tracked`]: crate::question::tracked
//! [`Preference::Any`]: hyperkill_evidence::question::Preference::Any

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;

use crate::question::Reachability;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve};

/// Whether inputs and outputs determine the model's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observability {
    /// After each step there is at most one state that the model can be in, given inputs and outputs. A choice that has no visible effect
    /// in its own step counts as made in the next one.
    Observable,
    /// After some inputs and outputs the model can be in two states.
    NotObservable,
    /// Not settled; treated as not observable.
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
