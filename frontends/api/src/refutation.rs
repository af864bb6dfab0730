//! Refutations of verdicts.

use hyperkill_core::budget::Stop;

/// The reason why a verdict is rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refutation {
    /// The evidence does not show its claim.
    #[error("{0}")]
    Wrong(String),
    /// The budget ended the check.
    #[error("it was not checked within the limits")]
    Stopped(Stop),
}

impl Refutation {
    /// Rejects a verdict whose evidence does not show its claim.
    ///
    /// # Errors
    /// Always.
    pub fn wrong<T>(what: impl Into<String>) -> Result<T, Refutation> {
        Err(Refutation::Wrong(what.into()))
    }
}
