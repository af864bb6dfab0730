//! `report.json`, in version 2 of the mutation testing report schema.
//!
//! Undecided mutants are `Pending` and not `Timeout`, since the schema counts `Timeout` as detected. Proved equivalent mutants and
//! duplicates are `Ignored`.

use std::collections::BTreeMap;

use hyperkill_audit::counted;
use hyperkill_audit::documents::events::{Calls, EventPort, Side};
use hyperkill_audit::documents::{MutantDescription, SuiteTest};
use serde::Serialize;

use crate::Findings;
use crate::place::{Location, Position, Texts};
use crate::standing::{Standing, Status};

/// Version of the schema.
const VERSION: &str = "2";
/// File name of the suite among the test files.
const SUITE: &str = "suite.json";
/// Number of events, at most, in the name of a test.
const MOST_EVENTS: usize = 12;

/// A report in the mutation testing report schema.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    schema_version: &'static str,
    thresholds: Thresholds,
    framework: Framework,
    config: BTreeMap<&'static str, String>,
    files: BTreeMap<String, FileResult>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    test_files: BTreeMap<&'static str, TestFile>,
}

/// Scores from which pages show green, and below which they show red.
#[derive(Debug, Serialize)]
struct Thresholds {
    high: u8,
    low: u8,
}

#[derive(Debug, Serialize)]
struct Framework {
    name: &'static str,
    version: String,
}

#[derive(Debug, Serialize)]
struct FileResult {
    language: String,
    source: String,
    mutants: Vec<Mutant>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mutant {
    id: String,
    mutator_name: String,
    location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<String>,
    status: &'static str,
    status_reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    killed_by: Vec<String>,
}

#[derive(Debug, Serialize)]
struct TestFile {
    tests: Vec<TestDefinition>,
}

#[derive(Debug, Serialize)]
struct TestDefinition {
    id: String,
    name: String,
}

/// Returns the report of a run in the mutation testing report schema.
#[must_use]
pub fn report(findings: &Findings<'_>) -> Report {
    let model = &findings.table.model;
    let mut listed = Listed::default();
    let texts = Texts::of(findings.sources);
    let mut files: BTreeMap<String, FileResult> = BTreeMap::new();
    for (mutant, _, standing) in findings.mutants() {
        let placed = texts.location(mutant);
        let (name, place) = placed.unwrap_or_else(|| listed.take(&model.name, mutant));
        let file = files.entry(name).or_insert_with_key(|name| FileResult {
            language: model.language.clone(),
            source: texts.text(name).to_owned(),
            mutants: Vec::new(),
        });
        file.mutants.push(described(mutant, standing, place));
    }
    if let Some(file) = files.get_mut(&Listed::name(&model.name)) {
        file.source.push_str(&listed.text);
    }
    let mut config = BTreeMap::new();
    if let Some((question, original)) = findings.asked {
        config.insert("question", question.to_owned());
        config.insert("original", original.to_owned());
    }
    Report {
        schema_version: VERSION,
        thresholds: Thresholds { high: 100, low: 80 },
        framework: Framework {
            name: "hyperkill",
            version: findings.version.to_owned(),
        },
        config,
        files,
        test_files: tests(findings.suite, &findings.table.signature.events),
    }
}

fn described(mutant: &MutantDescription, standing: Standing, location: Location) -> Mutant {
    Mutant {
        id: mutant.id.clone(),
        mutator_name: mutant.operator.clone().unwrap_or_else(|| "mutant".into()),
        location,
        // The schema has one replacement for one place.
        replacement: match mutant.changes.is_empty() {
            true => mutant.replacement.clone(),
            false => None,
        },
        status: standing.status.word(),
        killed_by: match standing.status {
            Status::Killed => standing.killed_by,
            // Only certain kills may appear as kills.
            _ => Vec::new(),
        },
        status_reason: standing.reason,
    }
}

/// Returns the tests of a suite as the only test file; empty without tests. Their names contain the number of steps, and the events of
/// event-based models.
fn tests(suite: Option<&[SuiteTest]>, events: &[EventPort]) -> BTreeMap<&'static str, TestFile> {
    let calls = Calls::new(events);
    let described = |test: &SuiteTest| {
        let count = counted(test.steps.len(), "step");
        let mut name = format!("{}: {}, {count}", test.id, test.kind);
        if events.iter().any(|of| of.side == Side::Inputs) {
            let steps = test.steps.iter().take(MOST_EVENTS);
            let mut given: Vec<String> = steps
                .map(|step| calls.line(Side::Inputs, &step.inputs.0))
                .collect();
            if test.steps.len() > MOST_EVENTS {
                given.push("…".to_owned());
            }
            name = format!("{name}: {}", given.join(", "));
        }
        let id = test.id.clone();
        TestDefinition { id, name }
    };
    let tests: Vec<TestDefinition> = suite.unwrap_or(&[]).iter().map(described).collect();
    match tests.is_empty() {
        true => BTreeMap::new(),
        false => BTreeMap::from([(SUITE, TestFile { tests })]),
    }
}

/// A generated source text for mutants without a place in a source, with a line for each mutant.
#[derive(Default)]
struct Listed {
    text: String,
    lines: usize,
}

impl Listed {
    fn name(model: &str) -> String {
        format!("{model} (mutants)")
    }

    /// Adds a line for a mutant. Returns the name of the generated text and the line as a location.
    fn take(&mut self, model: &str, mutant: &MutantDescription) -> (String, Location) {
        self.lines += 1;
        let line = mutant.id.replace(['\n', '\r'], " ");
        let position = |column: usize| Position {
            line: self.lines,
            column,
        };
        let location = Location {
            start: position(1),
            end: position(1 + line.encode_utf16().count()),
        };
        self.text.push_str(&line);
        self.text.push('\n');
        (Listed::name(model), location)
    }
}
