//! `exec --format json`: the verdicts of the tests of a suite on a system.

use hyperkill_core::time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::ModelDescription;
use super::valuation::Valuation;

/// The verdicts of a suite on a system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecReport {
    /// `hyperkill.exec/1`.
    pub schema: String,
    /// The model that the system is compared with.
    pub model: ModelDescription,
    /// The program that connects to the system, with its arguments.
    pub command: Vec<String>,
    /// The number of runs of each test.
    pub repeat: usize,
    /// Whether the user stopped the command. Runs that are missing were not started.
    pub interrupted: bool,
    /// The number of tests by verdict.
    pub tests: ExecCounts,
    /// The number of runs by verdict.
    pub runs: ExecCounts,
    /// Tests that cannot be run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_out: Vec<LeftOut>,
    /// The tests that were run, in the order of the suite.
    pub results: Vec<ExecutedTest>,
}

impl ExecReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.exec/1";
}

/// The number of tests or runs with each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ExecCounts {
    /// No output contradicts the model.
    pub pass: usize,
    /// The system gave an output that the test does not allow.
    pub fail: usize,
    /// The test ended without a verdict.
    pub inconclusive: usize,
    /// The program did not follow the protocol.
    pub error: usize,
}

impl ExecCounts {
    /// Increments the count of a verdict.
    pub fn add(&mut self, verdict: ExecVerdict) {
        *match verdict {
            ExecVerdict::Pass => &mut self.pass,
            ExecVerdict::Fail => &mut self.fail,
            ExecVerdict::Inconclusive => &mut self.inconclusive,
            ExecVerdict::Error => &mut self.error,
        } += 1;
    }

    /// Returns the sum of all counts.
    #[must_use]
    pub fn all(&self) -> usize {
        self.pass + self.fail + self.inconclusive + self.error
    }
}

/// The verdict of a test, or of one run of it, on a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecVerdict {
    /// No output contradicts the model.
    Pass,
    /// The system gave an output that the test does not allow.
    Fail,
    /// The test ended without a verdict.
    Inconclusive,
    /// The program did not answer in time, ended early, or wrote an invalid answer.
    Error,
}

/// A test that cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The id of the test.
    pub test: String,
    /// The reason.
    pub reason: String,
}

/// A test with its runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedTest {
    /// The id of the test.
    pub test: String,
    /// `linear`, `local`, `global`, `tree` or `timed`.
    pub kind: String,
    /// Fail if any run fails; otherwise error if any run ends in an error; otherwise pass if any run passes.
    pub verdict: ExecVerdict,
    /// The runs, in order.
    pub runs: Vec<ExecutedRun>,
}

impl ExecutedTest {
    /// Returns the verdict of a test from its runs: fail, error or pass if any run has this verdict, in this order; else inconclusive.
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
    /// The verdict of the run.
    pub verdict: ExecVerdict,
    /// The reason of the verdict: `as-expected`, `allowed`, `told-apart`, `not-expected`, `not-allowed`, `other-allowed`, `refused`,
    /// `open`; for tests with times also `late`, `moment`, `lost`; for an error `not-started`, `time-out`, `ended`, `malformed`.
    pub reason: String,
    /// The step that decided the run, from 0.
    pub step: usize,
    /// The reason in a sentence.
    pub message: String,
    /// The inputs that were set and the outputs that were seen. Empty if the run passed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seen: Vec<SeenStep>,
    /// For a fail: the outputs that the test expects or allows in place of the last answer, as far as the test lists them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub instead: Vec<Valuation>,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenStep {
    /// For a timed test: the time of the step since the start, in units of time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "super::result::time")]
    pub at: Option<Time>,
    /// The inputs that were set.
    pub inputs: Valuation,
    /// The outputs of the system. Missing if it gave no valid answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outputs: Option<Valuation>,
}
