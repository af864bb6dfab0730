//! A program that answers line by line on its standard input and output.
//!
//! It is the user's program; only its time is limited. Threads read and write the streams, so that a program that does neither can be
//! stopped at any time.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_exec::dialogue::{Dialogue as Talk, Ended, Heard, Variable};

use super::{LINGER, PAUSE, Running, ended, in_background, last_of};

/// The length limit of a line, in bytes.
const LONGEST: u64 = 1 << 20;
/// The time between two checks of the budget while no line arrives.
const LOOK: Duration = Duration::from_millis(20);

/// A running program with its streams. It is ended when this value is dropped.
pub(crate) struct Dialogue {
    running: Running,
    /// Lines to write. Dropping the sender closes the program's standard input.
    input: Option<Sender<String>>,
    lines: Receiver<(Heard, Instant)>,
    messages: Option<Receiver<Vec<u8>>>,
}

impl Dialogue {
    /// Starts a program with additional environment variables.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(words: &[OsString], variables: &[Variable]) -> std::io::Result<Dialogue> {
        let mut command = own_command(words);
        command
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = Running::start(&mut command)?;
        let (input, to_write) = channel::<String>();
        if let Some(mut stream) = running.0.stdin.take() {
            std::thread::spawn(move || {
                for line in to_write {
                    // A program that does not read gives no answer, which is reported later.
                    if stream.write_all(line.as_bytes()).is_err() || stream.flush().is_err() {
                        return;
                    }
                }
            });
        }
        let (said, lines) = channel();
        if let Some(stream) = running.0.stdout.take() {
            std::thread::spawn(move || read_lines(stream, &said));
        }
        let messages = running.0.stderr.take();
        let messages = messages.map(|stream| in_background(move || last_of(stream)));
        Ok(Dialogue {
            running,
            input: Some(input),
            lines,
            messages,
        })
    }
}

impl Talk for Dialogue {
    fn say(&mut self, mut line: String) {
        line.push('\n');
        if let Some(input) = &self.input {
            // A missing answer is reported later, as above.
            let _ = input.send(line);
        }
    }

    fn listen(&mut self, budget: &Budget) -> Result<Heard, Stop> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok((heard, _)) => return Ok(heard),
                Err(RecvTimeoutError::Disconnected) => return Ok(Heard::End),
                Err(RecvTimeoutError::Timeout) => budget.check()?,
            }
        }
    }

    fn hear(&mut self, within: Duration) -> Option<(Heard, Duration)> {
        match self.lines.recv_timeout(within) {
            Ok((heard, when)) => Some((heard, when.elapsed())),
            Err(RecvTimeoutError::Disconnected) => Some((Heard::End, Duration::ZERO)),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    fn hang_up(&mut self) {
        self.input = None;
    }

    fn ended(&mut self, budget: &Budget) -> Result<Ended, Stop> {
        while !self.running.has_ended() {
            budget.check()?;
            std::thread::sleep(PAUSE);
        }
        let status = self.running.end();
        let messages = self.messages.take();
        let messages = messages.and_then(|stream| stream.recv_timeout(LINGER).ok());
        let messages = messages.unwrap_or_default();
        Ok(match status {
            Ok(status) => Ended {
                is_success: status.success(),
                how: ended(status, &String::from_utf8_lossy(&messages)),
            },
            // An unknown status counts as a failure.
            Err(error) => Ended {
                is_success: false,
                how: format!("its exit status is unknown: {error}"),
            },
        })
    }
}

/// Returns a command without resource limits. Its process group can be ended as a unit.
pub(super) fn own_command(words: &[OsString]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().cloned().unwrap_or_default());
    command.args(words);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    command
}

/// Sends each line with its time to `said`, until the stream ends, a line is too long or not UTF-8, or the receiver is dropped.
fn read_lines(stream: impl Read, said: &Sender<(Heard, Instant)>) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut bytes = Vec::new();
        let read = (&mut stream)
            .take(LONGEST + 1)
            .read_until(b'\n', &mut bytes);
        let heard = match read {
            Ok(0) | Err(_) => Heard::End,
            Ok(_) if bytes.len() as u64 > LONGEST => {
                Heard::Noise("it wrote a line of more than a megabyte")
            }
            Ok(_) => match String::from_utf8(bytes) {
                Ok(text) => Heard::Line(text.trim_end_matches(['\n', '\r']).to_owned()),
                Err(_) => Heard::Noise("it wrote a line that is not UTF-8"),
            },
        };
        let is_last = matches!(heard, Heard::End | Heard::Noise(_));
        if said.send((heard, Instant::now())).is_err() || is_last {
            return;
        }
    }
}
