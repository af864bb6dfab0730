//! The answers to a formula of the user's, as in `hyperkill.check/1`.

use hyperkill_formulas::Traces;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::Evidence;
use super::valuation::Valuation;

/// `verify --formula … --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormulaReport {
    /// `hyperkill.check/1`.
    pub schema: String,
    /// Name of the file, `-` for standard input.
    pub model: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The formula.
    pub formula: String,
    /// Which traces it is about.
    #[serde(default)]
    pub reading: ReadingWord,
    /// One answer per mutant if the formula speaks of `mut`, else one.
    pub results: Vec<FormulaResult>,
}

/// Which traces a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadingWord {
    /// Infinite ones.
    #[default]
    Infinite,
    /// Finite ones of one length: of some, if the formula begins with `exists`, of every, if it begins with `forall`.
    Finite,
}

impl From<Traces> for ReadingWord {
    fn from(traces: Traces) -> ReadingWord {
        match traces {
            Traces::Infinite => ReadingWord::Infinite,
            Traces::Finite => ReadingWord::Finite,
        }
    }
}

/// Whether the formula holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormulaResult {
    /// The mutant that `mut` means, if the formula speaks of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant: Option<String>,
    /// `formula`.
    pub property: String,
    /// The answer.
    pub verdict: TruthWord,
    /// What found it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// With traces: after so many steps they have decided it, whatever the other traces do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// Where the answer is unknown: no traces of at most so many steps decide it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// Why it is unknown: bound, time, memory, interrupted or engines (those asked for have nothing more to try).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Traces for the leading quantifiers: an example of what exists, or a counterexample to what is said of all. They have been checked.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<FormulaTrace>,
    /// The proof that there are no such traces, which has been checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
    /// Time spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

/// Whether a formula holds.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TruthWord {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// Undecided.
    Unknown,
}

impl TruthWord {
    /// The word in the document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            TruthWord::Holds => "holds",
            TruthWord::Fails => "fails",
            TruthWord::Unknown => "unknown",
        }
    }
}

/// A trace, finite or infinite as the formula is read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormulaTrace {
    /// The trace variable.
    pub trace: String,
    /// `original` or `mutant`.
    pub of: String,
    /// First values of latches that start freely, by name.
    #[serde(skip_serializing_if = "Valuation::is_empty", default)]
    pub initial: Valuation,
    /// Its steps; of an infinite one, up to the end of the first round of the loop.
    pub steps: Vec<FormulaStep>,
    /// The step that follows the last one. Missing: the trace is finite, or whatever follows will do, as long as all traces have the same
    /// inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub loop_from: Option<usize>,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormulaStep {
    /// Test inputs.
    pub inputs: Valuation,
    /// Choices.
    #[serde(skip_serializing_if = "Valuation::is_empty", default)]
    pub choices: Valuation,
    /// Outputs.
    pub outputs: Valuation,
}
