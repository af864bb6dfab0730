//! The limits of a run: its clock, its patience, its threads, its memory and its seed.

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
    /// The ledger of that time.
    pub ledger: Arc<Ledger>,
    /// Set when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
    /// The end of everything, by that clock.
    pub deadline: Option<Duration>,
    /// Jobs that run at a time.
    pub jobs: usize,
    /// Bytes of this process for deciding, and their meter.
    pub memory: Option<(u64, Arc<dyn Meter>)>,
    /// The seed of everything random.
    pub seed: u64,
}

impl Limits {
    /// Limits of time, by this clock, and none else: one job at a time, with seed 0.
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

    /// The time since the run started.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The user's patience, and the time for everything.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(Arc::clone(&self.clock), Arc::clone(&self.interrupt));
        let left = self.deadline.map(|end| end.saturating_sub(self.now()));
        budget.with_ledger(Arc::clone(&self.ledger)).within(left)
    }

    /// The same with the memory, of which each job has an equal share.
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

    /// The reason why nothing more may be begun, if there is one.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.budget().stopped()
    }

    /// Whether the user wants to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Stops everything, as the user does.
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
