//! The means to answer a question.

use std::time::Duration;

use hyperkill_audit::documents::build;
use hyperkill_checker::schedule::{Engines, reachability};
use hyperkill_core::budget::Budget;

/// The means to answer a question.
#[derive(Clone, Debug)]
pub struct Means {
    /// Steps that are looked at.
    pub bound: Option<usize>,
    /// The engines that may be asked.
    pub engines: Engines,
    /// For each answer.
    pub timeout: Option<Duration>,
    /// Whether answers say how long they took.
    pub timings: bool,
    /// For everything.
    pub budget: Budget,
}

impl Means {
    /// These limits and engines, and the rest as `usual`.
    #[must_use]
    pub fn options(&self, usual: reachability::Options) -> reachability::Options {
        reachability::Options {
            bound: self.bound,
            engines: self.engines,
            ..usual
        }
    }

    /// The answer that `work` finds in the time for one, and the seconds that it took if these are wanted.
    ///
    /// # Errors
    /// As `work`.
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
