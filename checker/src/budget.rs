//! How long an engine may work: conflicts inside a round, and clock and interruption from outside.
//!
//! Conflicts are counted, so a limit on them gives the same result on every machine. The clock belongs to
//! the caller ([`Clock`]); a run that hits it ends as [`Stop::Time`] and is outside the promise of
//! byte-identical results.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time since some fixed moment; implemented by the binary.
pub trait Clock: Send + Sync {
    /// Never decreases.
    fn now(&self) -> Duration;
}

/// A clock that stands still: no time limit ever expires.
#[derive(Clone, Copy, Debug)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Why an engine gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A deterministic limit: depth, conflicts or size.
    Bound,
    /// The clock.
    Time,
    /// Somebody asked to stop.
    Interrupted,
}

/// What the outside lets one job use. Cloning shares clock and interruption.
#[derive(Clone)]
pub struct Budget {
    clock: Arc<dyn Clock>,
    deadline: Option<Duration>,
    interrupt: Arc<AtomicBool>,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Budget {
    /// No limit at all.
    #[must_use]
    pub fn unlimited() -> Budget {
        Budget::new(Arc::new(NoClock), Arc::new(AtomicBool::new(false)))
    }

    /// No deadline yet; stops when `interrupt` becomes true.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, interrupt: Arc<AtomicBool>) -> Budget {
        Budget {
            clock,
            deadline: None,
            interrupt,
        }
    }

    /// The same with a deadline `limit` from now, if that is earlier than the present one.
    #[must_use]
    pub fn within(&self, limit: Option<Duration>) -> Budget {
        let mut budget = self.clone();
        if let Some(limit) = limit {
            let deadline = self.clock.now().saturating_add(limit);
            budget.deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        }
        budget
    }

    /// Time since the clock's fixed moment.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Time until the deadline, if there is one.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_sub(self.clock.now()))
    }

    /// `Some(why)` once the job must end.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Stop::Interrupted);
        }
        match self.deadline {
            Some(deadline) if self.clock.now() >= deadline => Some(Stop::Time),
            _ => None,
        }
    }
}
