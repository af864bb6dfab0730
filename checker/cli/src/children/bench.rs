//! The user's own program, run to its end: under no limits but the clock's. Its last words are kept, and the first line that a pattern
//! matches.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;
use regex::bytes::Regex;

use super::dialogue::own_command;
use super::{Ended, LINGER, MOST_MESSAGES, PAUSE, Running, in_background};

/// Bytes of a line that a pattern is compared with.
const LINE: u64 = 64 << 10;

/// Lines of output that are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// Matches the line.
    pub(crate) says: Regex,
    /// Matches exceptions: lines that are not meant although `says` matches them.
    pub(crate) unless: Option<Regex>,
}

impl Pattern {
    fn is_in(&self, line: &[u8]) -> bool {
        let is_excepted = (self.unless.as_ref()).is_some_and(|unless| unless.is_match(line));
        self.says.is_match(line) && !is_excepted
    }
}

/// A program of the user's that has ended by itself.
pub(crate) struct Watched {
    /// How it ended.
    pub(crate) ended: Ended,
    /// The first line that the pattern matches: of standard error, or else of standard output.
    pub(crate) line: Option<String>,
}

/// What is kept of a stream.
#[derive(Default)]
struct Heard {
    last: Vec<u8>,
    line: Option<String>,
}

/// Runs a program that reads nothing.
///
/// # Errors
/// If it cannot be started, or its time is over.
pub(crate) fn run_own(
    words: &[OsString],
    variables: &[(&str, OsString)],
    pattern: &Pattern,
    budget: &Budget,
) -> Result<Watched, Trouble> {
    let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
    let mut command = own_command(words);
    command
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(&mut command).map_err(missing)?;
    let stdout = running.0.stdout.take();
    let stdout = stdout.map(|stream| {
        let pattern = pattern.clone();
        in_background(move || heard(stream, &pattern))
    });
    let stderr = running.0.stderr.take();
    let stderr = stderr.map(|stream| {
        let pattern = pattern.clone();
        in_background(move || heard(stream, &pattern))
    });
    while !running.has_ended() {
        if let Some(stop) = budget.stopped() {
            return Err(Trouble::Stopped(stop));
        }
        std::thread::sleep(PAUSE);
    }
    let status = running.end().map_err(missing)?;
    let kept = |stream: Option<std::sync::mpsc::Receiver<Heard>>| {
        let heard = stream.and_then(|stream| stream.recv_timeout(LINGER).ok());
        heard.unwrap_or_default()
    };
    let (stdout, stderr) = (kept(stdout), kept(stderr));
    // Benches say on either what they have found.
    let last = match stderr.last.trim_ascii().is_empty() {
        true => stdout.last,
        false => stderr.last,
    };
    Ok(Watched {
        ended: Ended {
            status,
            stdout: Vec::new(),
            messages: String::from_utf8_lossy(&last).into_owned(),
        },
        line: stderr.line.or(stdout.line),
    })
}

/// Reads a stream to its end.
fn heard(stream: impl Read, pattern: &Pattern) -> Heard {
    let mut stream = BufReader::new(stream);
    let mut heard = Heard::default();
    let mut line = Vec::new();
    while let Ok(1..) = stream.by_ref().take(LINE).read_until(b'\n', &mut line) {
        let text = line.trim_ascii_end();
        if heard.line.is_none() && pattern.is_in(text) {
            heard.line = Some(String::from_utf8_lossy(text).into_owned());
        }
        heard.last.append(&mut line);
        let excess = heard.last.len().saturating_sub(MOST_MESSAGES);
        heard.last.drain(..excess);
    }
    heard
}
