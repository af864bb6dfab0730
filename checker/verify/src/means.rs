//! Limits and engines for answering a question.

use std::time::Duration;

use hyperkill_audit::documents::build;
use hyperkill_checker::schedule::{Engines, reachability};
use hyperkill_core::budget::Budget;

/// Limits and engines for answering a question.
#[derive(Clone, Debug)]
pub struct Means {
    /// Bound on the depth of the search, in steps.
    pub bound: Option<usize>,
    /// Engines that may be used.
    pub engines: Engines,
    /// Time limit for each answer.
    pub timeout: Option<Duration>,
    /// Whether answers contain their times.
    pub timings: bool,
    /// Limit for all answers together.
    pub budget: Budget,
}

impl Means {
    /// Returns these limits and engines, with all other options from `usual`.
    #[must_use]
    pub fn options(&self, usual: reachability::Options) -> reachability::Options {
        reachability::Options {
            bound: self.bound,
            engines: self.engines,
            ..usual
        }
    }

    /// Runs `work` within the time limit for one answer. Returns its result, and the seconds it took if times are wanted.
    ///
    /// # Errors
    /// If `work` fails.
    pub(crate) fn timed<T, E>(
        &self,
        work: impl FnOnce(&Budget) -> Result<T, E>,
    ) -> Result<(T, Option<f64>), E> {
        let budget = self.budget.job().within(self.timeout);
        let began = budget.now();
        let done = work(&budget)?;
        let took = budget.now().saturating_sub(began);
        Ok((done, self.timings.then(|| build::seconds(took))))
    }
}
