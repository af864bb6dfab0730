//! Reasons why a question about steps has no answer.

use hyperkill_core::bit_blast::BitBlastError;
use hyperkill_core::budget::Stop;
use hyperkill_core::term::TermError;

use crate::safety::SafetyError;

/// The reason why a question about steps has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undone {
    /// The budget or another limit ended the search.
    #[error("the limit came first")]
    Stopped(Stop),
    /// Too many instances of a condition were needed to eliminate its inputs.
    #[error("there are too many choices to try")]
    TooMany,
    /// A term could not be built or evaluated, which is a bug in hyperkill.
    #[error("{0}")]
    Term(#[from] TermError),
    /// A circuit could not be built, which is a bug in hyperkill.
    #[error("{0}")]
    Circuit(#[from] BitBlastError),
    /// Evidence did not check, which is a bug in hyperkill.
    #[error("{0}")]
    Evidence(#[from] SafetyError),
    /// The run does not end in a state without a step, which is a bug in hyperkill.
    #[error("the state found has a step")]
    HasStep,
}
