//! Limits of an engine's work: conflicts inside a round, memory of a job, and clock and interruption from outside.
//!
//! Conflicts are counted, so a limit on them gives the same result on every machine. The caller owns the clock ([`Clock`]). A run that ends
//! as [`Stop::Time`] is outside the promise of byte-identical results. So is a run that ends as [`Stop::Memory`], since shares of memory
//! depend on the number of jobs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

mod account;
mod clock;
pub mod ledger;
pub mod memory;
mod spending;

pub use clock::{Clock, NoClock};
pub use spending::Span;

use account::{Account, Meter};
use ledger::Ledger;

use crate::work;

/// Time after a deadline during which nearly finished work may still be completed.
const GRACE: Duration = Duration::from_millis(200);

/// The reason why an engine stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A deterministic limit: depth, conflicts or size.
    Bound,
    /// A time limit expired.
    Time,
    /// The job exceeded its share of memory, or the process its limit before the job began.
    Memory,
    /// A slice of counted work is used up ([`Budget::slice`]).
    Slice,
    /// An interruption was requested.
    Interrupted,
    /// None of the permitted engines could do more with any effort.
    Engines,
}

impl Stop {
    /// Whether the complete job must end, as opposed to one engine.
    #[must_use]
    pub fn is_from_outside(self) -> bool {
        match self {
            Stop::Bound | Stop::Engines => false,
            Stop::Time | Stop::Memory | Stop::Slice | Stop::Interrupted => true,
        }
    }
}

/// The limits of one job. Clones share clock and interruption.
#[derive(Clone)]
pub struct Budget {
    clock: Arc<dyn Clock>,
    deadline: Option<Duration>,
    interrupt: Arc<AtomicBool>,
    memory: Option<Memory>,
    slice: Option<Slice>,
    ledger: Option<Arc<Ledger>>,
}

/// A limit of the counted work of one thread.
#[derive(Clone, Copy)]
struct Slice {
    thread: ThreadId,
    /// The thread's [`work::Work::effort`] at which the slice ends.
    until: u64,
}

impl Slice {
    /// Whether the slice is used up. It applies to its own thread only, since each thread counts its own work.
    fn is_used_up(self) -> bool {
        thread::current().id() == self.thread && work::done().effort() >= self.until
    }
}

/// Memory of jobs: the account of this job, and the shares of others.
#[derive(Clone)]
struct Memory {
    account: Arc<Account>,
    share: u64,
    cap: u64,
    meter: Arc<dyn Meter>,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Budget {
    /// Returns a budget without limits.
    #[must_use]
    pub fn unlimited() -> Budget {
        Budget::new(Arc::new(NoClock), Arc::new(AtomicBool::new(false)))
    }

    /// Returns a spent budget, for work that is worth doing only at almost no cost.
    #[must_use]
    pub fn spent() -> Budget {
        Budget::new(Arc::new(NoClock), Arc::new(AtomicBool::new(true)))
    }

    /// Returns a budget without a deadline that stops when `interrupt` becomes true.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, interrupt: Arc<AtomicBool>) -> Budget {
        Budget {
            clock,
            deadline: None,
            interrupt,
            memory: None,
            slice: None,
            ledger: None,
        }
    }

    /// Returns the budget with limits on memory, both in bytes. `share` limits the estimates of solvers and lists of states in one job.
    /// `cap` limits the memory of the process, as measured by `meter`, when a job starts.
    #[must_use]
    pub fn with_memory(&self, share: u64, cap: u64, meter: Arc<dyn Meter>) -> Budget {
        let account = Arc::new(Account::new(share, false));
        let memory = Memory {
            account,
            share,
            cap,
            meter,
        };
        Budget {
            memory: Some(memory),
            ..self.clone()
        }
    }

    /// Returns the budget of one of several jobs, with its own share of memory. A job that would start above the process's limit is over at
    /// once.
    #[must_use]
    pub fn job(&self) -> Budget {
        let mut budget = self.clone();
        if let Some(memory) = &mut budget.memory {
            let full = memory.meter.used().is_some_and(|used| used > memory.cap);
            memory.account = Arc::new(Account::new(memory.share, full));
        }
        budget
    }

    /// Returns the job's memory account, if memory is limited.
    pub(crate) fn account(&self) -> Option<&Arc<Account>> {
        self.memory.as_ref().map(|memory| &memory.account)
    }

    /// Returns the budget with a deadline `limit` from now, if that is earlier than the current one. `None` changes nothing.
    #[must_use]
    pub fn within(&self, limit: Option<Duration>) -> Budget {
        let mut budget = self.clone();
        if let Some(limit) = limit {
            let deadline = self.clock.now().saturating_add(limit);
            budget.deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        }
        budget
    }

    /// Returns the budget with a limit of counted work from now on, in the unit of [`work::Work::effort`], if it ends before the current
    /// one. It applies to work on this thread: parts given to other threads are neither counted nor ended. It ends as [`Stop::Slice`], at
    /// the same point on every machine.
    #[must_use]
    pub fn slice(&self, effort: u64) -> Budget {
        let slice = Slice {
            thread: thread::current().id(),
            until: work::done().effort().saturating_add(effort),
        };
        let present = (self.slice).filter(|present| present.thread == slice.thread);
        Budget {
            slice: Some(present.filter(|p| p.until < slice.until).unwrap_or(slice)),
            ..self.clone()
        }
    }

    /// Returns the counted work that remains in the current slice of this thread; `None` if there is no slice.
    #[must_use]
    pub fn slice_left(&self) -> Option<u64> {
        let slice = (self.slice).filter(|slice| slice.thread == thread::current().id())?;
        Some(slice.until.saturating_sub(work::done().effort()))
    }

    /// Returns the time since the clock's fixed moment.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Returns the time until the deadline, if there is one.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_sub(self.clock.now()))
    }

    /// Whether even nearly finished work must stop: an interruption was requested, or the grace period after the deadline is over.
    #[must_use]
    pub fn is_overdue(&self) -> bool {
        let long_over = |deadline: Duration| self.clock.now() >= deadline.saturating_add(GRACE);
        self.interrupt.load(Ordering::Relaxed) || self.deadline.is_some_and(long_over)
    }

    /// Returns the reason to stop, once the job must end.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Stop::Interrupted);
        }
        if self.account().is_some_and(|account| account.is_exceeded()) {
            return Some(Stop::Memory);
        }
        match self.deadline {
            Some(deadline) if self.clock.now() >= deadline => Some(Stop::Time),
            _ => (self.slice.is_some_and(Slice::is_used_up)).then_some(Stop::Slice),
        }
    }

    /// Checks like [`Budget::stopped`], for use with `?`.
    ///
    /// # Errors
    /// If the job must end.
    pub fn check(&self) -> Result<(), Stop> {
        self.stopped().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Unit, count};

    #[test]
    fn a_slice_ends_after_its_counted_work_on_its_own_thread_alone() {
        let outer = Budget::unlimited().slice(1_000);
        let inner = outer.slice(10);
        count(Unit::Conflicts, 2);
        assert_eq!(
            (inner.stopped(), outer.stopped()),
            (Some(Stop::Slice), None)
        );
        // An inner slice cannot be longer than the enclosing one.
        let longer = outer.slice(1_000_000);
        count(Unit::Conflicts, 100);
        assert_eq!(
            (longer.stopped(), outer.stopped()),
            (Some(Stop::Slice), Some(Stop::Slice))
        );
        let elsewhere = thread::spawn(move || outer.stopped()).join().unwrap();
        assert_eq!(elsewhere, None);
    }
}
