//! Errors and warnings about a model with their places, as plain data that `cli` renders.

use serde::{Deserialize, Serialize};

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model is probably not what its author intends.
    Warning,
}

/// A remark on another place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Label {
    /// The place that the remark is about.
    pub span: Span,
    /// The thing at this place, in a few words.
    pub message: String,
}

/// An error or warning about a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether this is an error or a warning.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The place; `None` for an option.
    pub span: Option<Span>,
    /// Remarks on other places.
    pub labels: Vec<Label>,
    /// A suggestion for the user.
    pub help: Option<String>,
    /// Whether the error is in an option, not in the model.
    #[serde(default)]
    pub about_option: bool,
}

impl Diagnostic {
    /// Returns an error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            labels: Vec::new(),
            help: None,
            about_option: false,
        }
    }

    /// Returns an error without a place.
    pub fn unlocated(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span: None,
            ..Diagnostic::error(Span::default(), message)
        }
    }

    /// Returns an error about an option that does not fit the model. `near` is a suggestion ([`crate::did_you_mean`]).
    pub fn option(message: impl Into<String>, near: Option<String>) -> Diagnostic {
        Diagnostic {
            about_option: true,
            help: near,
            ..Diagnostic::unlocated(message)
        }
    }

    /// Returns the diagnostic with one more remark on another place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// Returns the diagnostic with a suggestion for the user.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// Returns a number with a noun: "1 port", "3 ports". The plural of `thing` must end in s.
#[must_use]
pub fn counted(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        number => format!("{number} {thing}s"),
    }
}
