//! The folder that `hyperkill verify -o` writes: `answers.json`, and a certificate for each answer.
//!
//! A bit string has one character, 0 or 1, per latch that is no selector, or per input of the circuit. A trace is numbered by its place in
//! the prefix of the formula.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::certificate::{FactEvidence, RunEvidence, SideWord};
use super::formula::{FormulaResult, ReadingWord, TruthWord};
use super::model::{ModelDescription, Reading};

/// `answers.json`: the answers to a formula about models.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// `hyperkill.answers/1`.
    pub schema: String,
    /// The models that the formula is about.
    pub systems: Vec<AnsweredSystem>,
    /// The formula, in hyperkill's own language.
    pub formula: String,
    /// Whether the formula is about infinite or finite traces.
    pub traces: ReadingWord,
    /// One answer per mutant if the formula contains `mut`; otherwise one answer.
    pub results: Vec<FormulaResult>,
}

impl Answers {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.answers/1";
}

/// A model that a formula is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnsweredSystem {
    /// The trace variables that range over this model. Empty if all of them do.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<String>,
    /// The model.
    pub model: ModelDescription,
    /// The options with which the model was read.
    pub reading: Reading,
}

/// `certificates/*.json` in that folder: an answer and its evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerCertificate {
    /// `hyperkill.answer/1`.
    pub schema: String,
    /// SHA-256 of the circuit of the model as a binary AIGER file, without comments.
    pub circuit: String,
    /// The formula.
    pub formula: String,
    /// Whether the formula is about infinite or finite traces.
    pub traces: ReadingWord,
    /// The mutant that `mut` stands for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant: Option<String>,
    /// `holds` or `fails`.
    pub verdict: TruthWord,
    /// The formula that the evidence is about: the formula itself, or its negation if the formula begins with `forall`.
    pub asked: String,
    /// The evidence for the answer.
    pub evidence: AnswerEvidence,
}

impl AnswerCertificate {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.answer/1";
}

/// The evidence for an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerEvidence {
    /// Witness traces for the leading quantifiers.
    Traces(TracesEvidence),
    /// An inductive proof that universal traces which copy inputs or choices of leading traces refute all leading traces.
    Proof(StatementEvidence),
    /// A bound: no traces of this many steps satisfy the matrix of the formula.
    End(usize),
    /// An invariant that excludes all infinite traces that satisfy the formula.
    Excluded(ExclusionEvidence),
    /// Infinite witness traces for the leading quantifiers, and an invariant that no universal traces refute them.
    Withstood(WithstoodEvidence),
    /// A closed set of positions that shows that every choice of leading traces is refuted.
    Inclusion(InclusionEvidence),
    /// Responses of the universal traces, and an invariant that every choice of leading traces is refuted by one of them.
    Refuted(RefutedEvidence),
}

/// Witness traces for the leading quantifiers, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracesEvidence {
    /// The traces, all of one length.
    pub runs: Vec<TraceEvidence>,
    /// The number of steps after which no universal traces can refute the witness any more.
    pub decided: usize,
    /// The continuation after the last step.
    pub beyond: BeyondEvidence,
}

/// A trace as bit strings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceEvidence {
    /// Whether it is a trace of the model or of the mutant.
    pub of: SideWord,
    /// The number of the system, from 0, in a circuit that holds more than two systems. Missing for the first two.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub system: Option<usize>,
    /// First values of the latches.
    pub initial: String,
    /// Inputs per step, choices included.
    pub steps: Vec<String>,
}

/// The continuation of traces after their last step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BeyondEvidence {
    /// None: the traces are finite.
    Nothing,
    /// Any continuation in which all traces have the same inputs.
    Anything,
    /// A lasso: the steps from this one on are repeated for ever.
    Loop(usize),
}

/// A proof by induction about traces, some of which copy the inputs or choices of others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementEvidence {
    /// The source of each trace, in the order of the prefix.
    pub copies: Vec<CopyEvidence>,
    /// Depth of the induction.
    pub k: usize,
    /// Whether the induction assumes that the states of a path are pairwise different.
    pub simple_path: bool,
    /// The facts that are inductive together.
    pub facts: Vec<FactEvidence>,
    /// The depth of the induction of the facts: the number of steps in which the facts are assumed in order to prove them for the next
    /// step.
    pub facts_depth: usize,
}

/// The source of a trace in a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyEvidence {
    /// Whether it is a trace of the model or of the mutant.
    pub of: SideWord,
    /// The trace with the same test inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inputs_of: Option<usize>,
    /// The trace with the same choices.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub choices_of: Option<usize>,
}

/// An invariant of a circuit that is built from the formula and the rest of the evidence. It shows that no infinite run of the circuit
/// meets the fairness conditions infinitely often.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExclusionEvidence {
    /// The bound of k-liveness: the conditions are met at most this many times. Missing if no state recurs with all conditions met.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub k: Option<usize>,
    /// SHA-256 of the circuit with this safety problem, as a binary AIGER file with one bad state.
    pub circuit: String,
    /// The clauses of the invariant. A literal is the index of a latch of that circuit, preceded by `!` if it is negated.
    pub clauses: Vec<String>,
}

/// Witness traces that no universal traces refute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithstoodEvidence {
    /// The traces.
    pub traces: TracesEvidence,
    /// The evidence that no universal traces refute them.
    pub exclusion: ExclusionEvidence,
}

/// Responses of universal traces, of which at least one refutes each choice of leading traces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefutedEvidence {
    /// The responses. Each choice of leading traces is refuted by at least one of them.
    pub responses: Vec<ResponseEvidence>,
    /// The evidence that no leading traces withstand all responses.
    pub exclusion: ExclusionEvidence,
}

/// A response: a rule for the traces of the inner quantifiers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseEvidence {
    /// Each inner trace makes the choices of a leading trace, which is given by its place in the prefix.
    Copies(Vec<usize>),
    /// Each step takes the first values of the inputs with which the obligations of the traces hold now and can be kept at the next step.
    Follows,
    /// A strategy as the text of an AIGER file. Its inputs and outputs are named `NAME_k`, with k the place of a trace in the prefix.
    Circuit(String),
    /// Fixed traces.
    Traces {
        /// The traces.
        runs: Vec<RunEvidence>,
        /// The step at which their loop begins.
        loop_from: usize,
    },
}

/// A closed set of positions of an automaton that accepts every choice of leading traces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InclusionEvidence {
    /// States of the leading traces, as values of their latches.
    pub outer: Vec<String>,
    /// Positions of the automaton, each `BITS CONDITION`: the values of its latches, and the acceptance condition that is awaited.
    pub positions: Vec<String>,
    /// Sets of positions after a finite prefix, each `STATE: POSITION …`.
    pub sets: Vec<String>,
    /// Transition profiles (Ramsey), each `STATE STATE: FROM TO …`: the positions that are linked along outer paths between two states. A
    /// `!` after a pair marks a path that meets all acceptance conditions.
    pub ways: Vec<String>,
}
