//! Mutants that cannot be looked at.

use hyperkill_checker::safety::SafetyError;
use hyperkill_frontend::{Diagnostic, SourceFile, StaleMutant};
use hyperkill_run::folder::Unwritable;
use hyperkill_run::unfit::Unfit;

/// Why mutants cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The wishes of the user, or the tests, do not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A file is no walk of the model.
    #[error("a file is no walk of the model")]
    NoWalk {
        /// The texts that the diagnostics refer to.
        sources: Vec<SourceFile>,
        /// The errors; never empty.
        errors: Vec<Diagnostic>,
    },
    /// The user wants to stop, before there is any result.
    #[error("interrupted while the command looked at the model itself")]
    Interrupted,
    /// The files of a mutant cannot be written.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    /// A mutant does not fit its source.
    #[error(transparent)]
    Stale(#[from] StaleMutant),
    /// Evidence does not check.
    #[error(transparent)]
    Evidence(#[from] SafetyError),
}

impl ScoreError {
    /// A refusal without advice.
    pub(crate) fn unfit(message: impl Into<String>) -> ScoreError {
        Unfit::new(message).into()
    }
}
