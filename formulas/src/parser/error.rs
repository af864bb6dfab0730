//! Located syntax errors: the position, the tokens expected there, and the token found.

use std::fmt;

use nom::error::{ErrorKind, ParseError as NomError};

use super::word::word_at;

/// Limit of nested operators and parentheses in a formula; a chain of `&` or of `|` is one level.
pub const MAX_DEPTH: usize = 200;

/// The error that a text is no formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ParseError {
    /// The byte offset in the text.
    pub offset: usize,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The kind of the error.
    pub kind: ParseErrorKind,
}

/// The kind of a syntax error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseErrorKind {
    /// Another token was expected here.
    Unexpected {
        /// The expected tokens.
        expected: Vec<&'static str>,
        /// The token found; empty at the end of the text.
        found: String,
    },
    /// No quantifier binds a trace variable.
    Unbound(String),
    /// Two quantifiers bind one trace variable.
    Repeated(String),
    /// A number is too large for any sort.
    NumberTooLarge,
    /// A trajectory is quantified: the formula belongs to asynchronous HyperLTL, which is parsed and not decided.
    Asynchronous(String),
    /// Operators and parentheses are nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseErrorKind::Unexpected { expected, found } => {
                f.write_str("expected ")?;
                for (i, what) in expected.iter().enumerate() {
                    let separator = match i {
                        0 => "",
                        _ if i + 1 == expected.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{what}")?;
                }
                match found.as_str() {
                    "" => f.write_str(", found the end of the formula"),
                    found => write!(f, ", found `{found}`"),
                }
            }
            ParseErrorKind::Unbound(trace) => {
                write!(f, "no quantifier binds the trace variable `{trace}`")
            }
            ParseErrorKind::Repeated(trace) => {
                write!(f, "the trace variable `{trace}` is bound twice")
            }
            ParseErrorKind::NumberTooLarge => f.write_str("the number is too large"),
            ParseErrorKind::Asynchronous(trajectory) => write!(
                f,
                "`{trajectory}` is a trajectory: formulas of asynchronous HyperLTL are read and not decided"
            ),
            ParseErrorKind::TooDeep => {
                write!(f, "nested more than {} levels deep", MAX_DEPTH)
            }
        }
    }
}

impl ParseError {
    /// Returns an error at this byte of a text.
    pub(crate) fn at(text: &str, offset: usize, kind: ParseErrorKind) -> ParseError {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            offset,
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            kind,
        }
    }

    /// Returns the error that other tokens were expected at this byte of a text.
    pub(crate) fn expected(text: &str, offset: usize, expected: Vec<&'static str>) -> ParseError {
        let found = word_at(&text[offset..]).to_owned();
        ParseError::at(text, offset, ParseErrorKind::Unexpected { expected, found })
    }
}

/// An error during parsing, located by the length of the remaining text.
#[derive(Debug)]
pub(super) struct Rejection {
    remaining: usize,
    kind: ParseErrorKind,
}

impl Rejection {
    pub(super) fn new(input: &str, kind: ParseErrorKind) -> Rejection {
        Rejection {
            remaining: input.len(),
            kind,
        }
    }

    /// Returns the error that `what` was expected at `input`.
    pub(super) fn expected(input: &str, what: &'static str) -> Rejection {
        let kind = ParseErrorKind::Unexpected {
            expected: vec![what],
            found: String::new(),
        };
        Rejection::new(input, kind)
    }

    /// Returns the error that `what` was expected at `input`, if something else was expected there; an error at a later place is unchanged.
    pub(super) fn at_start_of(self, input: &str, what: &'static str) -> Rejection {
        match self.kind {
            ParseErrorKind::Unexpected { .. } if self.remaining == input.len() => {
                Rejection::expected(input, what)
            }
            _ => self,
        }
    }

    /// Returns the error with its location in the text.
    pub(super) fn locate(self, text: &str) -> ParseError {
        let offset = text.len() - self.remaining;
        match self.kind {
            ParseErrorKind::Unexpected { expected, .. } => {
                ParseError::expected(text, offset, expected)
            }
            other => ParseError::at(text, offset, other),
        }
    }
}

impl NomError<&str> for Rejection {
    fn from_error_kind(input: &str, _: ErrorKind) -> Rejection {
        let kind = ParseErrorKind::Unexpected {
            expected: Vec::new(),
            found: String::new(),
        };
        Rejection::new(input, kind)
    }

    fn append(_: &str, _: ErrorKind, other: Rejection) -> Rejection {
        other
    }

    /// Returns the error of the alternative that read more, which is probably the intended one.
    fn or(self, other: Rejection) -> Rejection {
        use std::cmp::Ordering;
        match self.remaining.cmp(&other.remaining) {
            Ordering::Less => self,
            Ordering::Greater => other,
            Ordering::Equal => match (self.kind, other.kind) {
                (
                    ParseErrorKind::Unexpected { mut expected, .. },
                    ParseErrorKind::Unexpected { expected: more, .. },
                ) => {
                    expected.extend(more);
                    Rejection {
                        remaining: self.remaining,
                        kind: ParseErrorKind::Unexpected {
                            expected,
                            found: String::new(),
                        },
                    }
                }
                (kind, _) => Rejection {
                    remaining: self.remaining,
                    kind,
                },
            },
        }
    }
}
