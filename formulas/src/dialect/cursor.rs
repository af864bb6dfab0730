//! A position in a text, shared by the readers of other languages.

use crate::ast::TraceVar;
use crate::parser::{MAX_DEPTH, ParseError, ParseErrorKind};

/// A position in a text, with the number of levels of nesting that may follow.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The end of the readable text.
    end: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        let mut cursor = Cursor {
            text,
            at: 0,
            end: text.len(),
            depth: MAX_DEPTH,
        };
        cursor.skip_blanks();
        cursor
    }

    /// Returns the text that has not been read.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    /// Returns a cursor for the next `length` bytes only.
    pub(super) fn until(&self, length: usize) -> Cursor<'a> {
        Cursor {
            end: self.at + length,
            ..*self
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.end);
    }

    /// Skips blanks, line ends, and comments from `--` to the end of the line.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.skip(blank);
            if !self.rest().starts_with("--") {
                return;
            }
            let line = self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip(line);
        }
    }

    /// Reads this sign and the blanks after it, if the sign is next. Returns whether it was.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.skip(sign.len());
            self.skip_blanks();
        }
        is_next
    }

    pub(super) fn require(
        &mut self,
        sign: &'static str,
        expected: &'static str,
    ) -> Result<(), ParseError> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.expected(expected)),
        }
    }

    /// Returns the longest beginning of the rest whose characters all fit, without reading it.
    pub(super) fn span(&self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())]
    }

    /// Reads the name of a trace variable.
    pub(super) fn trace_name(&mut self) -> Result<&'a str, ParseError> {
        let name = self.span(|c| c.is_alphanumeric() || matches!(c, '_' | '\''));
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected("a trace variable"));
        }
        self.skip(name.len());
        self.skip_blanks();
        Ok(name)
    }

    /// Reads the name of a trace variable that must be among `bound`.
    pub(super) fn bound(&mut self, bound: &[TraceVar]) -> Result<TraceVar, ParseError> {
        let at = *self;
        let trace = TraceVar::new(self.trace_name()?);
        match bound.contains(&trace) {
            true => Ok(trace),
            false => Err(at.wrong(ParseErrorKind::Unbound(trace.0))),
        }
    }

    /// Reads a decimal number with an optional sign.
    pub(super) fn number(&mut self) -> Result<i64, ParseError> {
        let at = *self;
        let sign = usize::from(self.rest().starts_with('-'));
        let mut digits = *self;
        digits.skip(sign);
        let length = sign + digits.span(|c| c.is_ascii_digit()).len();
        let number = &self.rest()[..length];
        if length == sign {
            return Err(self.expected("a number"));
        }
        self.skip(length);
        self.skip_blanks();
        number
            .parse()
            .map_err(|_| at.wrong(ParseErrorKind::NumberTooLarge))
    }

    /// Enters one more level of nesting.
    ///
    /// # Errors
    /// If no level remains.
    pub(super) fn descend(&mut self) -> Result<(), ParseError> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(self.wrong(ParseErrorKind::TooDeep)),
        }
    }

    pub(super) fn ascend(&mut self) {
        self.depth += 1;
    }

    /// Returns the error that another token was expected here.
    pub(super) fn expected(&self, what: &'static str) -> ParseError {
        ParseError::expected(self.text, self.at, vec![what])
    }

    pub(super) fn wrong(&self, kind: ParseErrorKind) -> ParseError {
        ParseError::at(self.text, self.at, kind)
    }
}
