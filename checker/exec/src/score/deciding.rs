//! The means to decide which mutants are noticed.

use std::time::Duration;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use rayon::ThreadPool;

/// A circuit with the mutants of a run, and the means to decide about them.
pub struct Deciding<'a> {
    /// The circuit.
    pub model: &'a ConditionalMutant,
    /// For each mutant.
    pub timeout: Option<Duration>,
    /// For everything.
    pub budget: Budget,
    /// Where mutants are decided.
    pub threads: &'a ThreadPool,
}
