//! The outside, as one value: standard streams, terminals, interruption and the clock.
//!
//! Commands are given an [`Io`] and touch no stream of their own, so that tests can run them in process.

use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyperkill_core::budget::Clock;
use hyperkill_core::budget::memory::Meter;

use crate::files::Disk;
use crate::watch::Watch;

/// Standard streams and what is known of them.
pub struct Io {
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// Standard output: results only.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error: messages and progress.
    pub stderr: Box<dyn Write + Send>,
    /// Whether a person looks at the results.
    pub stdout_is_terminal: bool,
    /// Whether a person looks at the messages.
    pub stderr_is_terminal: bool,
    /// Whether the environment asks for no colours (`NO_COLOR`).
    pub no_color: bool,
    /// Becomes true when the user wants to stop.
    pub interrupt: Arc<AtomicBool>,
    /// Where files go.
    pub disk: Disk,
    /// What may be left at any moment, for the thread that watches; nobody does in tests.
    pub(crate) watch: Arc<Watch>,
}

impl Io {
    /// The streams of this process. Standard output ends quietly when its reader leaves.
    #[must_use]
    pub fn of_process() -> Io {
        Io {
            stdin: Box::new(io::stdin()),
            stdout: Box::new(UntilClosed::new(io::BufWriter::new(io::stdout()))),
            stderr: Box::new(UntilClosed::new(io::stderr())),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            interrupt: Arc::new(AtomicBool::new(false)),
            disk: Disk::default(),
            watch: Arc::default(),
        }
    }

    /// Streams for tests: the given standard input, and everything written captured.
    #[must_use]
    pub fn captured(stdin: impl Into<Vec<u8>>) -> (Io, Captured) {
        let captured = Captured::default();
        let io = Io {
            stdin: Box::new(io::Cursor::new(stdin.into())),
            stdout: Box::new(captured.stdout.clone()),
            stderr: Box::new(captured.stderr.clone()),
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            no_color: true,
            interrupt: Arc::new(AtomicBool::new(false)),
            disk: Disk::default(),
            watch: Arc::default(),
        };
        (io, captured)
    }
}

/// What was written to captured streams.
#[derive(Clone, Default, Debug)]
pub struct Captured {
    /// Standard output.
    pub stdout: Buffer,
    /// Standard error.
    pub stderr: Buffer,
}

/// Bytes written by one owner and read by another.
#[derive(Clone, Default, Debug)]
pub struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// Everything written so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Everything written so far, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream that swallows everything once its reader has left: `hyperkill … | head` is no error, and a run
/// goes on to write its folder.
struct UntilClosed<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> UntilClosed<W> {
    fn new(inner: W) -> UntilClosed<W> {
        UntilClosed {
            inner,
            closed: false,
        }
    }

    fn unless_closed<T>(&mut self, result: io::Result<T>, otherwise: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.unless_closed(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.unless_closed(result, ())
    }
}

/// Time since the program started.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The memory of this process that is in use, where the system says it (Linux).
#[derive(Clone, Copy, Debug)]
pub struct SystemMeter;

impl Meter for SystemMeter {
    fn used(&self) -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::BrokenPipe.into())
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_meter_sees_what_is_used() {
        let before = SystemMeter.used().unwrap();
        let block = vec![1_u8; 64 << 20];
        let after = SystemMeter.used().unwrap();
        assert!(after >= before + (32 << 20), "{before}, then {after}");
        drop(block);
    }

    #[test]
    fn a_reader_that_left_is_no_error() {
        let mut stream = UntilClosed::new(Closed);
        assert!(stream.write_all(b"result").is_ok());
        assert!(stream.flush().is_ok());
        assert!(stream.closed);
    }
}
