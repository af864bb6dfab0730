//! Errors of hyperkill that can appear while a mutant is decided.

use hyperkill_certify::{CertifyError, ReplayError};

use crate::question::QuestionError;

/// Evidence that did not check, or a formula that could not be composed. Either is a bug in hyperkill and no property of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecideError {
    /// The certifier refuted a proof.
    #[error("the proof for mutant {mutant} did not check: {source}")]
    Proof {
        /// The id of the mutant.
        mutant: String,
        /// The certifier's error.
        source: CertifyError,
    },
    /// The certifier could not replay a kill.
    #[error("the test for mutant {mutant} did not replay: {source}")]
    Kill {
        /// The id of the mutant.
        mutant: String,
        /// The certifier's error.
        source: ReplayError,
    },
    /// A killing formula could not be lowered to a circuit.
    #[error(transparent)]
    Formula(#[from] QuestionError),
}
