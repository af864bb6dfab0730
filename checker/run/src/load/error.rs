//! Errors of reading a model.

use hyperkill_core::bit_blast::BitBlastError;
use hyperkill_core::budget::Stop;
use hyperkill_frontend::{Diagnostic, SourceFile};

use crate::unfit::Unfit;

/// A malformed file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}: {message}")]
pub struct Malformed {
    /// The name of the file, as the user gave it.
    pub file: String,
    /// The place and the problem, in one line.
    pub message: String,
    /// The line of the problem with its column (from 0), for text files.
    pub excerpt: Option<(String, usize)>,
    /// Advice.
    pub help: Option<String>,
}

/// The cause of a refusal by a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The model.
    Model,
    /// Options.
    Options,
    /// Options if all diagnostics are about them, and otherwise the model.
    Either,
}

/// A reason why a model cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// An option does not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A file is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The language refuses the model or options.
    #[error("the model is refused")]
    Refused {
        /// The cause.
        blame: Blame,
        /// The texts that the diagnostics refer to.
        sources: Vec<SourceFile>,
        /// The errors; never empty.
        errors: Vec<Diagnostic>,
    },
    /// The model is invalid; the message has no location.
    #[error("{0}")]
    Model(String),
    /// The model cannot be translated to a circuit.
    #[error("{file}: {error}")]
    NoCircuit {
        /// The first file of the model.
        file: String,
        /// The reason.
        error: BitBlastError,
    },
    /// An external front end breaks its protocol.
    #[error("the front end {name}: {what}")]
    Program {
        /// The name of the front end.
        name: String,
        /// The violation.
        what: String,
    },
    /// The deadline has passed, or the user has interrupted the run.
    #[error("stopped while the model was read: {0:?}")]
    Over(Stop),
    /// The list of mutants in a run folder belongs to another model.
    #[error("{0}")]
    Strange(&'static str),
    /// A well-formedness check stopped although it had no limit. This is a bug.
    #[error("the well-formedness check gave up without a limit: {0:?}")]
    GivenUp(Stop),
}
