//! Refutations of what a procedure has said.

use hyperkill_core::budget::Stop;

/// Why a verdict is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refutation {
    /// Its evidence does not show what it says.
    #[error("{0}")]
    Wrong(String),
    /// Checking it took more than the budget allows.
    #[error("it was not checked within the limits")]
    Stopped(Stop),
}

impl Refutation {
    /// Refuses a verdict: its evidence does not show what it says.
    ///
    /// # Errors
    /// Always.
    pub fn wrong<T>(what: impl Into<String>) -> Result<T, Refutation> {
        Err(Refutation::Wrong(what.into()))
    }
}
