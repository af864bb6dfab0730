//! Recognition of output lines that report failures.

use std::io::{BufRead, BufReader, Read};

use regex::bytes::Regex;

/// Most bytes of a line that a pattern is matched against.
const LINE: u64 = 64 << 10;

/// Bytes kept from the end of a stream, for messages.
const MOST_MESSAGES: usize = 4 << 10;

/// A pattern for output lines.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Matches the line.
    pub says: Regex,
    /// Matches exceptions, which do not count although `says` matches them.
    pub unless: Option<Regex>,
}

impl Pattern {
    /// Returns the pattern of lines that look like failures: a word for failure, without a zero count before it.
    ///
    /// # Errors
    /// If a regular expression is malformed; a test excludes this.
    pub fn of_failures() -> Result<Pattern, regex::Error> {
        let none = r"(?i-u)\b(0|no|zero|without)\s+(\w+\s+)?(fail|error|mismatch|assert)";
        Ok(Pattern {
            says: Regex::new(r"(?i-u)\b(fail(s|ed|ure|ures)?|errors?|mismatch(es)?|assertion)\b")?,
            unless: Some(Regex::new(none)?),
        })
    }

    fn is_in(&self, line: &[u8]) -> bool {
        let is_excepted = (self.unless.as_ref()).is_some_and(|unless| unless.is_match(line));
        self.says.is_match(line) && !is_excepted
    }

    /// Reads a stream to its end.
    #[must_use]
    pub fn heard(&self, stream: impl Read) -> Heard {
        let mut stream = BufReader::new(stream);
        let mut heard = Heard::default();
        let mut line = Vec::new();
        while let Ok(1..) = stream.by_ref().take(LINE).read_until(b'\n', &mut line) {
            let text = line.trim_ascii_end();
            if heard.line.is_none() && self.is_in(text) {
                heard.line = Some(String::from_utf8_lossy(text).into_owned());
            }
            heard.last.append(&mut line);
            let excess = heard.last.len().saturating_sub(MOST_MESSAGES);
            heard.last.drain(..excess);
        }
        heard
    }
}

/// The kept part of a stream.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Heard {
    /// Last bytes of the stream.
    pub last: Vec<u8>,
    /// First line that the pattern matches.
    pub line: Option<String>,
}
