//! Memory accounts of jobs, and the memory meter of the process.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Measures the memory of the process; implemented by the binary.
pub trait Meter: Send + Sync {
    /// Returns the used bytes; `None` if unknown.
    fn used(&self) -> Option<u64>;
}

/// A meter that never knows the used memory, so that it prevents no job from starting.
#[derive(Clone, Copy, Debug)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn used(&self) -> Option<u64> {
        None
    }
}

/// The memory held in a job, and its limit.
#[derive(Debug)]
pub(crate) struct Account {
    used: AtomicU64,
    most: u64,
    /// Whether the job has exceeded its share. It is then over, even if it frees memory.
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
