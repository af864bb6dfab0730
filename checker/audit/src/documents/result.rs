//! The result for one mutant.

use hyperkill_core::time::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::strategy::{Machine, Tree};
use super::valuation::Valuation;

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
    /// The file in the run's folder with what shows the verdict, to be checked again by `hyperkill certify`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
    /// Whether model and mutant accept the same inputs; null where that is not settled.
    pub input_enabled: Option<bool>,
    /// The file with the proof of that: that the mutant accepts what the model accepts and, if they accept the same, the reverse.
    /// Missing where the circuit has no constraints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub acceptance_certificate: Option<String>,
    /// Where they do not: inputs that one accepts and the other refuses at the last step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Refusal>,
    /// For an equivalent or not definitely killable mutant: the proof, which has been checked. For a kill that is not definite:
    /// the proof that no test kills definitely, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
    /// For a kill that is not definite: whether a definite one exists, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite: Option<DefiniteWord>,
    /// Where that is excluded: the file with the proof.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_certificate: Option<String>,
    /// Where that is unsettled: no test of at most so many steps kills definitely.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_known_to: Option<usize>,
    /// Why it is unsettled: bound, time, memory, interrupted, engines (those asked for have nothing more to try), precondition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_reason: Option<String>,
    /// For a mutant that is not definitely killable: what is known of potential kills.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub potential: Option<PotentialResult>,
    /// For an undecided mutant: no test of at most so many steps exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// Why it is undecided (bound, time, memory, interrupted, engines, precondition; acceptance: no output tells, but whether it refuses
    /// inputs is open) or invalid (a sentence).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// For a mutant that is equivalent in the environment of other processes: how surely a test kills it in an open one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub killed_when_open: Option<StrengthWord>,
    /// What one must know to read the verdict rightly.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// True if it was found out by a run of the model before an edit that cannot matter here. Its evidence was checked again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub carried_over: bool,
    /// The killing test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Test>,
    /// Time spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

impl MutantResult {
    /// Whether it counts for the mutation score, and is undecided or no test kills it for certain.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self.verdict {
            VerdictWord::Killed => !matches!(
                self.strength,
                Some(StrengthWord::Definite | StrengthWord::Adaptive)
            ),
            VerdictWord::NotDefinitelyKillable
            | VerdictWord::RefusesInput
            | VerdictWord::Unknown => true,
            VerdictWord::Equivalent | VerdictWord::Invalid | VerdictWord::DuplicateOf => false,
        }
    }
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

/// Whether a definite kill exists where a weaker one is given.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DefiniteWord {
    /// Proved: none does.
    Excluded,
    /// Nobody knows.
    Unsettled,
}

/// What is known of potential kills of a mutant that no test kills definitely. It counts in the mutation score as this verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PotentialResult {
    /// `killed` or `unknown`.
    pub verdict: VerdictWord,
    /// For a kill: length of the test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// For a kill: whether it is known that no shorter test exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shortest: Option<bool>,
    /// Where it is unknown: no test of at most so many steps exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The test, which was replayed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Test>,
    /// The file with what shows it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

impl PotentialResult {
    /// With nothing known but the word.
    #[must_use]
    pub fn blank(verdict: VerdictWord) -> PotentialResult {
        PotentialResult {
            verdict,
            steps: None,
            shortest: None,
            known_to: None,
            reason: None,
            test: None,
            certificate: None,
        }
    }
}

/// A killing test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// `linear`, `local`, `global` or `tree`.
    pub kind: String,
    /// For a controllable test: initial values to arrange, by latch.
    #[serde(skip_serializing_if = "Valuation::is_empty", default)]
    pub initial: Valuation,
    /// The steps; of a tree those of one play that ends in a fail.
    pub steps: Vec<TestStep>,
    /// Of a tree: the strategy unfolded, as far as it is not too large.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<Tree>,
    /// Of a tree: the strategy as a state machine, whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<Machine>,
}

/// A step of a test. Every input and every output appears; in a timed test those that happen at its moment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TestStep {
    /// In a timed test: the time since the step before, the first since the start. An integer, or a fraction like `"7/2"`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "time")]
    pub delay: Option<Time>,
    /// In a timed test: the time since the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "time")]
    pub at: Option<Time>,
    /// What the tester sets; for a controllable test choices too, as `nd:NAME`.
    pub inputs: Valuation,
    /// Inputs that decide nothing: whatever values all those have that tests name so, the model answers the same, and what the test kills
    /// otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub free: Vec<String>,
    /// What the model answers.
    pub outputs: Valuation,
    /// Of a local or global test: what it may answer without failing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed: Option<Vec<Valuation>>,
    /// False if answers that are not listed may be allowed too; missing if all are listed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_complete: Option<bool>,
    /// Of a timed test of kind `timed`: what the model may do in the wait before this step, and when.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub windows: Option<Vec<WindowDocument>>,
    /// What a run of the mutant answers; missing in suites, whose tests may kill many mutants.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant_outputs: Option<Valuation>,
}

/// When the model may make outputs: a stretch of time since the start, both of its ends included unless it says otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WindowDocument {
    /// The outputs.
    pub outputs: Valuation,
    /// Where it begins.
    #[schemars(schema_with = "time")]
    pub from: Time,
    /// Whether the beginning does not belong to it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub after: bool,
    /// Where it ends.
    #[schemars(schema_with = "time")]
    pub to: Time,
    /// Whether the end does not belong to it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub before: bool,
}

/// Times as documents have them.
pub(super) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "oneOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": "^[0-9]+([/.][0-9]+)?$" },
        ]
    })
}

/// Inputs that only one of model and mutant accepts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// Who refuses the last step: `model` or `mutant`.
    pub by: String,
    /// The inputs, step by step.
    pub inputs: Vec<Valuation>,
    /// What the other answers, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<Valuation>,
    /// The file with the run of the other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

/// A proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `k-induction`, `invariant` (clauses that are kept together with equalities), `closed-set` or `simulation`; of a formula also
    /// `end` (no traces have as many steps as `k` says, so that none go on for ever), `no-lasso` (an invariant that no state of the traces
    /// and their monitor comes back), `k-liveness` (an invariant that what must happen again and again happens at most `k` times) and
    /// `inclusion` (a closed set of positions of the automaton of what refutes, and of the ways that it goes in rounds of traces).
    pub kind: String,
    /// What was proved. By k-induction and invariants that no run gets to a difference: `phi1`, `phi1-controllable` (with
    /// common choices), `identity` (the model copies the mutant's choices), `tracked-PREFERENCE` (the model follows the
    /// mutant's outputs) or `agreeing-PREFERENCE` (both choose to agree), where PREFERENCE is how they choose among equals.
    /// By closed sets and simulation relations: `matched` (some run of the model gives the mutant's outputs) or `agreeing`
    /// (some run of either gives the same outputs).
    pub of: String,
    /// Depth of the induction, or a number of steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub k: Option<usize>,
    /// Whether the states of a path had to be pairwise different.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub simple_path: Option<bool>,
    /// How many inductive equalities strengthen it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub facts: Option<usize>,
    /// How many clauses the invariant has besides; how many rounds an inclusion lists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clauses: Option<usize>,
    /// How many positions the closed set has; of a formula, how many responses of universal traces refute all others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub positions: Option<usize>,
}
