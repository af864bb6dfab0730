//! Answers to reachability questions.

use hyperkill_core::budget::Stop;
use hyperkill_evidence::proof::Proof;

use crate::question::Found;

/// The answer to a reachability question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// A run reaches the goal.
    Reached {
        /// The run: a shortest one if it has `refuted + 1` steps.
        found: Found,
        /// No run of at most this many steps reaches the goal.
        refuted: usize,
    },
    /// No run reaches the goal. Not yet certified.
    Unreachable(Proof),
    /// Neither was found; no run of at most `refuted` steps reaches the goal.
    Open {
        /// No run of at most this many steps reaches the goal.
        refuted: usize,
        /// The limit that ended the search.
        stop: Stop,
    },
}
