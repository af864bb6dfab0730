//! A position in a file, and the tokens of AIGER. It reads bytes and knows no circuits.

use super::error::{AigerError, AigerErrorKind, Location, Section};

/// Reads tokens from the front of a file.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The part of the file that is being read, for error messages.
    pub(super) section: Section,
    /// The byte offset up to which the file is text, where errors have a line: the first gate of a binary file, else no limit.
    pub(super) text_until: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor {
            bytes,
            at: 0,
            section: Section::Header,
            text_until: usize::MAX,
        }
    }

    /// Returns the byte offset of the next token.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the length of the file.
    pub(super) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Returns an error at a byte offset of the current section.
    #[cold]
    pub(super) fn error_at(&self, at: usize, kind: AigerErrorKind) -> AigerError {
        self.error_in(self.section, at, kind)
    }

    /// Returns an error at a byte offset of a section that has been read. It has a line only in the part of the file that is text.
    #[cold]
    pub(super) fn error_in(&self, section: Section, at: usize, kind: AigerErrorKind) -> AigerError {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let line_column = (at < self.text_until).then(|| {
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let start = before.iter().rposition(|&byte| byte == b'\n');
            (
                line,
                before.len() - start.map_or(0, |newline| newline + 1) + 1,
            )
        });
        AigerError {
            location: Location {
                byte: at,
                line_column,
                section,
            },
            kind,
        }
    }

    /// Returns the error that the next token is not the expected one.
    #[cold]
    pub(super) fn unexpected(&self, expected: &'static str) -> AigerError {
        let kind = match self.rest() {
            [] => AigerErrorKind::Truncated { expected },
            [b'\n', ..] => AigerErrorKind::Expected {
                expected,
                found: "end of line".to_owned(),
            },
            rest => {
                let word = rest.iter().take(20);
                let length = word.take_while(|byte| !byte.is_ascii_whitespace()).count();
                let length = length.max(1);
                AigerErrorKind::Expected {
                    expected,
                    found: format!("`{}`", rest[..length].escape_ascii()),
                }
            }
        };
        self.error_at(self.at, kind)
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8, expected: &'static str) -> Result<(), AigerError> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    pub(super) fn newline(&mut self) -> Result<(), AigerError> {
        self.byte(b'\n', "end of line")
    }

    #[inline]
    pub(super) fn space(&mut self) -> Result<(), AigerError> {
        self.byte(b' ', "a single space")
    }

    /// Reads an unsigned decimal number of at most `limit`.
    #[inline]
    pub(super) fn number(&mut self, expected: &'static str, limit: u64) -> Result<u64, AigerError> {
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            // Every limit is far below u64::MAX / 10, so an overflow is detected before it happens.
            value = value * 10 + u64::from(digit - b'0');
            if value > limit {
                return Err(self.error_at(start, AigerErrorKind::TooLarge { limit }));
            }
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected(expected));
        }
        Ok(value)
    }

    /// Reads a number of the binary format, which encodes a gate's operands by differences: 7 bits per byte, least significant first; the
    /// top bit marks continuation.
    #[inline]
    pub(super) fn delta(&mut self) -> Result<u64, AigerError> {
        let start = self.at;
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let Some(byte) = self.peek() else {
                return Err(self.unexpected("a gate's delta"));
            };
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        let limit = u64::from(u32::MAX);
        Err(self.error_at(start, AigerErrorKind::TooLarge { limit }))
    }

    /// Reads the rest of the line; its end must exist.
    pub(super) fn line(&mut self) -> Result<&'a [u8], AigerError> {
        let rest = self.rest();
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            self.at = self.bytes.len();
            return Err(self.unexpected("end of line"));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }
}
