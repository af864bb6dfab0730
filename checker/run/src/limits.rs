//! The limits of a run: clock, interrupt, threads, memory and seed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperkill_core::budget::ledger::Ledger;
use hyperkill_core::budget::memory::Meter;
use hyperkill_core::budget::{Budget, Clock, Stop};

/// The limits of a run.
#[derive(Clone)]
pub struct Limits {
    /// Time since the run started.
    pub clock: Arc<dyn Clock>,
    /// The ledger that books this time.
    pub ledger: Arc<Ledger>,
    /// Set when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
    /// The end of the run, in time of the clock.
    pub deadline: Option<Duration>,
    /// The number of parallel jobs.
    pub jobs: usize,
    /// The memory limit of this process in bytes, with the meter of its use.
    pub memory: Option<(u64, Arc<dyn Meter>)>,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Limits {
    /// Returns limits with this clock only: one job at a time, seed 0, no deadline, no memory limit.
    #[must_use]
    pub fn by(clock: Arc<dyn Clock>) -> Limits {
        Limits {
            ledger: Ledger::begin(Arc::clone(&clock)),
            clock,
            interrupt: Arc::default(),
            deadline: None,
            jobs: 1,
            memory: None,
            seed: 0,
        }
    }

    /// Returns the time since the run started.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Returns the budget of the interrupt and the deadline.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(Arc::clone(&self.clock), Arc::clone(&self.interrupt));
        let left = self.deadline.map(|end| end.saturating_sub(self.now()));
        budget.with_ledger(Arc::clone(&self.ledger)).within(left)
    }

    /// Returns the budget of the interrupt and the deadline, with a memory limit: each job gets an equal share.
    #[must_use]
    pub fn budget_of_jobs(&self) -> Budget {
        let budget = self.budget();
        match &self.memory {
            None => budget,
            Some((cap, meter)) => {
                let share = cap / self.jobs.max(1) as u64;
                budget.with_memory(share, *cap, Arc::clone(meter))
            }
        }
    }

    /// Returns the reason why no new work may begin; `None` if there is none.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.budget().stopped()
    }

    /// Whether the user has interrupted the run.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Sets the interrupt.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("deadline", &self.deadline)
            .field("jobs", &self.jobs)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
