//! Errors of exports.

use std::error::Error;
use std::fmt;
use std::io;

/// The reason why tests cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The tests cannot have this form, or do not belong to the model.
    #[error("{message}")]
    Unsuited {
        /// The reason.
        message: String,
        /// Advice to the user.
        help: Option<String>,
    },
    /// The model has no circuit.
    #[error("{0}")]
    Model(String),
    /// The kept runs of the folder do not belong to its model.
    #[error(transparent)]
    Evidence(Box<dyn Error + Send + Sync>),
    /// An internal error, as this text says: a bug.
    #[error("{0}")]
    Internal(String),
}

impl ExportError {
    /// Returns the error that tests do not suit the form, with this message and without advice.
    pub(crate) fn unsuited(message: impl fmt::Display) -> ExportError {
        ExportError::Unsuited {
            message: message.to_string(),
            help: None,
        }
    }

    /// Returns the error with advice to the user, if it is one that the user can mend.
    #[must_use]
    pub(crate) fn with_help(mut self, advice: &str) -> ExportError {
        if let ExportError::Unsuited { help, .. } = &mut self {
            *help = Some(advice.to_owned());
        }
        self
    }
}

/// Waveforms are written to memory, so I/O errors are internal.
impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> ExportError {
        ExportError::Internal(error.to_string())
    }
}
