//! Answers about formulas, and reasons for missing answers.

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
    /// The formula was neither proved nor refuted within the limits.
    Unknown {
        /// No existential traces of at most this many steps decide the formula.
        known_to: usize,
        /// The limit that ended the search.
        reason: Reason,
    },
}

/// The answer to the question whether the model satisfies a formula, with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Whether the model satisfies the formula.
    pub truth: Truth,
    /// The evidence for the answer; `None` if the answer is unknown.
    pub shown: Option<Shown>,
}

/// The reason why a formula was not decided, other than a limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormulaError {
    /// The formula has no circuit, or its prefix alternates more than once.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// Evidence did not check, which is a bug in hyperkill.
    #[error("the evidence did not check: {0}")]
    Evidence(CertifyError),
    /// An invariant or a run did not check, which is a bug in hyperkill.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// No method decides formulas of this kind, which the text describes.
    #[error("{0}")]
    Undecided(&'static str),
}
