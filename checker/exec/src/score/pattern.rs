//! Recognition of output lines that report failures.

use std::io::{BufRead, BufReader, Read};

use regex::bytes::Regex;

/// Longest piece of a line, in bytes, that a pattern is matched against; longer lines are cut.
const LINE: u64 = 64 << 10;

/// Bytes kept from the end of a stream, for messages.
const MOST_MESSAGES: usize = 4 << 10;

/// A pattern for output lines that report failures.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Expression that the line must match.
    pub says: Regex,
    /// Expression for exceptions: lines that match it do not count.
    pub unless: Option<Regex>,
}

impl Pattern {
    /// Returns the pattern of lines that look like failures: they have a word such as `error`, but no zero count such as `0 errors`.
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

    /// Reads a stream to its end, and returns its last bytes and the first line that matches.
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

/// The kept parts of the output of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Heard {
    /// Last bytes of the stream.
    pub last: Vec<u8>,
    /// First line that the pattern matches.
    pub line: Option<String>,
}
