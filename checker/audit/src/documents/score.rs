//! `score --format json`: which mutants something other than the run's own suite notices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{ModelDescription, PlaceDescription};
use super::result::{StrengthWord, VerdictWord};
use super::summary::Interval;

/// What a bench, a suite or properties notice of the mutants of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoreReport {
    /// `hyperkill.score/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// Whose score it is. That of the run's own suite is in its `outcomes.json`, and says nothing about this one.
    pub of: Scored,
    /// The columns of the kill matrix: `command`, the tests, or the properties.
    pub tests: Vec<String>,
    /// Numbers.
    pub counts: ScoreCounts,
    /// Noticed mutants in percent of those that can be killed; missing if there are none. Mutants that a limit of time left open, and
    /// undecided ones that are not noticed, make it an interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<Interval>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// The mutants that can be killed, or are undecided, in catalogue order.
    pub mutants: Vec<ScoredMutant>,
}

impl ScoreReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.score/1";
}

/// What is scored: one of these.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Scored {
    /// A command that looks at the source of each mutant, with its arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<Vec<String>>,
    /// The file of the tests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suite: Option<String>,
    /// The properties that the model states itself.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub specs: bool,
}

/// How many mutants are what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScoreCounts {
    /// Can be killed, as the run has shown, or refuse inputs that the model accepts.
    pub killable: usize,
    /// Undecided by the run.
    pub undecided: usize,
    /// Noticed by an answer.
    pub killed: usize,
    /// Not noticed.
    pub survived: usize,
    /// Of these: undecided by the run, so that nobody knows whether they could be noticed.
    pub survived_undecided: usize,
    /// Noticed, since the command did not end in time.
    #[serde(default)]
    pub not_ended: usize,
    /// Stopped by a limit of time before anything was noticed.
    pub time_out: usize,
    /// Not looked at.
    pub open: usize,
    /// Left out, since proved equivalent.
    pub equivalent: usize,
    /// Left out, since the same circuit as another one.
    pub duplicate: usize,
    /// Left out, since no models.
    pub invalid: usize,
}

/// A mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoredMutant {
    /// Its id.
    pub mutant: String,
    /// What the run found out.
    pub verdict: VerdictWord,
    /// For a kill: what the run's test guarantees.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<StrengthWord>,
    /// The mutation operator, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// Where in the source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<PlaceDescription>,
    /// The source text there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// What stands there in the mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replacement: Option<String>,
    /// What came out.
    pub result: ScoreResult,
    /// How the command ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
    /// The columns that notice it.
    pub killed_by: Vec<String>,
    /// Of a survivor: the test of the run's own suite that kills it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub would_kill: Option<String>,
}

/// Whether a mutant is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreResult {
    /// It is.
    Killed,
    /// It is not.
    Survived,
    /// The command did not end on it in time, though it ended on the model: it is noticed.
    NotEnded,
    /// Stopped by a limit of time before anything was noticed.
    TimeOut,
    /// Not looked at: the command could not be started, or everything was stopped.
    Open,
}

impl ScoreResult {
    /// Whether the mutant is noticed.
    #[must_use]
    pub fn is_noticed(self) -> bool {
        matches!(self, ScoreResult::Killed | ScoreResult::NotEnded)
    }
}

impl ScoreReport {
    /// Counts the mutants, and says the score.
    pub fn count(&mut self) {
        let counts = &mut self.counts;
        for mutant in &self.mutants {
            let is_undecided = mutant.verdict == VerdictWord::Unknown;
            match is_undecided {
                true => counts.undecided += 1,
                false => counts.killable += 1,
            }
            match mutant.result {
                ScoreResult::Killed => counts.killed += 1,
                ScoreResult::Survived => {
                    counts.survived += 1;
                    counts.survived_undecided += usize::from(is_undecided);
                }
                ScoreResult::NotEnded => counts.not_ended += 1,
                ScoreResult::TimeOut => counts.time_out += 1,
                ScoreResult::Open => counts.open += 1,
            }
        }
        let all = self.mutants.len();
        let percent = |part: usize, whole: usize| match whole {
            0 => 100.0,
            _ => (part as f64 / whole as f64 * 1000.0).round() / 10.0,
        };
        let noticed = counts.killed + counts.not_ended;
        self.score = (all > 0).then(|| Interval {
            low: percent(noticed, all),
            // At best all that were stopped are noticed, and undecided survivors are equivalent.
            high: percent(
                noticed + counts.time_out + counts.open,
                all - counts.survived_undecided,
            ),
        });
    }
}
