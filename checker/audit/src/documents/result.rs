//! The result for one mutant.

use hyperkill_core::time::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::strategy::{Machine, Tree};
use super::valuation::Valuation;

/// The result for a mutant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MutantResult {
    /// The id of the mutant.
    pub mutant: String,
    /// The killing formula. Missing if no engine was given the mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub property: Option<String>,
    /// The verdict.
    pub verdict: VerdictWord,
    /// For a duplicate: the id of the mutant with the same circuit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<String>,
    /// For a kill: the guarantee of the test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<StrengthWord>,
    /// For a kill: the number of steps of the test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// For a kill: whether a proof excludes shorter tests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shortest: Option<bool>,
    /// The engine that found the verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<String>,
    /// For a kill: whether the test was replayed on model and mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub replayed: Option<bool>,
    /// The file in the folder of the run with the evidence, which `hyperkill certify` checks again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
    /// Whether model and mutant accept the same inputs. Null if this is unsettled.
    pub input_enabled: Option<bool>,
    /// The file with the proof that the mutant accepts all inputs of the model and, if both accept the same inputs, the reverse. Missing if
    /// the circuit has no constraints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub acceptance_certificate: Option<String>,
    /// If model and mutant accept different inputs: inputs whose last step one accepts and the other refuses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Refusal>,
    /// For an equivalent or not definitely killable mutant: the checked proof. For a kill that is not definite: the proof that no test
    /// kills the mutant definitely, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
    /// For a kill that is not definite: whether a definite one exists, if the run decides that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite: Option<DefiniteWord>,
    /// The file with the proof that no definite kill exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_certificate: Option<String>,
    /// If the existence of a definite kill is unsettled: no test of at most this many steps kills definitely.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_known_to: Option<usize>,
    /// The reason if the existence of a definite kill is unsettled: bound, time, memory, interrupted, engines (the selected engines can do
    /// no more), precondition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub definite_reason: Option<String>,
    /// For a mutant that is not definitely killable: the result on potential kills.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub potential: Option<PotentialResult>,
    /// For an undecided mutant: no test of at most this many steps exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// The reason if the mutant is undecided: bound, time, memory, interrupted, engines, precondition or acceptance (no output kills it,
    /// and its acceptance of inputs is open). For an invalid mutant: a sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// For a mutant that is equivalent in the environment of other processes: the guarantee of a test that kills it in an open environment.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub killed_when_open: Option<StrengthWord>,
    /// Remarks on the meaning of the verdict.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// Whether the verdict comes from a run of the model before an edit that cannot affect it. Its evidence was checked again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub carried_over: bool,
    /// The killing test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Test>,
    /// The seconds spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

impl MutantResult {
    /// Whether the mutant counts for the mutation score, and is undecided or has no test that kills it for certain.
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
    /// A test kills the mutant.
    Killed,
    /// Proved: no test kills the mutant.
    Equivalent,
    /// Proved: no test kills the mutant definitely.
    NotDefinitelyKillable,
    /// No output kills the mutant, but it refuses inputs that the model accepts.
    RefusesInput,
    /// Stillborn: the mutant is not a model.
    Invalid,
    /// The mutant has the same circuit as another one.
    DuplicateOf,
    /// Undecided.
    Unknown,
}

impl VerdictWord {
    /// Returns the word for the verdict in documents.
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

/// The guarantee of a kill.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum StrengthWord {
    /// The mutant fails the test if the choices are controlled as the test says.
    Controllable,
    /// The mutant may fail the test, and may also pass it.
    Potential,
    /// The mutant fails the test for certain if the tester adapts inputs to outputs as the test says.
    Adaptive,
    /// The mutant fails the test for certain.
    Definite,
}

impl StrengthWord {
    /// Returns the word for the guarantee in documents.
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
    /// Proved: no definite kill exists.
    Excluded,
    /// Undecided.
    Unsettled,
}

/// The result on potential kills of a mutant that no test kills definitely. The mutant counts in the mutation score with this verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PotentialResult {
    /// `killed` or `unknown`.
    pub verdict: VerdictWord,
    /// For a kill: the number of steps of the test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// For a kill: whether a proof excludes shorter tests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shortest: Option<bool>,
    /// If the verdict is unknown: no test of at most this many steps exists.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// The reason if the verdict is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The test, which was replayed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Test>,
    /// The file with the evidence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

impl PotentialResult {
    /// Returns a result with only a verdict.
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
    /// For a controllable test: the initial values to arrange, by latch.
    #[serde(skip_serializing_if = "Valuation::is_empty", default)]
    pub initial: Valuation,
    /// The steps. For a tree they are those of one play that ends in a fail.
    pub steps: Vec<TestStep>,
    /// For a tree: the strategy as a tree, up to a limit on its size.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<Tree>,
    /// For a tree: the complete strategy as a state machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<Machine>,
}

/// A step of a test. It has all inputs and outputs; in a timed test, only those that occur at its time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TestStep {
    /// In a timed test: the time since the previous step, or since the start for the first step. An integer, or a fraction like `"7/2"`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "time")]
    pub delay: Option<Time>,
    /// In a timed test: the time since the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "time")]
    pub at: Option<Time>,
    /// The inputs that the tester sets. A controllable test also has choices, as `nd:NAME`.
    pub inputs: Valuation,
    /// Inputs whose values do not matter: for all values of all such inputs of the test, the model gives the same outputs and the test
    /// kills the same mutants.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub free: Vec<String>,
    /// The outputs of the model.
    pub outputs: Valuation,
    /// For a local or global test: the outputs that are no fail.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed: Option<Vec<Valuation>>,
    /// False if further outputs may be allowed. Missing if the list is complete.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_complete: Option<bool>,
    /// For a test of kind `timed`: the outputs that the model may give in the wait before this step, with their times.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub windows: Option<Vec<WindowDocument>>,
    /// The outputs of a run of the mutant. Missing in suites, where a test may kill many mutants.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant_outputs: Option<Valuation>,
}

/// An interval of time since the start in which the model may give outputs. It is closed unless `after` or `before` is true.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WindowDocument {
    /// The outputs.
    pub outputs: Valuation,
    /// The lower end.
    #[schemars(schema_with = "time")]
    pub from: Time,
    /// Whether the lower end is excluded.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub after: bool,
    /// The upper end.
    #[schemars(schema_with = "time")]
    pub to: Time,
    /// Whether the upper end is excluded.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub before: bool,
}

/// Returns the JSON schema of a time in documents.
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
    /// The side that refuses the last step: `model` or `mutant`.
    pub by: String,
    /// The inputs, step by step.
    pub inputs: Vec<Valuation>,
    /// The outputs of the other side, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outputs: Vec<Valuation>,
    /// The file with the run of the other side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

/// A proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `k-induction`, `invariant` (clauses that are inductive together with equalities), `closed-set` or `simulation`. For a formula also
    /// `end` (no traces have `k` steps, so no infinite traces exist), `no-lasso` (an invariant: no state of the traces and their monitor
    /// recurs), `k-liveness` (an invariant: the fairness condition is met at most `k` times) and `inclusion` (a closed set of positions of
    /// the automaton of refuting traces, with transition profiles for loops).
    pub kind: String,
    /// The statement that was proved. For k-induction and invariants it is the question whose difference is unreachable: `phi1`,
    /// `phi1-controllable` (with common choices), `identity` (the model copies the mutant's choices), `tracked-PREFERENCE` (the model
    /// follows the mutant's outputs) or `agreeing-PREFERENCE` (both choose so that outputs agree). PREFERENCE is the order among equally
    /// good choices. For closed sets and simulation relations: `matched` (some run of the model gives the mutant's outputs) or `agreeing`
    /// (some run of each gives the same outputs).
    pub of: String,
    /// The depth of the induction, the number of steps of `end`, or the bound of `k-liveness`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub k: Option<usize>,
    /// Whether the induction assumes that the states of a path are pairwise different.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub simple_path: Option<bool>,
    /// The number of inductive equalities that strengthen the proof.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub facts: Option<usize>,
    /// The number of further clauses of the invariant, or of transition profiles of an inclusion.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clauses: Option<usize>,
    /// The number of positions of the closed set. For a formula: the number of responses of universal traces of which one always refutes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub positions: Option<usize>,
}
