//! The environment of a command as one value: standard streams, terminals, interrupts and the clock.
//!
//! Commands use an [`Io`] in place of the process's streams, so that tests can run them in process.

use std::io::{self, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyperkill_core::budget::Clock;
use hyperkill_core::budget::memory::Meter;

use crate::files::Disk;
use crate::watch::Watch;

/// Standard streams and their properties.
pub struct Io {
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// Standard output: results only.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error: messages and progress.
    pub stderr: Box<dyn Write + Send>,
    /// Whether standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// Whether the environment disables colours (`NO_COLOR`).
    pub no_color: bool,
    /// Set when the user interrupts the command.
    pub interrupt: Arc<AtomicBool>,
    /// The disk for files.
    pub disk: Disk,
    /// The current stage, for the watching thread. Tests have no such thread.
    pub(crate) watch: Arc<Watch>,
}

impl Io {
    /// Returns the streams of this process. After its reader closes standard output, later output is dropped.
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

    /// Returns streams for tests: the given standard input, and buffers for the output.
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

/// The output of captured streams.
#[derive(Clone, Default, Debug)]
pub struct Captured {
    /// Standard output.
    pub stdout: Buffer,
    /// Standard error.
    pub stderr: Buffer,
}

/// A buffer with one writer and one reader.
#[derive(Clone, Default, Debug)]
pub struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// Returns all bytes so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns all bytes so far, as text.
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

/// A stream that drops its output after the reader has closed it. So `hyperkill … | head` is not an error, and a run still writes its
/// folder.
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

/// The time since the program started.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// Returns a clock that starts now.
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

/// The memory use of this process, on systems that report it (Linux).
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
