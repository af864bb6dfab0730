//! Report on the runs of a suite.

use hyperkill_audit::documents::{
    ExecCounts, ExecReport, ExecutedRun, ExecutedTest, LeftOut, Suite,
};

use crate::runs::Work;

/// Returns the report on the runs of a suite's tests. `done` contains the runs of each test of `work`; `left_out` names the tests that were
/// not run, and `command` is the program with its arguments.
#[must_use]
pub fn report(
    suite: &Suite,
    work: &Work<'_>,
    command: Vec<String>,
    left_out: Vec<LeftOut>,
    done: Vec<Vec<ExecutedRun>>,
) -> ExecReport {
    let mut report = ExecReport {
        schema: ExecReport::SCHEMA.to_owned(),
        model: suite.model.description.clone(),
        command,
        repeat: work.repeat,
        interrupted: work.budget.stopped().is_some()
            && done.iter().map(Vec::len).sum::<usize>() < work.runs(),
        tests: ExecCounts::default(),
        runs: ExecCounts::default(),
        left_out,
        results: Vec::new(),
    };
    for (planned, runs) in work.tests.iter().zip(done) {
        if runs.is_empty() {
            continue;
        }
        let verdict = ExecutedTest::verdict_of(&runs);
        report.tests.add(verdict);
        for run in &runs {
            report.runs.add(run.verdict);
        }
        let test = suite.tests.iter().find(|test| test.id == planned.id);
        report.results.push(ExecutedTest {
            test: planned.id.clone(),
            kind: test.map_or(String::new(), |test| test.kind.clone()),
            verdict,
            runs,
        });
    }
    report
}
