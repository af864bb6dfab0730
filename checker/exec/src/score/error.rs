//! Errors of scoring.

use hyperkill_checker::safety::SafetyError;
use hyperkill_frontend::{Diagnostic, SourceFile, StaleMutant};
use hyperkill_run::folder::Unwritable;
use hyperkill_run::unfit::Unfit;

/// The reason why mutants cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The options or the tests do not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A file does not contain a walk of the model.
    #[error("a file is not a walk of the model")]
    NoWalk {
        /// Texts that the diagnostics refer to.
        sources: Vec<SourceFile>,
        /// The errors; never empty.
        errors: Vec<Diagnostic>,
    },
    /// The user interrupted before the first result.
    #[error("interrupted while the command looked at the model itself")]
    Interrupted,
    /// The files of a mutant cannot be written.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    /// A mutant does not fit its source.
    #[error(transparent)]
    Stale(#[from] StaleMutant),
    /// A piece of evidence does not check.
    #[error(transparent)]
    Evidence(#[from] SafetyError),
}

impl ScoreError {
    /// Returns the error that options or tests do not fit, with this message and no advice.
    pub(crate) fn unfit(message: impl Into<String>) -> ScoreError {
        Unfit::new(message).into()
    }
}
