//! Model, limits and threads for deciding which mutants are noticed.

use std::time::Duration;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use rayon::ThreadPool;

/// A circuit with the mutants of a run, limits and threads.
pub struct Deciding<'a> {
    /// The circuit with its mutants.
    pub model: &'a ConditionalMutant,
    /// Time limit per mutant.
    pub timeout: Option<Duration>,
    /// Limit for all mutants together.
    pub budget: Budget,
    /// Threads that decide mutants.
    pub threads: &'a ThreadPool,
}
