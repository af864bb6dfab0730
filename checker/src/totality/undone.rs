//! The reasons for which a question about steps has no answer.

use hyperkill_core::bit_blast::BitBlastError;
use hyperkill_core::budget::Stop;
use hyperkill_core::term::TermError;

use crate::safety::SafetyError;

/// Why a question about steps has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undone {
    /// The budget or the limits ended before.
    #[error("the limit came first")]
    Stopped(Stop),
    /// Too many choices had to be tried.
    #[error("there are too many choices to try")]
    TooMany,
    /// A fault of hyperkill: a term that cannot be made or evaluated.
    #[error("{0}")]
    Term(#[from] TermError),
    /// A fault of hyperkill: a circuit that cannot be made.
    #[error("{0}")]
    Circuit(#[from] BitBlastError),
    /// The same: evidence that does not check.
    #[error("{0}")]
    Evidence(#[from] SafetyError),
    /// A fault of hyperkill: the run does not end where a step is missing.
    #[error("the state found has a step")]
    HasStep,
}
