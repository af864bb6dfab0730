//! Located syntax errors: where reading stopped, what could have stood there, what stands there.

use std::fmt;

use nom::error::{ErrorKind, ParseError as NomError};

use super::word::word_at;

/// How many levels of operators and parentheses a formula may have; chains of `&` and of `|` are one level each.
pub const MAX_DEPTH: usize = 200;

/// Why a text is no formula, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ParseError {
    /// Byte offset in the text.
    pub offset: usize,
    /// Line in the text, counted from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseErrorKind {
    /// Something else should stand here.
    Unexpected {
        /// What could stand here.
        expected: Vec<&'static str>,
        /// What does; empty at the end of the text.
        found: String,
    },
    /// A trace variable that no quantifier binds.
    Unbound(String),
    /// A trace variable that two quantifiers bind.
    Repeated(String),
    /// A number that no sort can hold.
    NumberTooLarge,
    /// A trajectory is quantified: the formula is one of asynchronous HyperLTL, which is read and not decided.
    Asynchronous(String),
    /// Operators and parentheses nested beyond [`MAX_DEPTH`].
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
    /// An error at this byte of a text.
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

    /// Something else should stand at this byte of a text.
    pub(crate) fn expected(text: &str, offset: usize, expected: Vec<&'static str>) -> ParseError {
        let found = word_at(&text[offset..]).to_owned();
        ParseError::at(text, offset, ParseErrorKind::Unexpected { expected, found })
    }
}

/// An error while parsing: located by how much text was left.
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

    /// `what` should stand at `input`.
    pub(super) fn expected(input: &str, what: &'static str) -> Rejection {
        let kind = ParseErrorKind::Unexpected {
            expected: vec![what],
            found: String::new(),
        };
        Rejection::new(input, kind)
    }

    /// The same error under a wider name, if nothing of `input` was understood at all.
    pub(super) fn at_start_of(self, input: &str, what: &'static str) -> Rejection {
        match self.kind {
            ParseErrorKind::Unexpected { .. } if self.remaining == input.len() => {
                Rejection::expected(input, what)
            }
            _ => self,
        }
    }

    /// The error with its place in the whole text.
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

    /// Of two alternatives the one that understood more is what the writer meant.
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
