//! Options that do not fit a model.

/// An option that does not fit the model, for example a name or pattern without a match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unfit {
    /// The option, and the reason.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

impl Unfit {
    /// Returns a refusal without advice.
    pub fn new(message: impl Into<String>) -> Unfit {
        Unfit {
            message: message.into(),
            help: None,
        }
    }

    /// Returns the refusal with advice added.
    #[must_use]
    pub fn with_help(mut self, advice: impl Into<String>) -> Unfit {
        self.help = Some(advice.into());
        self
    }
}
