//! Questions about a model that have no answer.

use std::error::Error;

use hyperkill_checker::safety::SafetyError;
use hyperkill_checker::totality::Undone;
use hyperkill_core::trace::StimulusError;
use hyperkill_run::folder::Unwritable;
use hyperkill_run::own::Fault;
use hyperkill_run::question::Refused;
use hyperkill_run::unfit::Unfit;

/// Why a question about a model has no answer.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The wishes of the user do not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A formula is malformed, or of no fragment that is decided.
    #[error(transparent)]
    Formula(#[from] Refused),
    /// The model has no circuit, or states something that means nothing.
    #[error("{0}")]
    Model(String),
    /// Evidence does not check: a bug.
    #[error(transparent)]
    Evidence(Box<dyn Error + Send + Sync>),
    /// The language has evidence that does not check.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Totality was not found out for a reason that is a bug.
    #[error(transparent)]
    Undone(Undone),
    /// An answer does not fit the circuit: a bug.
    #[error(transparent)]
    Internal(Box<dyn Error + Send + Sync>),
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
}

impl From<SafetyError> for VerifyError {
    fn from(error: SafetyError) -> VerifyError {
        VerifyError::Evidence(error.into())
    }
}

impl From<StimulusError> for VerifyError {
    fn from(error: StimulusError) -> VerifyError {
        VerifyError::Internal(error.into())
    }
}
