//! JUnit: a run as a test suite with a case for each mutant, and tests on a system with a case for each run.

use std::fmt::Write;

use hyperkill_audit::documents::{ExecReport, ExecVerdict, ExecutedRun};

use crate::Findings;
use crate::escape::markup;
use crate::standing::Status;

/// The cases of a suite that did not pass.
#[derive(Clone, Copy, Default)]
struct Counts {
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// A case of a suite. No text in it is escaped.
struct Case {
    /// Behind the name of the suite, its class.
    class: String,
    name: String,
    /// Why it did not pass.
    problem: Option<Problem>,
}

/// Why a case did not pass.
struct Problem {
    /// `failure`, `error` or `skipped`.
    tag: &'static str,
    message: String,
    details: String,
}

/// A test suite.
fn suite(name: &str, counts: Counts, cases: &[Case]) -> String {
    let name = markup(name);
    let Counts {
        failures,
        errors,
        skipped,
    } = counts;
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuites>\n  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">",
        cases.len(),
    );
    for case in cases {
        let (class, title) = (markup(&case.class), markup(&case.name));
        let _ = write!(
            text,
            "    <testcase classname=\"{name} {class}\" name=\"{title}\""
        );
        let Some(problem) = &case.problem else {
            text.push_str("/>\n");
            continue;
        };
        let (tag, message) = (problem.tag, markup(&problem.message));
        let details = markup(&problem.details);
        let _ = writeln!(
            text,
            ">\n      <{tag} message=\"{message}\">{details}</{tag}>\n    </testcase>"
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// A test suite with a case for each mutant: survivors are failures, undecided ones errors, and what needs no test is skipped.
#[must_use]
pub fn junit(findings: &Findings<'_>) -> String {
    let mutants = findings.mutants();
    let count = |statuses: &[Status]| {
        let standing = mutants.iter().map(|(_, _, standing)| standing.status);
        standing.filter(|status| statuses.contains(status)).count()
    };
    let counts = Counts {
        failures: count(&[Status::Survived]),
        errors: count(&[Status::Pending]),
        skipped: count(&[Status::Ignored, Status::CompileError]),
    };
    let cases = mutants.iter().map(|(mutant, _, standing)| {
        let mut name = mutant.id.clone();
        if let Some(place) = &mutant.place {
            let _ = write!(name, " {}:{}:{}", place.file, place.line, place.column);
        }
        let tag = match standing.status {
            Status::Killed => None,
            Status::Survived => Some("failure"),
            Status::Pending => Some("error"),
            Status::Ignored | Status::CompileError => Some("skipped"),
        };
        Case {
            class: mutant.operator.clone().unwrap_or("mutant".to_owned()),
            name,
            problem: tag.map(|tag| Problem {
                tag,
                message: standing.reason.clone(),
                details: crate::annotations::change(mutant),
            }),
        }
    });
    let cases: Vec<Case> = cases.collect();
    suite(&findings.table.model.name, counts, &cases)
}

/// A test suite with a case for each run of a test on a system: runs without a verdict are skipped.
#[must_use]
pub fn executed(report: &ExecReport) -> String {
    let counts = Counts {
        failures: report.runs.fail,
        errors: report.runs.error,
        skipped: report.runs.inconclusive,
    };
    let results = report.results.iter();
    let runs = results.flat_map(|test| test.runs.iter().map(move |run| (test, run)));
    let cases = runs.map(|(test, run)| {
        let tag = match run.verdict {
            ExecVerdict::Pass => None,
            ExecVerdict::Fail => Some("failure"),
            ExecVerdict::Error => Some("error"),
            ExecVerdict::Inconclusive => Some("skipped"),
        };
        Case {
            class: format!("({})", test.kind),
            name: match report.repeat {
                1 => test.test.clone(),
                _ => format!("{} run {}", test.test, run.run),
            },
            problem: tag.map(|tag| Problem {
                tag,
                message: format!("step {}: {}", run.step, run.message),
                details: trace(run),
            }),
        }
    });
    let cases: Vec<Case> = cases.collect();
    suite(&report.model.name, counts, &cases)
}

/// What was set and seen, a line for each step.
fn trace(run: &ExecutedRun) -> String {
    let mut text = String::from("\n");
    for (number, step) in run.seen.iter().enumerate() {
        let outputs = match &step.outputs {
            Some(outputs) => serde_json::to_string(outputs).unwrap_or_default(),
            None => "-".to_owned(),
        };
        let inputs = serde_json::to_string(&step.inputs).unwrap_or_default();
        let _ = writeln!(text, "{number}: {inputs} -> {outputs}");
    }
    text
}
