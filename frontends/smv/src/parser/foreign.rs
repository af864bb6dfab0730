//! Detects input of macro processors, which is no SMV before they run.

use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::Source;

/// Directives at the beginning of a line of cpp input.
const CPP: &[&str] = &[
    "define", "include", "if", "ifdef", "ifndef", "else", "elif", "endif", "undef", "pragma",
];

/// Macros that nearly every m4 input uses.
const M4: &[&str] = &[
    "define(",
    "changequote(",
    "dnl",
    "ifelse(",
    "include(",
    "undivert(",
];

/// Returns the error that a text is input of cpp or m4, if it is.
pub(super) fn other_input(text: &str) -> Option<Diagnostic> {
    let source = Source { file: 0, text };
    for trimmed in text.lines().map(str::trim) {
        let span = source.span(trimmed);
        if let Some(directive) = trimmed.strip_prefix('#') {
            let directive = directive.trim_start();
            let word = directive.split(|c: char| !c.is_ascii_alphabetic()).next();
            if word.is_some_and(|word| CPP.contains(&word)) {
                return Some(not_smv(span, "cpp", "cpp -P FILE > FILE.smv"));
            }
        }
        if M4.iter().any(|macro_name| begins_with(trimmed, macro_name)) {
            return Some(not_smv(span, "m4", "m4 FILE > FILE.smv"));
        }
    }
    None
}

/// Whether a line begins with a macro and not with a longer name.
fn begins_with(line: &str, macro_name: &str) -> bool {
    let Some(rest) = line.strip_prefix(macro_name) else {
        return false;
    };
    macro_name.ends_with('(') || rest.is_empty() || rest.starts_with([' ', '\t'])
}

fn not_smv(span: Span, processor: &str, command: &str) -> Diagnostic {
    Diagnostic::error(span, format!("this is input of {processor}, not SMV yet"))
        .with_help(format!("run `{command}` first"))
}
