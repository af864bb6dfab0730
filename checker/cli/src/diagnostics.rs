//! Failures as text: located diagnostics with the source line, and advice.

use hyperkill_report::text::Style;
use hyperkill_report::text::diagnostics::{advice, excerpt, located};

use crate::failure::Failure;
use crate::terminal::in_a_line;

/// Returns a failure as text that ends in a newline: each message with its source line if it has a place, and advice.
#[must_use]
pub fn failure(failure: &Failure, style: Style) -> String {
    match failure {
        Failure::Message { error, help, .. } => {
            let help = advice(help.as_deref(), style);
            format!("{} {error:#}\n{help}", style.red("error:"))
        }
        Failure::Model {
            sources,
            diagnostics,
            ..
        } => {
            let diagnostics = diagnostics.iter();
            let texts = diagnostics.map(|diagnostic| located(sources, diagnostic, style));
            texts.collect()
        }
        Failure::Bytes {
            file,
            message,
            excerpt: line,
            help,
        } => {
            let file = in_a_line(file);
            let line = line.as_ref();
            let line = line.map_or_else(String::new, |(line, at)| excerpt(line, *at, style));
            let help = advice(help.as_deref(), style);
            format!("{} {file}: {message}\n{line}{help}", style.red("error:"))
        }
    }
}
