//! Schedules in words.

/// Placeholder.
pub fn explain() {}
