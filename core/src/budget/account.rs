//! What the jobs of a process hold, and what they may.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the process uses; implemented by the binary.
pub trait Meter: Send + Sync {
    /// Bytes; `None` if nobody knows.
    fn used(&self) -> Option<u64>;
}

/// A meter that knows nothing: jobs always start.
#[derive(Clone, Copy, Debug)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn used(&self) -> Option<u64> {
        None
    }
}

/// What is held in a job, and what may be.
#[derive(Debug)]
pub(crate) struct Account {
    used: AtomicU64,
    most: u64,
    /// Once a job has had more than its share it is over, whatever it lets go of.
    exceeded: AtomicBool,
}

impl Account {
    pub(crate) fn new(most: u64, exceeded: bool) -> Account {
        Account {
            used: AtomicU64::new(0),
            most,
            exceeded: AtomicBool::new(exceeded),
        }
    }

    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    pub(super) fn change(&self, from: u64, to: u64) {
        if to >= from {
            let used = self.used.fetch_add(to - from, Ordering::Relaxed) + (to - from);
            if used > self.most {
                self.exceeded.store(true, Ordering::Relaxed);
            }
        } else {
            self.used.fetch_sub(from - to, Ordering::Relaxed);
        }
    }
}
