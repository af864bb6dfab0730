//! Located diagnostics with their source lines.

use ariadne::{Cache, CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};
use hyperkill_audit::terminal::{harmless, in_a_line, trusted};
use hyperkill_frontend::{Diagnostic, LineIndex, Severity, SourceFile, Span};

use super::{Style, place};

/// Number of characters, at most, of a source line in an excerpt, for malformed files without diagnostics of their own.
const EXCERPT: usize = 100;

/// Longest source line, in bytes, that is shown as a whole.
const LINE: usize = 400;

/// Returns advice to the user as a line that begins with `help:`; empty without advice.
#[must_use]
pub fn advice(help: Option<&str>, style: Style) -> String {
    help.map_or_else(String::new, |help| {
        format!("  {} {help}\n", style.cyan("help:"))
    })
}

/// Returns a source line, and below it a mark under the column (in characters from 0). A long line is cut around the column.
#[must_use]
pub fn excerpt(line: &str, column: usize, style: Style) -> String {
    let from = column.saturating_sub(EXCERPT / 2);
    let printable = |c: char| if c.is_control() { '·' } else { c };
    let shown: String = line
        .chars()
        .skip(from)
        .take(EXCERPT)
        .map(printable)
        .collect();
    let mark = " ".repeat(column - from) + "^";
    format!("  | {shown}\n  | {}\n", style.red(&mark))
}

/// Returns a diagnostic as text, with the source lines that it refers to.
#[must_use]
pub fn located(sources: &[SourceFile], diagnostic: &Diagnostic, style: Style) -> String {
    let (word, kind, color) = match diagnostic.severity {
        Severity::Error => ("error", ReportKind::Error, Color::Red),
        Severity::Warning => ("warning", ReportKind::Warning, Color::Yellow),
    };
    let file = |span: &Span| sources.get(span.file);
    let Some((span, source)) = diagnostic
        .span
        .as_ref()
        .and_then(|span| Some((span, file(span)?)))
    else {
        let word = match diagnostic.severity {
            Severity::Error => style.red("error:"),
            Severity::Warning => style.yellow("warning:"),
        };
        let help = advice(diagnostic.help.as_deref(), style);
        return format!("{word} {}\n{help}", diagnostic.message);
    };
    let spans = diagnostic.labels.iter().map(|label| &label.span);
    let is_long =
        |span: &Span| file(span).is_some_and(|file| line_of(span, &file.text).len() > LINE);
    if spans.chain([span]).any(is_long) {
        return in_long_lines(sources, (span, source), diagnostic, word, style);
    }
    let range = |span: &Span| match file(span) {
        Some(file) => (
            in_a_line(&file.name),
            as_shown(inside(span, &file.text), &file.text),
        ),
        None => (String::new(), 0..0),
    };
    let config = Config::default()
        .with_color(style.is_enabled())
        .with_char_set(CharSet::Unicode)
        .with_index_type(IndexType::Byte);
    let mut report = Report::build(kind, range(span))
        .with_config(config)
        .with_message(harmless(&diagnostic.message))
        .with_label(label(range(span), "here", color, style));
    for other in &diagnostic.labels {
        report.add_label(label(
            range(&other.span),
            &harmless(&other.message),
            Color::Blue,
            style,
        ));
    }
    if let Some(help) = &diagnostic.help {
        report.set_help(harmless(help));
    }
    let texts = sources.iter();
    let texts = texts.map(|s| (in_a_line(&s.name), harmless(&s.text)));
    let mut written = Vec::new();
    match report.finish().write(Texts::new(texts), &mut written) {
        // All texts of the diagnostic were made harmless before.
        Ok(()) => {
            // Messages with and without a place use the same words.
            let text = String::from_utf8_lossy(&written);
            trusted(&text.replacen(&format!("{kind}:"), &format!("{word}:"), 1))
        }
        Err(_) => format!("{word}: {}: {}\n", source.name, diagnostic.message),
    }
}

/// Returns a diagnostic whose source lines are too long to be shown in full, with excerpts. `word` is `error` or `warning`.
fn in_long_lines(
    sources: &[SourceFile],
    (span, source): (&Span, &SourceFile),
    diagnostic: &Diagnostic,
    word: &str,
    style: Style,
) -> String {
    let word = match diagnostic.severity {
        Severity::Error => style.red(&format!("{word}:")),
        Severity::Warning => style.yellow(&format!("{word}:")),
    };
    let mut text = format!("{word} {}\n", harmless(&diagnostic.message));
    push_place(&mut text, span, source, style);
    for other in &diagnostic.labels {
        let Some(source) = sources.get(other.span.file) else {
            continue;
        };
        text.push_str(&format!("  {}\n", harmless(&other.message)));
        push_place(&mut text, &other.span, source, style);
    }
    text.push_str(&advice(diagnostic.help.as_deref(), style));
    text
}

/// Appends the place of a span to the text, with the part of its line around it.
fn push_place(text: &mut String, span: &Span, source: &SourceFile, style: Style) {
    let start = inside(span, &source.text).start;
    let (line, column) = LineIndex::new(&source.text).line_column(start);
    let place = place(&in_a_line(&source.name), line, column);
    text.push_str(&format!("  {place}\n"));
    text.push_str(&excerpt(line_of(span, &source.text), column - 1, style));
}

/// Returns the line in which a span begins, without the line break.
fn line_of<'t>(span: &Span, text: &'t str) -> &'t str {
    let start = inside(span, text).start;
    let from = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let line = text[from..].lines().next();
    line.unwrap_or_default()
}

/// Returns the range of bytes of a span, moved into the text and back to character boundaries.
fn inside(span: &Span, text: &str) -> std::ops::Range<usize> {
    let on_character = |byte: usize| {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    };
    let start = on_character(span.start);
    start..on_character(span.end).max(start)
}

/// Returns the range that a range of a text has in its escaped form, which may be longer.
fn as_shown(range: std::ops::Range<usize>, text: &str) -> std::ops::Range<usize> {
    let moved = |at: usize| harmless(&text[..at]).len();
    moved(range.start)..moved(range.end)
}

fn label(
    range: (String, std::ops::Range<usize>),
    message: &str,
    color: Color,
    style: Style,
) -> Label<(String, std::ops::Range<usize>)> {
    let label = Label::new(range).with_message(message);
    if style.is_enabled() {
        label.with_color(color)
    } else {
        label
    }
}

/// Source texts by name, for the report writer.
struct Texts(Vec<(String, Source<String>)>);

impl Texts {
    fn new(texts: impl Iterator<Item = (String, String)>) -> Texts {
        Texts(
            texts
                .map(|(name, text)| (name, Source::from(text)))
                .collect(),
        )
    }
}

impl Cache<String> for Texts {
    type Storage = String;

    fn fetch(&mut self, id: &String) -> Result<&Source<String>, impl std::fmt::Debug> {
        let found = self.0.iter().find(|(name, _)| name == id);
        found
            .map(|(_, source)| source)
            .ok_or_else(|| format!("no text is called {id}"))
    }

    fn display<'a>(&self, id: &'a String) -> Option<impl std::fmt::Display + 'a> {
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_file_line_column_text_and_advice() {
        let sources = [SourceFile::new("m.smv", "MODULE main\nVAR é : 0..;\n")];
        let diagnostic =
            Diagnostic::error(Span::new(24, 25), "expected a number").with_help("write `0..3`");
        let text = located(&sources, &diagnostic, Style::new(false));
        for part in [
            "m.smv:2:12",
            "VAR é : 0..;",
            "expected a number",
            "write `0..3`",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn a_source_line_that_steers_is_shown_and_marked_where_it_was() {
        let text = "ok\r\nx \x1b[2J\u{202e} := 7;\r\n";
        let at = text.find('7').unwrap();
        let sources = [SourceFile::new("a\x1b]0;b\n.smv", text)];
        let diagnostic = Diagnostic::error(Span::new(at, at + 1), "no \x1b[31m number");
        let plain =
            hyperkill_audit::terminal::shown(&located(&sources, &diagnostic, Style::new(false)));
        let column = "x \\u001b[2J\\u202e := ".len() + 1;
        for part in [
            &format!("a\\u001b]0;b\\u000a.smv:2:{column}"),
            "x \\u001b[2J\\u202e := 7;",
            "no \\u001b[31m number",
        ] {
            assert!(plain.contains(part), "{part} is not in\n{plain}");
        }
        assert!(!plain.contains(['\x1b', '\u{202e}']), "{plain}");
        // With colours, only the escape sequences of colours remain.
        let colored =
            hyperkill_audit::terminal::shown(&located(&sources, &diagnostic, Style::new(true)));
        assert!(
            !colored.contains("\x1b[2J") && !colored.contains("\x1b]"),
            "{colored}"
        );
        assert!(colored.contains("\x1b["), "{colored}");
    }

    #[test]
    fn of_a_very_long_line_the_part_around_the_place_is_shown() {
        let text = format!("ok\n{}!{}\n", "é".repeat(5_000), "1".repeat(50_000));
        let at = text.find('!').unwrap();
        let sources = [SourceFile::new("m.as", text)];
        let diagnostic = Diagnostic::error(Span::new(at, at + 1), "no number")
            .with_help("write 3")
            .with_label(Span::new(0, 2), "as here");
        let text = located(&sources, &diagnostic, Style::new(false));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["error: no number", "  m.as:2:5001"]);
        let column = |line: &str, mark| line.chars().position(|c| c == mark);
        assert_eq!(column(lines[2], '!'), column(lines[3], '^'));
        assert_eq!(lines[4..6], ["  as here", "  m.as:1:1"]);
        assert_eq!(lines[8..], ["  help: write 3"]);
        assert!(text.len() < 600, "{text}");
    }

    #[test]
    fn a_malformed_line_is_marked_and_long_ones_are_cut() {
        let line = "0".repeat(160) + "!" + &"1".repeat(160);
        let text = excerpt(&line, 160, Style::new(false));
        let lines: Vec<&str> = text.lines().collect();
        let column = lines[1].find('^').unwrap();
        assert_eq!(lines[0].chars().nth(column), Some('!'));
        assert!(lines[0].len() < 120);
    }
}
