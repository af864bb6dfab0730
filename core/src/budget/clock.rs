//! Clocks, which the caller provides.

use std::time::Duration;

/// The time since a fixed moment; implemented by the binary.
pub trait Clock: Send + Sync {
    /// Returns the time since that moment, never less than at an earlier call.
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
