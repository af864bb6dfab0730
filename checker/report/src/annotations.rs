//! Annotations of surviving and undecided mutants at their lines, in formats of CI servers.
//!
//! GitHub, GitLab and SARIF viewers show them beside the source.

use std::fmt::Write;

use hyperkill_audit::documents::{MutantDescription, PlaceDescription};
use hyperkill_audit::terminal::harmless;
use serde::Serialize;

use crate::Findings;
use crate::place::{Location, Texts};
use crate::standing::{Standing, Status};

/// A surviving or undecided mutant with its standing and place.
struct Annotation<'a> {
    mutant: &'a MutantDescription,
    standing: Standing,
    place: Option<&'a PlaceDescription>,
    location: Option<Location>,
}

impl Annotation<'_> {
    fn operator(&self) -> &str {
        self.mutant.operator.as_deref().unwrap_or("mutant")
    }

    fn title(&self) -> String {
        let what = match self.standing.status {
            Status::Pending => "undecided",
            _ => "surviving",
        };
        format!("{what} mutant {} ({})", self.mutant.id, self.operator())
    }

    fn message(&self) -> String {
        let (change, reason) = (change(self.mutant), &self.standing.reason);
        match change.is_empty() {
            true => reason.clone(),
            false => format!("{change}: {reason}"),
        }
    }

    fn line(&self) -> usize {
        self.place.map_or(1, |place| place.line)
    }
}

/// Returns the change of a mutant in one line, as `old ⇒ new` or `old is removed`; empty if the change is not known.
pub(crate) fn change(mutant: &MutantDescription) -> String {
    let (Some(original), Some(replacement)) = (&mutant.original, &mutant.replacement) else {
        return String::new();
    };
    let short = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        match text.chars().count() > MOST_TEXT {
            true => text.chars().take(MOST_TEXT).chain(['…']).collect(),
            false => text,
        }
    };
    match replacement.is_empty() {
        true => format!("{} is removed", short(original)),
        false => format!("{} ⇒ {}", short(original), short(replacement)),
    }
}

/// Longest source text in an annotation, in characters; longer texts are cut.
const MOST_TEXT: usize = 60;

fn annotations<'a>(findings: &'a Findings<'a>) -> Vec<Annotation<'a>> {
    let texts = Texts::of(findings.sources);
    let mutants = findings.mutants().into_iter();
    let open = mutants
        .filter(|(_, _, standing)| matches!(standing.status, Status::Survived | Status::Pending));
    open.map(|(mutant, _, standing)| Annotation {
        mutant,
        standing,
        place: mutant.place.as_ref(),
        location: texts.location(mutant).map(|(_, location)| location),
    })
    .collect()
}

/// Returns a line for each surviving or undecided mutant, as a workflow command that GitHub's runners read from standard output.
#[must_use]
pub fn github(findings: &Findings<'_>) -> String {
    // Characters that would end a property or the command are percent-encoded.
    let data = |text: &str| {
        let text = text.replace('%', "%25").replace('\r', "%0D");
        text.replace('\n', "%0A")
    };
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut text = String::new();
    for annotation in annotations(findings) {
        let kind = match annotation.standing.status {
            Status::Pending => "notice",
            _ => "warning",
        };
        let _ = write!(text, "::{kind} ");
        if let Some(place) = annotation.place {
            let _ = write!(text, "file={},line={},", property(&place.file), place.line);
        }
        if let Some(Location { start, end }) = annotation.location {
            let _ = write!(text, "endLine={},", end.line);
            // GitHub accepts columns only for places within one line.
            if start.line == end.line {
                let _ = write!(text, "col={},endColumn={},", start.column, end.column);
            }
        }
        let title = harmless(&annotation.title());
        let message = harmless(&annotation.message());
        let _ = writeln!(text, "title={}::{}", property(&title), data(&message));
    }
    text
}

#[derive(Serialize)]
struct GitLabIssue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: GitLabLocation,
}

#[derive(Serialize)]
struct GitLabLocation {
    path: String,
    lines: GitLabLines,
}

#[derive(Serialize)]
struct GitLabLines {
    begin: usize,
}

/// Returns the surviving and undecided mutants as a code quality report for GitLab (JSON).
///
/// # Errors
/// If the report cannot be written as JSON, which its types exclude.
pub fn gitlab(findings: &Findings<'_>) -> serde_json::Result<String> {
    let model = &findings.table.model.name;
    let annotations = annotations(findings);
    let issues = annotations.iter().map(|annotation| GitLabIssue {
        description: format!("{}: {}", annotation.title(), annotation.message()),
        check_name: annotation.operator().to_owned(),
        fingerprint: annotation.mutant.id.clone(),
        severity: match annotation.standing.status {
            Status::Pending => "info",
            _ => "minor",
        },
        location: GitLabLocation {
            path: annotation.place.map_or(model, |place| &place.file).clone(),
            lines: GitLabLines {
                begin: annotation.line(),
            },
        },
    });
    hyperkill_audit::documents::to_text(&issues.collect::<Vec<_>>())
}

/// Returns the surviving and undecided mutants in the static analysis results interchange format (SARIF), version 2.1.0.
///
/// # Errors
/// If the log cannot be written as JSON, which its types exclude.
pub fn sarif(findings: &Findings<'_>) -> serde_json::Result<String> {
    use serde_json::{Value, json};
    let annotations = annotations(findings);
    let mut operators: Vec<&str> = annotations.iter().map(Annotation::operator).collect();
    operators.sort_unstable();
    operators.dedup();
    let rules: Vec<Value> = operators.iter().map(|name| json!({ "id": name })).collect();
    let results = annotations.iter().map(|annotation| {
        let mut region = json!({ "startLine": annotation.line() });
        if let Some(Location { start, end }) = annotation.location {
            region = json!({
                "startLine": start.line, "startColumn": start.column,
                "endLine": end.line, "endColumn": end.column,
            });
        }
        let locations = match annotation.place {
            Some(place) => json!([{ "physicalLocation": {
                "artifactLocation": { "uri": uri(&place.file) }, "region": region } }]),
            None => json!([]),
        };
        json!({
            "ruleId": annotation.operator(),
            "level": match annotation.standing.status {
                Status::Pending => "note",
                _ => "warning",
            },
            "message": { "text": format!("{}: {}", annotation.title(), annotation.message()) },
            "locations": locations,
            "partialFingerprints": { "mutant/v1": annotation.mutant.id },
        })
    });
    let results: Vec<Value> = results.collect();
    hyperkill_audit::documents::to_text(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hyperkill", "version": findings.version, "rules": rules } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    }))
}

/// Returns a relative file name as a URI reference.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}
