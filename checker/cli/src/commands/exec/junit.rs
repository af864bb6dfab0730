//! Results in the form that most servers of continuous integration read.

use std::fmt::Write;

use hyperkill_report::markup;

use crate::documents::{ExecReport, ExecVerdict, ExecutedRun};

/// A test suite with a case for each run.
pub(super) fn junit(report: &ExecReport) -> String {
    let counts = report.runs;
    let name = markup(&report.model.name);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuites>\n  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        counts.all(),
        counts.fail,
        counts.error,
        counts.inconclusive
    );
    for test in &report.results {
        for run in &test.runs {
            let id = match report.repeat {
                1 => test.test.clone(),
                _ => format!("{} run {}", test.test, run.run),
            };
            let (id, kind) = (markup(&id), markup(&test.kind));
            let _ = write!(
                text,
                "    <testcase classname=\"{name} ({kind})\" name=\"{id}\""
            );
            let tag = match run.verdict {
                ExecVerdict::Pass => {
                    text.push_str("/>\n");
                    continue;
                }
                ExecVerdict::Fail => "failure",
                ExecVerdict::Error => "error",
                ExecVerdict::Inconclusive => "skipped",
            };
            let message = format!("step {}: {}", run.step, run.message);
            let (message, trace) = (markup(&message), markup(&trace(run)));
            let _ = writeln!(
                text,
                ">\n      <{tag} message=\"{message}\">{trace}</{tag}>\n    </testcase>"
            );
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
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
