//! Prefixes of tests behind which no implementation that passes is in the same state: the same inputs follow both, and different outputs
//! are expected. Both clocks are 0 behind an input, so that the same state would answer alike.
//!
//! It follows from what else is written down, but only by going through all ways that implementations take from there on.

use hyperkill_sat::Lit;
use rustc_hash::FxHashMap;

use super::Stimulus;

/// Which prefixes are known to be apart.
#[derive(Default)]
pub(super) struct Apart {
    /// Prefixes behind which an input was given after a delay, with what is expected and the prefix that it leads to.
    pub(super) given: FxHashMap<Stimulus, Vec<Given>>,
    /// A literal for each pair: no implementation that passes the tests that are switched on is in one state behind both.
    pub(super) pairs: FxHashMap<(usize, usize), Lit>,
}

/// An input of a test: the prefixes before and behind it, and what is expected.
#[derive(Clone, Copy)]
pub(super) struct Given {
    pub(super) before: usize,
    pub(super) behind: usize,
    pub(super) output: usize,
}
