//! `score --format json`: the mutants of a run that a bench, another suite or properties detect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{ModelDescription, PlaceDescription};
use super::result::{StrengthWord, VerdictWord};
use super::summary::Interval;

/// The mutants of a run that a bench, another suite or properties detect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoreReport {
    /// `hyperkill.score/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// The scored object. The score of the run's own suite is in `outcomes.json` and independent of this one.
    pub of: Scored,
    /// The columns of the kill matrix: `command`, the tests, or the properties.
    pub tests: Vec<String>,
    /// Counts over all mutants.
    pub counts: ScoreCounts,
    /// Detected mutants in percent of the killable ones. Missing if there are none. It is an interval if a time limit left mutants open, or
    /// if undecided mutants are not detected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<Interval>,
    /// Whether the user stopped the command.
    pub interrupted: bool,
    /// The killable and the undecided mutants, in catalogue order.
    pub mutants: Vec<ScoredMutant>,
}

impl ScoreReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.score/1";
}

/// The scored object: exactly one of the fields is set.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Scored {
    /// A command that is run on the source of each mutant, with its arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<Vec<String>>,
    /// The file of the tests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suite: Option<String>,
    /// Whether the properties stated in the model are scored.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub specs: bool,
}

/// The number of mutants in each category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScoreCounts {
    /// Mutants that the run killed, or that refuse inputs of the model.
    pub killable: usize,
    /// Mutants that the run left undecided.
    pub undecided: usize,
    /// Mutants that an answer detected.
    pub killed: usize,
    /// Mutants that were not detected.
    pub survived: usize,
    /// Survivors that the run left undecided. They may be equivalent.
    pub survived_undecided: usize,
    /// Mutants detected because the command did not end in time.
    #[serde(default)]
    pub not_ended: usize,
    /// Mutants stopped by a time limit before they were detected.
    pub time_out: usize,
    /// Mutants that were not tried.
    pub open: usize,
    /// Mutants left out because they are proved equivalent.
    pub equivalent: usize,
    /// Mutants left out because another one has the same circuit.
    pub duplicate: usize,
    /// Mutants left out because they are not models.
    pub invalid: usize,
}

/// A mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScoredMutant {
    /// The id of the mutant.
    pub mutant: String,
    /// The verdict of the run.
    pub verdict: VerdictWord,
    /// For a kill: the guarantee of the run's test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<StrengthWord>,
    /// The mutation operator, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub operator: Option<String>,
    /// The place in the source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<PlaceDescription>,
    /// The source text at this place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// The text of the mutant at this place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replacement: Option<String>,
    /// Whether the mutant was detected.
    pub result: ScoreResult,
    /// The exit of the command, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
    /// The columns that detect the mutant.
    pub killed_by: Vec<String>,
    /// For a survivor: the test of the run's own suite that kills it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub would_kill: Option<String>,
}

/// Whether a mutant is detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreResult {
    /// An answer detected the mutant.
    Killed,
    /// The mutant was not detected.
    Survived,
    /// The command ended in time on the model but not on the mutant. The mutant counts as detected.
    NotEnded,
    /// A time limit stopped the command before the mutant was detected.
    TimeOut,
    /// The mutant was not tried: the command could not be started, or was stopped.
    Open,
}

impl ScoreResult {
    /// Whether the mutant is detected.
    #[must_use]
    pub fn is_noticed(self) -> bool {
        matches!(self, ScoreResult::Killed | ScoreResult::NotEnded)
    }
}

impl ScoreReport {
    /// Counts the mutants and computes the score.
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
            // Upper bound: all mutants that were stopped are detected, and undecided survivors are equivalent.
            high: percent(
                noticed + counts.time_out + counts.open,
                all - counts.survived_undecided,
            ),
        });
    }
}
