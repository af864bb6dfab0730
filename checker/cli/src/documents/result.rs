//! The result for one mutant, as in `hyperkill.check/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::summary::Summary;
use super::valuation::Valuation;

/// `check --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// `hyperkill.check/1`.
    pub schema: String,
    /// Name of the file, `-` for standard input.
    pub model: String,
    /// Seed of everything random.
    pub seed: u64,
    /// What is known of the original: deterministic, non-deterministic or unsettled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// One result per mutant, in the order of the file.
    pub results: Vec<MutantResult>,
    /// Numbers over all results.
    pub summary: Summary,
}

impl CheckReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.check/1";
}

/// What is known of a mutant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantResult {
    /// Its id.
    pub mutant: String,
    /// The killing formula asked; missing where no engine looked at the mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub property: Option<String>,
    /// The answer.
    pub verdict: VerdictWord,
    /// For a duplicate: the mutant with the same circuit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<String>,
    /// For a kill: what the test guarantees.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<StrengthWord>,
    /// For a kill: length of the test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// For a kill: whether it is known that no shorter test exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shortest: Option<bool>,
    /// What found it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// For a kill: the test was replayed on model and mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replayed: Option<bool>,
    /// Whether model and mutant accept the same inputs; null where that is not settled.
    pub input_enabled: Option<bool>,
    /// Where they do not: inputs that one accepts and the other refuses at the last step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Refusal>,
    /// For an equivalent mutant: the proof, which has been checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
    /// For an undecided mutant: no test of at most so many steps exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// Why it is undecided (bound, time, interrupted, precondition) or invalid (a sentence).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// What one must know to read the verdict rightly.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// The killing test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Test>,
    /// Time spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

/// A verdict.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictWord {
    /// A test exists.
    Killed,
    /// Proved: no test exists.
    Equivalent,
    /// Proved: no test kills it definitely.
    NotDefinitelyKillable,
    /// No output kills it, but it refuses inputs that the model accepts.
    RefusesInput,
    /// Stillborn: no model at all.
    Invalid,
    /// The same circuit as another mutant.
    DuplicateOf,
    /// Undecided.
    Unknown,
}

impl VerdictWord {
    /// The word in the document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            VerdictWord::Killed => "killed",
            VerdictWord::Equivalent => "equivalent",
            VerdictWord::NotDefinitelyKillable => "not-definitely-killable",
            VerdictWord::RefusesInput => "refuses-input",
            VerdictWord::Invalid => "invalid",
            VerdictWord::DuplicateOf => "duplicate-of",
            VerdictWord::Unknown => "unknown",
        }
    }
}

/// What a kill guarantees.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum StrengthWord {
    /// Only if choices are controlled as the test says.
    Controllable,
    /// The mutant may, but need not, show it.
    Potential,
    /// The mutant cannot pass the test, if the tester follows it.
    Adaptive,
    /// The mutant cannot pass the test.
    Definite,
}

impl StrengthWord {
    /// The word in the document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            StrengthWord::Controllable => "controllable",
            StrengthWord::Potential => "potential",
            StrengthWord::Adaptive => "adaptive",
            StrengthWord::Definite => "definite",
        }
    }
}

/// A killing test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// `linear`.
    pub kind: String,
    /// For a controllable test: initial values to arrange, by latch.
    #[serde(skip_serializing_if = "Valuation::is_empty", default)]
    pub initial: Valuation,
    /// The steps.
    pub steps: Vec<TestStep>,
}

/// A step of a test. Every input and every output appears.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TestStep {
    /// What the tester sets; for a controllable test choices too, as `nd:NAME`.
    pub inputs: Valuation,
    /// What the model answers.
    pub outputs: Valuation,
    /// What a run of the mutant answers; missing in suites, whose tests may kill many mutants.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant_outputs: Option<Valuation>,
}

/// Inputs that only one of model and mutant accepts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// Who refuses the last step: `model` or `mutant`.
    pub by: String,
    /// The inputs, step by step.
    pub inputs: Vec<Valuation>,
}

/// A proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `k-induction` or `closed-set`.
    pub kind: String,
    /// What was proved: `phi1`, `phi1-controllable` (phi1 with common choices) or `identity` (the model can copy the mutant's choices and gives the same outputs);
    /// of closed sets: `matched` (some run of the model gives the mutant's outputs) or `agreeing` (a run of either gives the same outputs).
    pub of: String,
    /// Depth of the induction.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub k: Option<usize>,
    /// Whether the states of a path had to be pairwise different.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub simple_path: Option<bool>,
    /// How many inductive facts strengthen it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub facts: Option<usize>,
    /// How many positions the closed set has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub positions: Option<usize>,
}
