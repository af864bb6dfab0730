//! What every command has at hand: streams, common options, colours, messages and the budget of the run.

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

/// Warnings and notes are hidden by `-q`, details are shown with `-v`.
pub(crate) use hyperkill_run::sink::Level;

/// The surroundings of a command.
pub struct Session<'io> {
    /// The outside.
    pub io: &'io mut Io,
    /// How results are written.
    pub format: Format,
    /// How messages are written.
    log_format: LogFormat,
    /// Threads to use.
    pub jobs: usize,
    /// The same, if the user said it.
    pub jobs_asked_for: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// How results are coloured.
    pub style: Style,
    /// How messages are coloured.
    pub message_style: Style,
    /// Whether what comes with a model may name files anywhere.
    pub allow_outside: bool,
    /// The options that results depend on, as a run writes them down.
    pub asked: Vec<String>,
    /// Time since the command started.
    pub clock: SystemClock,
    /// Where the time goes.
    pub ledger: Arc<Ledger>,
    /// When everything must be over, by that clock.
    deadline: Option<Duration>,
    verbosity: i16,
    log: Vec<String>,
}

impl<'io> Session<'io> {
    /// A session for these options.
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

    /// Writes a result.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&mut self, text: impl fmt::Display) -> Result<(), Failure> {
        let text = shown(&text.to_string());
        write!(self.io.stdout, "{text}").context("standard output cannot be written")?;
        Ok(())
    }

    /// Does work of which the user has heard before, without notes and warnings.
    pub(crate) fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let verbosity = std::mem::replace(&mut self.verbosity, -1);
        let done = work(self);
        self.verbosity = verbosity;
        done
    }

    /// Whether `-q` was given less than twice: the summary of a run is wanted.
    #[must_use]
    pub fn wants_summary(&self) -> bool {
        self.verbosity > -2
    }

    /// Whether progress may be drawn: somebody looks at standard error and does not mind.
    #[must_use]
    pub fn draws_progress(&self) -> bool {
        self.io.stderr_is_terminal && self.verbosity >= 0 && self.log_format == LogFormat::Text
    }

    /// Says something on standard error, if the user wants to hear it, and keeps it for the run's log.
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
            // Messages are a courtesy: nobody can be told that they cannot be written.
            let text = shown(&format!("{word}{text}"));
            let _ = writeln!(self.io.stderr, "{text}");
        }
    }

    /// Says how far a run is, where nobody sees a bar.
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

    /// Says why the command could not do its work, whatever the user wants to hear.
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

    /// Shows something about a place in the user's model, whatever the user wants to hear.
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
            // As below.
            let _ = write!(self.io.stderr, "{text}");
        }
    }

    /// Shows a text that brings its own colours and line ends on standard error, whatever the user wants to hear.
    fn complain(&mut self, text: impl fmt::Display) {
        let text = shown(&text.to_string());
        // As above.
        let _ = write!(self.io.stderr, "{text}");
    }

    /// Warns of a place in the user's model.
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

    /// Keeps a line for the run's log.
    pub fn log_only(&mut self, text: impl fmt::Display) {
        let seconds = self.clock.now().as_secs_f64();
        let text = harmless(&text.to_string());
        self.log.push(format!("[{seconds:10.3}s] {text}"));
    }

    /// The lines kept since the last call.
    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    /// Ends everything when so much time has passed since the command started.
    pub fn limit(&mut self, total: Option<Duration>) {
        self.deadline = total;
    }

    /// When everything must be over, by the session's clock.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// The user's patience, and the time for everything.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(Arc::new(self.clock), Arc::clone(&self.io.interrupt));
        budget
            .with_ledger(Arc::clone(&self.ledger))
            .within(self.remaining())
    }

    /// What is left of the time for everything.
    fn remaining(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_sub(self.clock.now()))
    }

    /// Work that may be left at any moment, since nothing of it is on disk, begins: "interrupted while {what}". It ends with the value.
    #[must_use]
    pub(crate) fn stage(&self, what: &'static str) -> Open {
        self.io.watch.stage(what, self.remaining())
    }

    /// Why a run is over before any mutant could be decided.
    #[must_use]
    pub fn over(&self) -> Option<Failure> {
        self.budget().stopped().map(Failure::over)
    }

    /// Whether the user wants to stop.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.io.interrupt.load(Ordering::Relaxed)
    }
}

/// Whether a stream is coloured.
#[must_use]
pub(crate) fn colored(choice: ColorChoice, is_terminal: bool, no_color: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !no_color,
    }
}
