//! The work on a suite, and its report.

use std::ffi::OsString;
use std::fmt::Write;

use hyperkill_checker::testgen::running::Script;
use hyperkill_core::conditional::Port;
use hyperkill_core::events::{self, Calls, EventPort, Side};
use hyperkill_frontend::counted;

use super::adapter::Agreement;
use super::following;
use super::junit;
use super::runs::{Judge, Work};
use super::scripts::Scripts;
use crate::args::{ExecArgs, Format};
use crate::documents::{
    self, ExecCounts, ExecReport, ExecVerdict, ExecutedRun, ExecutedTest, LeftOut, Suite,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;
use hyperkill_report::text::{Align, Style, Table};

/// Runs of a test that are shown if they did not pass.
const SHOWN_RUNS: usize = 3;

/// Alternatives to an output that are shown.
const SHOWN_OUTPUTS: usize = 8;

pub(super) fn work<'a>(
    session: &Session<'_>,
    args: &'a ExecArgs,
    (judge, scripts): (Judge<'a>, &'a Scripts),
    outputs: &'a [Port],
) -> Work<'a> {
    Work {
        judge,
        scripts,
        repeat: args.repeat,
        command: &args.command,
        agreement: Agreement {
            outputs,
            step_timeout: args.step_timeout.0,
        },
        timeout: args.timeout.0,
        one_for_all: args.reset,
        // Systems need not be there twice.
        jobs: session.jobs_asked_for.unwrap_or(1),
        budget: session.budget(),
    }
}

/// Prints the report, and writes it as JUnit if that is asked for.
pub(super) fn finish(
    session: &mut Session<'_>,
    args: &ExecArgs,
    report: &ExecReport,
    events: &[EventPort],
) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.junit {
        let text = junit::junit(report);
        session.io.disk.write(file, text.as_bytes())?;
    }
    match session.format {
        Format::Json => {
            let text = documents::to_text(report)?;
            session.print(text)?;
        }
        Format::Human => {
            let style = session.style;
            let calls = Calls::new(events);
            session.print(text(report, &calls, style))?;
        }
    }
    Ok(exit_code(session, report))
}

fn exit_code(session: &Session<'_>, report: &ExecReport) -> ExitCode {
    let ran = report.tests.all();
    if session.is_interrupted() {
        ExitCode::Interrupted
    } else if report.tests.fail > 0 {
        ExitCode::Failed
    } else if report.interrupted || report.tests.pass < ran || ran == 0 {
        ExitCode::Undecided
    } else {
        ExitCode::Success
    }
}

pub(super) fn report(
    session: &Session<'_>,
    args: &ExecArgs,
    suite: &Suite,
    scripts: &[(String, Script)],
    done: Vec<Vec<ExecutedRun>>,
    left_out: Vec<LeftOut>,
) -> ExecReport {
    let all = scripts.len() * args.repeat;
    let words = args.command.iter();
    let mut report = ExecReport {
        schema: ExecReport::SCHEMA.to_owned(),
        model: suite.model.description.clone(),
        command: words
            .map(|word: &OsString| word.to_string_lossy().into_owned())
            .collect(),
        repeat: args.repeat,
        interrupted: session.budget().stopped().is_some()
            && done.iter().map(Vec::len).sum::<usize>() < all,
        tests: ExecCounts::default(),
        runs: ExecCounts::default(),
        left_out,
        results: Vec::new(),
    };
    for ((id, _), runs) in scripts.iter().zip(done) {
        if runs.is_empty() {
            continue;
        }
        let verdict = ExecutedTest::verdict_of(&runs);
        report.tests.add(verdict);
        for run in &runs {
            report.runs.add(run.verdict);
        }
        report.results.push(ExecutedTest {
            test: id.clone(),
            kind: kind_of(suite, id),
            verdict,
            runs,
        });
    }
    report
}

fn kind_of(suite: &Suite, id: &str) -> String {
    let test = suite.tests.iter().find(|test| test.id == id);
    test.map_or(String::new(), |test| test.kind.clone())
}

/// For people.
fn text(report: &ExecReport, calls: &Calls<'_>, style: Style) -> String {
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
    let _ = write!(text, "{table}");
    for test in &report.results {
        let others = test
            .runs
            .iter()
            .filter(|run| run.verdict != ExecVerdict::Pass);
        // Of a test that passes, runs without a verdict are no news.
        let worth = others.filter(|run| {
            run.verdict != ExecVerdict::Inconclusive || test.verdict == ExecVerdict::Inconclusive
        });
        let worth: Vec<&ExecutedRun> = worth.collect();
        for run in worth.iter().take(SHOWN_RUNS) {
            push_run(&mut text, (report, calls), test, run, style);
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

fn push_run(
    text: &mut String,
    (report, calls): (&ExecReport, &Calls<'_>),
    test: &ExecutedTest,
    run: &ExecutedRun,
    style: Style,
) {
    let word = match run.verdict {
        ExecVerdict::Fail => style.red("fail"),
        ExecVerdict::Error => style.red("error"),
        ExecVerdict::Inconclusive | ExecVerdict::Pass => style.yellow("inconclusive"),
    };
    let number = match report.repeat {
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

/// The inputs and outputs of a run as text, one line for each step.
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
                format!("at {}", following::spelled(at)),
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
