//! Errors of questions about a model.

use std::error::Error;

use hyperkill_checker::safety::SafetyError;
use hyperkill_checker::totality::Undone;
use hyperkill_core::trace::StimulusError;
use hyperkill_run::folder::Unwritable;
use hyperkill_run::own::Fault;
use hyperkill_run::question::Refused;
use hyperkill_run::unfit::Unfit;

/// The reason why a question about a model has no answer.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The options do not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A formula is malformed, or outside of the decided fragments.
    #[error(transparent)]
    Formula(#[from] Refused),
    /// The model has no circuit, or states a meaningless property.
    #[error("{0}")]
    Model(String),
    /// Evidence does not check: a bug.
    #[error(transparent)]
    Evidence(Box<dyn Error + Send + Sync>),
    /// Evidence of the language does not check.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The totality check ended for a reason that is a bug.
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
