//! Problems in a model, located, as plain data. Rendering is for `cli`.

use serde::{Deserialize, Serialize};

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model means something that its author may not intend.
    Warning,
}

/// A remark on another place that belongs to the problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// The thing at this place, in a few words.
    pub message: String,
}

/// A problem in a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// Where, unless it has no place (an option).
    pub span: Option<Span>,
    /// Other places that belong to it.
    pub labels: Vec<Label>,
    /// A suggestion for the user.
    pub help: Option<String>,
    /// Whether an option is wrong, not the model.
    #[serde(default)]
    pub about_option: bool,
}

impl Diagnostic {
    /// An error at a place.
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

    /// An error without a place.
    pub fn unlocated(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span: None,
            ..Diagnostic::error(Span::default(), message)
        }
    }

    /// An option that does not fit the model. `near` is what may have been meant ([`crate::did_you_mean`]).
    pub fn option(message: impl Into<String>, near: Option<String>) -> Diagnostic {
        Diagnostic {
            about_option: true,
            help: near,
            ..Diagnostic::unlocated(message)
        }
    }

    /// With a remark on another place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// With advice.
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
