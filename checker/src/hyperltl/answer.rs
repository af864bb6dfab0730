//! Answers about formulas, and the reasons for which there is none.

use hyperkill_certify::CertifyError;
use hyperkill_evidence::answer::Shown;
use hyperkill_evidence::verdict::Reason;
use hyperkill_formulas::compose::ComposeError;

use crate::safety::SafetyError;

/// Whether the model satisfies a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// The formula is true of the model, with evidence.
    Holds,
    /// The formula is false of the model, with evidence.
    Fails,
    /// Neither was shown within the limits.
    Unknown {
        /// No existential traces decide it within so many steps.
        known_to: usize,
        /// What ended the search.
        reason: Reason,
    },
}

/// What is known of a formula, with what shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Whether the model satisfies the formula.
    pub truth: Truth,
    /// The evidence for the answer; `None` if it is unknown.
    pub shown: Option<Shown>,
}

/// Why a formula was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// It has no circuit, or its prefix alternates more than once.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// Evidence did not check: a bug in hyperkill.
    #[error("the evidence did not check: {0}")]
    Evidence(CertifyError),
    /// An invariant or a run did not check: a bug in hyperkill.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// It is a formula, and nothing here decides formulas like it.
    #[error("{0}")]
    Undecided(&'static str),
}
