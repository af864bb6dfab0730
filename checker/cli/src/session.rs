//! The environment of a command: streams, global options, colours, messages and the budget.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use hyperkill_core::budget::ledger::Ledger;
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_frontend::{Diagnostic, SourceFile};

use crate::args::{ColorChoice, Format, Global, Jobs, LogFormat};
use crate::diagnostics;
use crate::documents::{self, LogLevel, LogLine, Progress, build};
use crate::failure::Failure;
use crate::io::{Io, SystemClock};
use crate::log_lines;
use crate::terminal::{harmless, shown};
use crate::watch::Open;
use hyperkill_report::text::Style;
use hyperkill_report::text::diagnostics::located;

/// The level of a message: `-q` hides warnings and notes; `-v` shows details.
pub(crate) use hyperkill_run::sink::Level;

/// The environment of a command.
pub struct Session<'io> {
    /// Standard streams, the interrupt and the disk.
    pub io: &'io mut Io,
    /// The format of results.
    pub format: Format,
    /// The format of messages.
    log_format: LogFormat,
    /// The number of threads: as the user gives it, otherwise one for each core.
    pub jobs: usize,
    /// The number of threads that the user gives; `None` if the user gives none.
    pub jobs_asked_for: Option<usize>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The colours of results.
    pub style: Style,
    /// The colours of messages.
    pub message_style: Style,
    /// Whether a model may include files anywhere.
    pub allow_outside: bool,
    /// The options that determine the results, for the run folder.
    pub asked: Vec<String>,
    /// A clock that measures the time since the command started.
    pub clock: SystemClock,
    /// The record of where the time of the command goes.
    pub ledger: Arc<Ledger>,
    /// The deadline of the command, in time of the clock.
    deadline: Option<Duration>,
    verbosity: i16,
    log: Vec<String>,
}

impl<'io> Session<'io> {
    /// Returns a session with these options.
    #[must_use]
    pub fn new(io: &'io mut Io, global: &Global) -> Session<'io> {
        let clock = SystemClock::start();
        Session {
            format: global.format,
            log_format: global.log_format,
            jobs: global.jobs.unwrap_or_else(Jobs::of_machine).count(),
            jobs_asked_for: global.jobs.map(Jobs::count),
            seed: global.seed,
            style: Style::new(colored(global.color, io.stdout_is_terminal, io.no_color)),
            message_style: Style::new(colored(global.color, io.stderr_is_terminal, io.no_color)),
            allow_outside: global.allow_outside,
            asked: Vec::new(),
            clock,
            ledger: Ledger::begin(Arc::new(clock)),
            deadline: None,
            verbosity: i16::from(global.verbose) - i16::from(global.quiet),
            log: Vec::new(),
            io,
        }
    }

    /// Prints a result.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&mut self, text: impl fmt::Display) -> Result<(), Failure> {
        let text = shown(&text.to_string());
        write!(self.io.stdout, "{text}").context("standard output cannot be written")?;
        Ok(())
    }

    /// Does `work`, and hides its warnings and notes, for example if the user has already seen them.
    pub(crate) fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let verbosity = std::mem::replace(&mut self.verbosity, -1);
        let done = work(self);
        self.verbosity = verbosity;
        done
    }

    /// Whether the summary of a run is printed: `-q` is given less than twice.
    #[must_use]
    pub fn wants_summary(&self) -> bool {
        self.verbosity > -2
    }

    /// Whether progress may be drawn: standard error is a terminal, and options allow it.
    #[must_use]
    pub fn draws_progress(&self) -> bool {
        self.io.stderr_is_terminal && self.verbosity >= 0 && self.log_format == LogFormat::Text
    }

    /// Prints a message on standard error if its level is shown, and keeps it for the run's log.
    pub fn say(&mut self, level: Level, text: impl fmt::Display) {
        let word = match level {
            Level::Warning => "warning: ",
            Level::Note | Level::Detail => "",
        };
        self.log_only(format!("{word}{text}"));
        if self.shows(level) && self.log_format == LogFormat::Json {
            let level = match level {
                Level::Warning => LogLevel::Warning,
                Level::Note => LogLevel::Note,
                Level::Detail => LogLevel::Detail,
            };
            self.emit(log_lines::line(level, harmless(&text.to_string())));
        } else if self.shows(level) {
            let word = self.message_style.yellow(word);
            // A message that cannot be written does not fail the command.
            let text = shown(&format!("{word}{text}"));
            let _ = writeln!(self.io.stderr, "{text}");
        }
    }

    /// Prints the progress of a run, for output without a bar.
    pub(crate) fn say_progress(&mut self, progress: Progress) {
        let text = hyperkill_run::pace::line(&progress);
        match self.log_format {
            LogFormat::Text => self.say(Level::Note, text),
            LogFormat::Json => {
                self.log_only(&text);
                if self.shows(Level::Note) {
                    self.emit(LogLine {
                        progress: Some(progress),
                        ..log_lines::line(LogLevel::Note, text)
                    });
                }
            }
        }
    }

    /// Prints a failure at every verbosity.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        match self.log_format {
            LogFormat::Text => self.complain(diagnostics::failure(failure, self.message_style)),
            LogFormat::Json => {
                for line in log_lines::failure(failure) {
                    self.emit(line);
                }
            }
        }
    }

    /// Prints a diagnostic on the user's model at every verbosity.
    pub(crate) fn diagnose(&mut self, sources: &[SourceFile], diagnostic: &Diagnostic) {
        match self.log_format {
            LogFormat::Text => self.complain(located(sources, diagnostic, self.message_style)),
            LogFormat::Json => self.emit(log_lines::diagnostic(sources, diagnostic)),
        }
    }

    /// Writes a line of JSON on standard error.
    fn emit(&mut self, line: LogLine) {
        let line = LogLine {
            seconds: build::seconds(self.clock.now()),
            ..line
        };
        if let Ok(text) = documents::to_line(&line) {
            // A message that cannot be written does not fail the command.
            let _ = write!(self.io.stderr, "{text}");
        }
    }

    /// Prints a text with its own colours and newlines on standard error, at every verbosity.
    fn complain(&mut self, text: impl fmt::Display) {
        let text = shown(&text.to_string());
        // A message that cannot be written does not fail the command.
        let _ = write!(self.io.stderr, "{text}");
    }

    /// Prints a warning on a place in the user's model.
    pub fn warn(&mut self, sources: &[SourceFile], diagnostic: &Diagnostic) {
        self.log_only(format!("warning: {}", diagnostic.message));
        if self.shows(Level::Warning) {
            self.diagnose(sources, diagnostic);
        }
    }

    /// Whether messages of this level are shown.
    #[must_use]
    pub fn shows(&self, level: Level) -> bool {
        let needed = match level {
            Level::Warning | Level::Note => 0,
            Level::Detail => 1,
        };
        self.verbosity >= needed
    }

    /// Adds a line to the run's log only.
    pub fn log_only(&mut self, text: impl fmt::Display) {
        let seconds = self.clock.now().as_secs_f64();
        let text = harmless(&text.to_string());
        self.log.push(format!("[{seconds:10.3}s] {text}"));
    }

    /// Removes and returns the log lines since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// Sets the time limit for the command, counted from its start; `None`: no limit.
    pub fn limit(&mut self, total: Option<Duration>) {
        self.deadline = total;
    }

    /// Returns the deadline of the command, in time of the session's clock; `None`: no limit.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns a budget that ends with an interrupt or at the deadline.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(Arc::new(self.clock), Arc::clone(&self.io.interrupt));
        budget
            .with_ledger(Arc::clone(&self.ledger))
            .within(self.remaining())
    }

    /// Returns the time until the deadline, 0 after it; `None`: no limit.
    fn remaining(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_sub(self.clock.now()))
    }

    /// Opens a stage: work that writes nothing, so that the process may end at any moment. The message is "interrupted while {what}". The
    /// stage ends with the value.
    #[must_use]
    pub(crate) fn stage(&self, what: &'static str) -> Open {
        self.io.watch.stage(what, self.remaining())
    }

    /// Returns the failure of a command that was interrupted or has passed its deadline; `None` if it may go on.
    #[must_use]
    pub fn over(&self) -> Option<Failure> {
        self.budget().stopped().map(Failure::over)
    }

    /// Whether the user has interrupted the command.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.io.interrupt.load(Ordering::Relaxed)
    }
}

/// Whether a stream is coloured: by `choice`, or if it leaves that open, if the stream is a terminal and colours are not turned off by
/// `no_color`.
#[must_use]
pub(crate) fn colored(choice: ColorChoice, is_terminal: bool, no_color: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !no_color,
    }
}
