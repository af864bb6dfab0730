//! Wishes that do not fit a model.

/// A wish of the user that does not fit the model: a name or pattern that means nothing there.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unfit {
    /// The wish, and the reason.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
}

impl Unfit {
    /// A refusal without advice.
    pub fn new(message: impl Into<String>) -> Unfit {
        Unfit {
            message: message.into(),
            help: None,
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, advice: impl Into<String>) -> Unfit {
        self.help = Some(advice.into());
        self
    }
}
