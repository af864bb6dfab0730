//! Why tests cannot be written in a form.

use std::error::Error;
use std::fmt;
use std::io;

/// The tests cannot be written so.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// They have no such form, or are not about this model.
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
    /// The runs that a folder has kept are not of its model.
    #[error(transparent)]
    Evidence(Box<dyn Error + Send + Sync>),
    /// A mistake of this program.
    #[error("{0}")]
    Internal(String),
}

impl ExportError {
    /// Without advice.
    pub(crate) fn unsuited(message: impl fmt::Display) -> ExportError {
        ExportError::Unsuited {
            message: message.to_string(),
            help: None,
        }
    }

    /// With advice, which only the user's mistakes have.
    #[must_use]
    pub(crate) fn with_help(mut self, advice: &str) -> ExportError {
        if let ExportError::Unsuited { help, .. } = &mut self {
            *help = Some(advice.to_owned());
        }
        self
    }
}

/// Waveforms are written to memory, where nothing fails.
impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> ExportError {
        ExportError::Internal(error.to_string())
    }
}
