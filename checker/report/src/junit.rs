//! JUnit reports: a run with a case for each mutant, and tests on a system with a case for each run.

use std::fmt::Write;

use hyperkill_audit::documents::{ExecReport, ExecVerdict, ExecutedRun};

use crate::Findings;
use crate::escape::markup;
use crate::standing::Status;

/// Counts of cases that did not pass, by reason.
#[derive(Clone, Copy, Default)]
struct Counts {
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// A test case of a JUnit report, with unescaped texts.
struct Case {
    /// Class of the case, without the name of the suite.
    class: String,
    name: String,
    /// The reason why the case did not pass.
    problem: Option<Problem>,
}

/// The reason why a case did not pass.
struct Problem {
    /// `failure`, `error` or `skipped`.
    tag: &'static str,
    message: String,
    details: String,
}

/// Returns a JUnit test suite of this name as XML.
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

/// Returns a JUnit report of a run with a case for each mutant: survivors are failures, undecided mutants are errors, and mutants that need
/// no test are skipped.
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

/// Returns a JUnit report of tests on a system with a case for each run of a test; runs without a verdict are skipped.
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

/// Returns the inputs and outputs of a run, a line for each step.
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
