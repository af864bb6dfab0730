//! Clocks, which belong to the caller.

use std::time::Duration;

/// Time since some fixed moment; implemented by the binary.
pub trait Clock: Send + Sync {
    /// The time since that moment; never less than at an earlier call.
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
