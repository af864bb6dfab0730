//! The answers to a formula of the user, in the form of `hyperkill.check/1`.

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
    /// The seed of all random decisions.
    pub seed: u64,
    /// The formula.
    pub formula: String,
    /// Whether the formula is about infinite or finite traces.
    #[serde(default)]
    pub reading: ReadingWord,
    /// One answer per mutant if the formula contains `mut`; otherwise one answer.
    pub results: Vec<FormulaResult>,
}

/// Whether a formula is about infinite or finite traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadingWord {
    /// Infinite traces.
    #[default]
    Infinite,
    /// Finite traces of equal length. A formula that begins with `exists` is about some length, one that begins with `forall` about every
    /// length.
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
    /// The mutant that `mut` stands for, if the formula contains it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant: Option<String>,
    /// `formula`.
    pub property: String,
    /// The answer.
    pub verdict: TruthWord,
    /// The engine that found the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// With traces: the number of steps after which they decide the formula, whatever the other traces are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// If the answer is unknown: no traces of at most this many steps decide it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// The reason if the answer is unknown: bound, time, memory, interrupted or engines (the selected engines can do no more).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Checked traces for the leading quantifiers: a witness of an existential formula, or a counterexample to a universal one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<FormulaTrace>,
    /// A checked proof that there are no such traces.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
    /// The seconds spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

/// Whether a formula holds.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TruthWord {
    /// The formula holds.
    Holds,
    /// The formula fails.
    Fails,
    /// Undecided.
    Unknown,
}

impl TruthWord {
    /// Returns the word for the answer in documents.
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
    /// The steps. For an infinite trace: up to the end of the first iteration of the loop.
    pub steps: Vec<FormulaStep>,
    /// The step that follows the last one. Missing if the trace is finite, or if any continuation will do in which all traces have the same
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
