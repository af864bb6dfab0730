//! Models that cannot be read.

use hyperkill_core::bit_blast::BitBlastError;
use hyperkill_core::budget::Stop;
use hyperkill_frontend::{Diagnostic, SourceFile};

use crate::unfit::Unfit;

/// Bytes of a file that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}: {message}")]
pub struct Malformed {
    /// The name of the file, as the user gave it.
    pub file: String,
    /// Where and what, in one line.
    pub message: String,
    /// The line that it is about and the column (from 0), where lines mean something.
    pub excerpt: Option<(String, usize)>,
    /// Advice.
    pub help: Option<String>,
}

/// What is wrong where a language refuses a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The model.
    Model,
    /// Options.
    Options,
    /// Options if all diagnostics are about them, and otherwise the model.
    Either,
}

/// Why a model cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The wishes of the user do not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A file is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The language refuses the model, or options.
    #[error("the model is refused")]
    Refused {
        /// What is wrong.
        blame: Blame,
        /// The texts that the diagnostics refer to.
        sources: Vec<SourceFile>,
        /// The errors; never empty.
        errors: Vec<Diagnostic>,
    },
    /// The model is invalid, without a place.
    #[error("{0}")]
    Model(String),
    /// The model has no circuit.
    #[error("{file}: {error}")]
    NoCircuit {
        /// Its first file.
        file: String,
        /// The reason.
        error: BitBlastError,
    },
    /// A front end that is another program does not do what is agreed.
    #[error("the front end {name}: {what}")]
    Program {
        /// Its name.
        name: String,
        /// What it does.
        what: String,
    },
    /// The time is over, or the user wants to stop.
    #[error("stopped while the model was read: {0:?}")]
    Over(Stop),
    /// A list that a run has kept is not of this model.
    #[error("{0}")]
    Strange(&'static str),
    /// A check gave up without a limit: a bug.
    #[error("the well-formedness check gave up without a limit: {0:?}")]
    GivenUp(Stop),
}
