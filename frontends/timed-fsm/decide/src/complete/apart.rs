//! Pairs of prefixes that lead to different states in every implementation that passes: the same inputs follow both, with different
//! expected outputs. Both clocks are 0 after an input, so one state would give the same outputs.
//!
//! The other clauses imply this, but only through all paths of implementations from there on.

use hyperkill_sat::Lit;
use rustc_hash::FxHashMap;

use super::Stimulus;

/// The pairs of prefixes that are known to be apart.
#[derive(Default)]
pub(super) struct Apart {
    /// For each input with its delay, the prefixes that are followed by it.
    pub(super) given: FxHashMap<Stimulus, Vec<Given>>,
    /// A literal for each pair: no implementation that passes the active tests is in the same state after both.
    pub(super) pairs: FxHashMap<(usize, usize), Lit>,
}

/// An input of a test: the prefixes before and after it, and the expected output.
#[derive(Clone, Copy)]
pub(super) struct Given {
    pub(super) before: usize,
    pub(super) behind: usize,
    pub(super) output: usize,
}
