//! `exec --format json`: what the tests of a suite say of a system.

use hyperkill_core::time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::ModelDescription;
use super::valuation::Valuation;

/// What a suite says of a system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecReport {
    /// `hyperkill.exec/1`.
    pub schema: String,
    /// The model that the system is compared with.
    pub model: ModelDescription,
    /// The program that speaks for the system, with its arguments.
    pub command: Vec<String>,
    /// How often each test was run.
    pub repeat: usize,
    /// Whether the user stopped it: runs that are missing were not begun.
    pub interrupted: bool,
    /// Numbers of tests by verdict.
    pub tests: ExecCounts,
    /// Numbers of runs by verdict.
    pub runs: ExecCounts,
    /// Tests that cannot be run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_out: Vec<LeftOut>,
    /// The others, in the order of the suite.
    pub results: Vec<ExecutedTest>,
}

impl ExecReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.exec/1";
}

/// How many of each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ExecCounts {
    /// Nothing speaks against the system.
    pub pass: usize,
    /// It gave an output that it must not give.
    pub fail: usize,
    /// Ended without a verdict.
    pub inconclusive: usize,
    /// The program did not answer as agreed.
    pub error: usize,
}

impl ExecCounts {
    /// Counts one more.
    pub fn add(&mut self, verdict: ExecVerdict) {
        *match verdict {
            ExecVerdict::Pass => &mut self.pass,
            ExecVerdict::Fail => &mut self.fail,
            ExecVerdict::Inconclusive => &mut self.inconclusive,
            ExecVerdict::Error => &mut self.error,
        } += 1;
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> usize {
        self.pass + self.fail + self.inconclusive + self.error
    }
}

/// What a test, or one run of it, says of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecVerdict {
    /// Nothing speaks against the system.
    Pass,
    /// It gave an output that it must not give.
    Fail,
    /// The test ended without a verdict.
    Inconclusive,
    /// The program did not answer in time, ended, or wrote something else than it should.
    Error,
}

/// A test that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Its id.
    pub test: String,
    /// Why.
    pub reason: String,
}

/// A test with its runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedTest {
    /// Its id.
    pub test: String,
    /// `linear`, `local`, `global`, `tree` or `timed`.
    pub kind: String,
    /// Fail if any run fails; else error if any run is one; else pass if any run passes.
    pub verdict: ExecVerdict,
    /// In order.
    pub runs: Vec<ExecutedRun>,
}

impl ExecutedTest {
    /// What runs say together.
    #[must_use]
    pub fn verdict_of(runs: &[ExecutedRun]) -> ExecVerdict {
        let said = |verdict| runs.iter().any(|run| run.verdict == verdict);
        let order = [ExecVerdict::Fail, ExecVerdict::Error, ExecVerdict::Pass];
        let strongest = order.into_iter().find(|verdict| said(*verdict));
        strongest.unwrap_or(ExecVerdict::Inconclusive)
    }
}

/// One run of a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedRun {
    /// Its number, from 0.
    pub run: usize,
    /// What it says.
    pub verdict: ExecVerdict,
    /// Why: `as-expected`, `allowed`, `told-apart`, `not-expected`, `not-allowed`, `other-allowed`, `refused`, `open`; of tests with times
    /// also `late`, `moment`, `lost`; of an error `not-started`, `time-out`, `ended`, `malformed`.
    pub reason: String,
    /// The step that decided it, from 0.
    pub step: usize,
    /// The reason in a sentence.
    pub message: String,
    /// Unless it passed: what was set and seen.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seen: Vec<SeenStep>,
    /// Of a fail: what the test expects, or allows, in the place of the last answer, as far as that is listed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub instead: Vec<Valuation>,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenStep {
    /// Of a test at moments: when, in units since the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "super::result::time")]
    pub at: Option<Time>,
    /// What was set.
    pub inputs: Valuation,
    /// What was answered; missing if nothing was, or nothing that is an answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outputs: Option<Valuation>,
}
