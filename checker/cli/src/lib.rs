//! The command line of hyperkill as a library: takes arguments and streams, returns an exit status.
//!
//! Only this package prints, reads files and the environment, and starts threads. It decides nothing: engines, verdicts and evidence belong
//! to the checker, languages to the front ends. `main.rs` and tests call [`main`].
//!
//! ```
//! use hyperkill::{ExitCode, Io};
//! use std::ffi::OsString;
//!
//! let (mut io, captured) = Io::captured("");
//! let words = ["hyperkill", "engines"].map(OsString::from);
//! assert_eq!(hyperkill::main(words, &mut io), ExitCode::Success);
//! assert!(captured.stdout.text().contains("bmc"));
//! ```

pub mod args;
mod asked;
mod audited;
mod baseline;
mod before;
mod children;
mod commands;
mod configuration;
mod decision;
pub mod diagnostics;
pub mod exit_code;
mod external;
pub mod failure;
pub mod files;
mod in_diff;
pub mod io;
pub mod languages;
pub mod load;
mod log_lines;
mod process;
mod progress;
mod question;
pub mod run_folder;
mod session;
pub mod system;
mod watch;

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use clap::{ColorChoice, CommandFactory, FromArgMatches};

pub use hyperkill_audit::documents;
pub(crate) use hyperkill_audit::{catalogue, certification, model, terminal};

use crate::args::Cli;
pub use crate::exit_code::ExitCode;
use crate::failure::Failure;
pub use crate::io::Io;
pub use crate::process::main_of_process;
use crate::session::{Level, Session};
use crate::terminal::{is_harmless, shown};

/// Runs a command line, which begins with the name of the program, and returns its exit status.
///
/// Never panics: a panic of a command is reported as an internal error.
pub fn main(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> ExitCode {
    let code = match catch_unwind(AssertUnwindSafe(|| run(args, io))) {
        Ok(code) => code,
        Err(panic) => {
            let message = panic_message(panic.as_ref());
            let text = format!(
                "error: internal error: {message}\n  help: this is a bug in hyperkill; please report it with the command and the model\n"
            );
            // If standard error cannot be written, there is no place for a report.
            let _ = write!(io.stderr, "{}", shown(&text));
            ExitCode::Internal
        }
    };
    match io.stdout.flush() {
        Ok(()) => code,
        Err(error) => {
            let _ = writeln!(
                io.stderr,
                "error: standard output cannot be written: {error}"
            );
            code.max(ExitCode::Usage)
        }
    }
}

fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let Parsed {
        mut cli,
        configured_by,
    } = match parse(&args, io) {
        Ok(parsed) => parsed,
        Err(Refusal::Arguments(error)) if error.use_stderr() && asks_for_json(&args) => {
            let rendered = error.render().to_string();
            let text = rendered.strip_prefix("error: ").unwrap_or(&rendered);
            let failure = Failure::usage(text.trim_end().to_owned());
            log_lines::write(io, &failure);
            return failure.code();
        }
        Err(Refusal::Arguments(error)) => return explain(&error, io),
        Err(Refusal::Configuration(failure)) if asks_for_json(&args) => {
            log_lines::write(io, &failure);
            return failure.code();
        }
        Err(Refusal::Configuration(failure)) => {
            let style = hyperkill_report::text::Style::new(io.stderr_is_terminal && !io.no_color);
            let text = diagnostics::failure(&failure, style);
            let _ = write!(io.stderr, "{}", shown(&text));
            return failure.code();
        }
    };
    let mut session = Session::new(io, &cli.global);
    if let Some(path) = configured_by {
        session.say(Level::Detail, format!("options from {}", path.display()));
    }
    let done = in_diff::resolve(&mut session, &mut cli.command)
        .and_then(|()| baseline::resolve(&mut session, &mut cli.command))
        .and_then(|()| {
            session.asked = asked::words(&cli.command, cli.global.seed);
            commands::execute(&mut session, &cli.command)
        });
    match done {
        Ok(code) => code,
        Err(failure) => {
            session.fail(&failure);
            failure.code()
        }
    }
}

/// Whether arguments, which may be invalid, contain `--log-format json`.
fn asks_for_json(args: &[OsString]) -> bool {
    let given = args.iter().take_while(|arg| *arg != "--");
    let mut given = given.map(|arg| arg.to_string_lossy()).peekable();
    while let Some(arg) = given.next() {
        let value = match arg.strip_prefix("--log-format") {
            Some("") => given.peek().map(|value| value.as_ref()),
            Some(value) => value.strip_prefix('='),
            None => None,
        };
        if value == Some("json") {
            return true;
        }
    }
    false
}

/// A reason why arguments are refused.
enum Refusal {
    Arguments(clap::Error),
    Configuration(Failure),
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Refusal {
        Refusal::Arguments(error)
    }
}

/// A parsed command line.
struct Parsed {
    cli: Cli,
    /// The configuration file, if there is one.
    configured_by: Option<PathBuf>,
}

/// Parses the arguments and the configuration file that they select. Help and errors are coloured for the terminal that they go to.
fn parse(args: &[OsString], io: &Io) -> Result<Parsed, Refusal> {
    let colored = io.stdout_is_terminal && io.stderr_is_terminal && !io.no_color;
    let mut command = Cli::command().color(if colored {
        ColorChoice::Always
    } else {
        ColorChoice::Never
    });
    command.build();
    let matches = command.clone().try_get_matches_from(args)?;
    let extended =
        configuration::extend(args, &command, &matches).map_err(Refusal::Configuration)?;
    let Some(extended) = extended else {
        return Ok(Parsed {
            cli: Cli::from_arg_matches(&matches)?,
            configured_by: None,
        });
    };
    let matches = command
        .clone()
        .try_get_matches_from(&extended.args)
        .map_err(|error| {
            let path = extended.path.display();
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Refusal::Configuration(Failure::usage(format!(
                "with the options of {path}: {text}"
            )))
        })?;
    Ok(Parsed {
        cli: Cli::from_arg_matches(&matches)?,
        configured_by: Some(extended.path),
    })
}

/// Prints help and versions as results, and other messages of the parser as usage errors.
fn explain(error: &clap::Error, io: &mut Io) -> ExitCode {
    let rendered = error.render();
    let plain = rendered.to_string();
    let colored = io.stdout_is_terminal && io.stderr_is_terminal && !io.no_color;
    // Arguments may be file names with escape sequences, which would look like the colours of the parser.
    let text = if colored && is_harmless(&plain) {
        rendered.ansi().to_string()
    } else {
        shown(&plain)
    };
    if error.use_stderr() {
        let _ = write!(io.stderr, "{text}");
        ExitCode::Usage
    } else {
        let _ = write!(io.stdout, "{text}");
        ExitCode::Success
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (None, Some(message)) => message.clone(),
        (None, None) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Exploding;

    impl Write for Exploding {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            panic!("the stream explodes")
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_an_internal_error_with_a_short_message() {
        let (mut io, captured) = Io::captured("");
        io.stdout = Box::new(Exploding);
        let args = ["hyperkill", "engines"].map(OsString::from);
        assert_eq!(main(args, &mut io), ExitCode::Internal);
        let text = captured.stderr.text();
        assert!(text.contains("the stream explodes"), "{text}");
    }
}
