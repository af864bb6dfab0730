//! Runs of tests on a system, as text for people.

use std::fmt::Write;

use hyperkill_audit::documents::{ExecReport, ExecVerdict, ExecutedRun, ExecutedTest};
use hyperkill_core::events::{self, Calls, Side};
use hyperkill_frontend::counted;

use super::time::spelled;
use super::{Align, Style, Table};

/// Number of runs of a test, at most, that are shown if they did not pass.
const SHOWN_RUNS: usize = 3;

/// Number of outputs, at most, that are shown as allowed in place of an output.
const SHOWN_OUTPUTS: usize = 8;

/// Returns a report on tests on a system as text: counts by verdict, and the runs that did not pass.
#[must_use]
pub fn executed(report: &ExecReport, calls: &Calls<'_>, style: Style) -> String {
    let command = report.command.join(" ");
    let mut text = style.bold(&format!(
        "{}: {} on `{command}`",
        report.model.name,
        counted(report.tests.all(), "test")
    ));
    if report.repeat > 1 {
        let _ = write!(text, ", {} runs of each", report.repeat);
    }
    text.push_str("\n\n");
    let _ = write!(text, "{}", counts(report, style));
    for test in &report.results {
        let others = test
            .runs
            .iter()
            .filter(|run| run.verdict != ExecVerdict::Pass);
        // Inconclusive runs of a passing test are not shown.
        let worth = others.filter(|run| {
            run.verdict != ExecVerdict::Inconclusive || test.verdict == ExecVerdict::Inconclusive
        });
        let worth: Vec<&ExecutedRun> = worth.collect();
        for run in worth.iter().take(SHOWN_RUNS) {
            push_run(&mut text, report.repeat, calls, test, run, style);
        }
        if worth.len() > SHOWN_RUNS {
            let _ = writeln!(
                text,
                "  … and {} more runs of {} like these",
                worth.len() - SHOWN_RUNS,
                test.test
            );
        }
    }
    if report.interrupted {
        let _ = writeln!(
            text,
            "\n{}",
            style.yellow("stopped: not every test was run")
        );
    }
    text
}

/// Returns a table of tests and runs by verdict.
fn counts(report: &ExecReport, style: Style) -> Table {
    let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Left]).indented(2);
    let rows = [
        (
            style.green("pass"),
            report.tests.pass,
            report.runs.pass,
            "nothing speaks against the system",
        ),
        (
            style.red("fail"),
            report.tests.fail,
            report.runs.fail,
            "outputs that the test does not allow",
        ),
        (
            style.yellow("inconclusive"),
            report.tests.inconclusive,
            report.runs.inconclusive,
            "ended without a verdict",
        ),
        (
            style.red("error"),
            report.tests.error,
            report.runs.error,
            "the program did not answer as agreed",
        ),
    ];
    if report.repeat > 1 {
        table.row(["", "tests", "runs"]);
    }
    for (word, tests, runs, meaning) in rows {
        if tests + runs > 0 {
            let runs = match report.repeat {
                1 => String::new(),
                _ => runs.to_string(),
            };
            table.row([word, tests.to_string(), runs, style.dim(meaning)]);
        }
    }
    table
}

/// Appends a run of a test to the text; `repeat` is the number of the test's runs.
fn push_run(
    text: &mut String,
    repeat: usize,
    calls: &Calls<'_>,
    test: &ExecutedTest,
    run: &ExecutedRun,
    style: Style,
) {
    let word = match run.verdict {
        ExecVerdict::Fail => style.red("fail"),
        ExecVerdict::Error => style.red("error"),
        ExecVerdict::Inconclusive | ExecVerdict::Pass => style.yellow("inconclusive"),
    };
    let number = match repeat {
        1 => String::new(),
        _ => format!(", run {}", run.run),
    };
    let _ = writeln!(
        text,
        "\n{}, {}{number}: {word} at step {}: {}",
        style.cyan(&test.test),
        test.kind,
        run.step,
        run.message
    );
    push_steps(text, calls, run);
    if !run.instead.is_empty() {
        let instead = run.instead.iter().map(|outputs| outputs.0.as_slice());
        let instead = calls.alternatives(Side::Outputs, instead);
        let listed = instead.iter().take(SHOWN_OUTPUTS);
        let listed = listed.map(|shown| events::line(shown));
        let more = match instead.len() > SHOWN_OUTPUTS {
            true => ", …",
            false => "",
        };
        let listed: Vec<String> = listed.collect();
        let _ = writeln!(text, "     expected {}{more}", listed.join(" or "));
    }
}

/// Appends the inputs and outputs of a run to the text, one line for each step.
fn push_steps(text: &mut String, calls: &Calls<'_>, run: &ExecutedRun) {
    let mut table = Table::new([Align::Right, Align::Left, Align::Left]).indented(2);
    for (number, step) in run.seen.iter().enumerate() {
        let inputs = calls.line(Side::Inputs, &step.inputs.0);
        let outputs = step.outputs.as_ref();
        let outputs = outputs.map(|outputs| calls.line(Side::Outputs, &outputs.0));
        table.row(match step.at {
            None => [
                number.to_string(),
                format!("set {inputs}"),
                format!("saw {}", outputs.as_deref().unwrap_or("nothing")),
            ],
            Some(at) => [
                format!("at {}", spelled(at)),
                match step.inputs.is_empty() {
                    true => String::new(),
                    false => format!("set {inputs}"),
                },
                outputs.map_or_else(String::new, |outputs| format!("saw {outputs}")),
            ],
        });
    }
    let _ = write!(text, "{table}");
}
