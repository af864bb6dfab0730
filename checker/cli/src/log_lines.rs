//! Messages on standard error as JSON, one line for each.

use std::io::Write;

use hyperkill_frontend::{Diagnostic, LineIndex, Severity, SourceFile};

use crate::documents::{self, LogLevel, LogLine, LogPlace};
use crate::failure::Failure;
use crate::io::Io;
use crate::terminal::harmless;

/// Returns a line with this message. The session adds the time.
pub(crate) fn line(level: LogLevel, message: String) -> LogLine {
    LogLine {
        schema: LogLine::SCHEMA.to_owned(),
        seconds: 0.0,
        level,
        message,
        help: None,
        place: None,
        exit_status: None,
        progress: None,
    }
}

/// Writes the reason why a command could not begin.
pub(crate) fn write(io: &mut Io, why: &Failure) {
    for line in failure(why) {
        if let Ok(text) = documents::to_line(&line) {
            // If standard error cannot be written, there is no place for a report.
            let _ = write!(io.stderr, "{text}");
        }
    }
}

/// Returns the lines of a failure: one for each located problem, otherwise a single one.
pub(crate) fn failure(failure: &Failure) -> Vec<LogLine> {
    let exit_status = Some(failure.code().status());
    let lines = match failure {
        Failure::Message { error, help, .. } => vec![LogLine {
            help: help.clone(),
            ..line(LogLevel::Error, harmless(&format!("{error:#}")))
        }],
        Failure::Model {
            sources,
            diagnostics,
            ..
        } => (diagnostics.iter())
            .map(|found| diagnostic(sources, found))
            .collect(),
        Failure::Bytes {
            file,
            message,
            help,
            ..
        } => vec![LogLine {
            help: help.clone(),
            ..line(LogLevel::Error, format!("{file}: {message}"))
        }],
    };
    lines
        .into_iter()
        .map(|line| LogLine {
            exit_status: exit_status.filter(|_| line.level == LogLevel::Error),
            ..line
        })
        .collect()
}

/// Returns the line of a diagnostic.
pub(crate) fn diagnostic(sources: &[SourceFile], diagnostic: &Diagnostic) -> LogLine {
    let level = match diagnostic.severity {
        Severity::Error => LogLevel::Error,
        Severity::Warning => LogLevel::Warning,
    };
    let span = diagnostic.span.as_ref();
    let place = span.and_then(|span| {
        let source = sources.get(span.file)?;
        let (line, column) = LineIndex::new(&source.text).line_column(span.start);
        Some(LogPlace {
            file: source.name.clone(),
            line,
            column,
        })
    });
    LogLine {
        help: diagnostic.help.clone(),
        place,
        ..line(level, diagnostic.message.clone())
    }
}
