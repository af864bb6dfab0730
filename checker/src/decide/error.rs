//! Faults of hyperkill that deciding a mutant may show.

use hyperkill_certify::{CertifyError, ReplayError};

use crate::question::QuestionError;

/// Evidence that did not check, or a formula that could not be composed: a bug in hyperkill, never a property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecideError {
    /// A proof was refuted.
    #[error("the proof for mutant {mutant} did not check: {source}")]
    Proof {
        /// Id of the mutant that it was about.
        mutant: String,
        /// What the certifier found wrong.
        source: CertifyError,
    },
    /// A kill did not replay.
    #[error("the test for mutant {mutant} did not replay: {source}")]
    Kill {
        /// Id of the mutant that it was about.
        mutant: String,
        /// What the certifier found wrong.
        source: ReplayError,
    },
    /// A killing formula has no circuit.
    #[error(transparent)]
    Formula(#[from] QuestionError),
}
