//! The texts under `tests/parse`: the trees of those in `ok/`, and the errors of those in `err/`.

use std::fmt::Write;
use std::path::PathBuf;

use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, Severity, Span};
use hyperkill_smv::{parser, printer};

use crate::support::translate;

/// Returns the texts of a folder below `tests/parse`, with their names.
fn texts(folder: &str) -> Vec<(String, String)> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "parse", folder]
        .iter()
        .collect();
    let mut found: Vec<(String, String)> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "smv"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn compare(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../parse/{folder}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn accepted_texts_print_as_recorded_and_printing_changes_nothing() {
    for (name, text) in texts("ok") {
        let parsed = parser::parse(&text).unwrap();
        let printed = printer::program(&parsed.program);
        compare("ok", &name, &printed);
        let again = parser::parse(&printed).unwrap();
        assert_eq!(printer::program(&again.program), printed, "{name}");
    }
}

#[test]
fn refused_texts_get_the_recorded_errors() {
    for (name, text) in texts("err") {
        let errors = match translate(&text, &FrontendOptions::default()) {
            Err(errors) => errors,
            Ok(_) => panic!("{name} is accepted"),
        };
        let rendered: Vec<String> = errors.iter().map(|e| render(&text, e)).collect();
        compare("err", &name, &rendered.join("\n"));
    }
}

/// Returns an error as an editor would list it: place, message, labels and help.
fn render(text: &str, error: &Diagnostic) -> String {
    assert_eq!(error.severity, Severity::Error);
    let lines = LineIndex::new(text);
    let place = |span: Span| {
        let (line, column) = lines.line_column(span.start);
        let mut there: String = span
            .of(text)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if there.chars().count() > 40 {
            there = there.chars().take(37).chain("...".chars()).collect();
        }
        format!("{line}:{column} `{there}`")
    };
    let mut out = match error.span {
        Some(span) => format!("{}: {}\n", place(span), error.message),
        None => format!("{}\n", error.message),
    };
    for label in &error.labels {
        writeln!(out, "    {}: {}", place(label.span), label.message).unwrap();
    }
    if let Some(help) = &error.help {
        writeln!(out, "    help: {help}").unwrap();
    }
    out
}
