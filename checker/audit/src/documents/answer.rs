//! The folder that `hyperkill verify -o` writes: `answers.json`, and a certificate for each answer.
//!
//! Strings of bits have one character, 0 or 1, per latch that is no selector or per input of the circuit. Traces go by
//! their place in the prefix of the formula.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::certificate::{FactEvidence, RunEvidence, SideWord};
use super::formula::{FormulaResult, ReadingWord, TruthWord};
use super::model::{ModelDescription, Reading};

/// `answers.json`: whether models satisfy a formula.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// `hyperkill.answers/1`.
    pub schema: String,
    /// What the traces are traces of.
    pub systems: Vec<AnsweredSystem>,
    /// The formula, in hyperkill's own language.
    pub formula: String,
    /// Which traces it is about.
    pub traces: ReadingWord,
    /// One answer per mutant if the formula speaks of `mut`, else one.
    pub results: Vec<FormulaResult>,
}

impl Answers {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.answers/1";
}

/// A model that a formula is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnsweredSystem {
    /// The variables of its traces; none: all of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<String>,
    /// The model.
    pub model: ModelDescription,
    /// How it was read.
    pub reading: Reading,
}

/// `certificates/*.json` there: an answer, and what shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerCertificate {
    /// `hyperkill.answer/1`.
    pub schema: String,
    /// SHA-256 of the circuit of the model as a binary AIGER file, without comments.
    pub circuit: String,
    /// The formula.
    pub formula: String,
    /// Which traces it is about.
    pub traces: ReadingWord,
    /// The mutant that `mut` means.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mutant: Option<String>,
    /// `holds` or `fails`.
    pub verdict: TruthWord,
    /// The formula that the evidence is about: the formula itself, or its negation if it begins with `forall`.
    pub asked: String,
    /// What shows it.
    pub evidence: AnswerEvidence,
}

impl AnswerCertificate {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.answer/1";
}

/// What shows an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerEvidence {
    /// Traces for the leading quantifiers.
    Traces(TracesEvidence),
    /// An inductive proof that universal traces which copy others refute all.
    Proof(StatementEvidence),
    /// No traces of so many steps satisfy what the formula asserts of them.
    End(usize),
    /// An invariant that no infinite traces satisfy the formula.
    Excluded(ExclusionEvidence),
    /// Infinite traces for the leading quantifiers, and an invariant that no others refute them.
    Withstood(WithstoodEvidence),
    /// A closed set that shows that all leading traces are refuted.
    Inclusion(InclusionEvidence),
    /// Responses, and an invariant that no leading traces withstand them all.
    Refuted(RefutedEvidence),
}

/// Traces for the leading quantifiers, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracesEvidence {
    /// The traces, all of one length.
    pub runs: Vec<TraceEvidence>,
    /// After so many steps the other traces cannot refute them any more.
    pub decided: usize,
    /// What follows the last step.
    pub beyond: BeyondEvidence,
}

/// A trace, bit by bit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceEvidence {
    /// What it is a trace of.
    pub of: SideWord,
    /// Of a circuit that holds more than two systems: the number of the trace's, from 0. Missing for the first two.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub system: Option<usize>,
    /// First values of the latches.
    pub initial: String,
    /// Inputs per step, choices included.
    pub steps: Vec<String>,
}

/// What follows the steps of traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BeyondEvidence {
    /// Nothing: they are finite.
    Nothing,
    /// Any steps with the same inputs for all.
    Anything,
    /// The steps from this one on, for ever.
    Loop(usize),
}

/// A proof by induction about traces of which some copy others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementEvidence {
    /// What each trace is, in the order of the prefix.
    pub copies: Vec<CopyEvidence>,
    /// Depth of the induction.
    pub k: usize,
    /// Whether the states of a path have to be pairwise different.
    pub simple_path: bool,
    /// What is inductive, all together.
    pub facts: Vec<FactEvidence>,
    /// How many steps in which the facts hold are needed for them to hold in the next.
    pub facts_depth: usize,
}

/// What a trace is in a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyEvidence {
    /// What it is a trace of.
    pub of: SideWord,
    /// The trace whose test inputs it has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inputs_of: Option<usize>,
    /// The trace whose choices it makes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub choices_of: Option<usize>,
}

/// That a circuit made of the formula and the rest of the evidence has no infinite run that meets its conditions again and again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExclusionEvidence {
    /// The conditions are met at most so many times. Missing: no state comes back with all of them met.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub k: Option<usize>,
    /// SHA-256 of the circuit that asks this, as a binary AIGER file with one bad state.
    pub circuit: String,
    /// The invariant: clauses of literals, each the index of a latch of that circuit, with `!` before it if the latch is false.
    pub clauses: Vec<String>,
}

/// Traces that no others refute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WithstoodEvidence {
    /// The traces.
    pub traces: TracesEvidence,
    /// Why no others refute them.
    pub exclusion: ExclusionEvidence,
}

/// Responses that refute all.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefutedEvidence {
    /// Of these one refutes whatever the leading traces are.
    pub responses: Vec<ResponseEvidence>,
    /// Why none withstand them all.
    pub exclusion: ExclusionEvidence,
}

/// What the traces of the inner quantifiers do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseEvidence {
    /// Each makes the choices of a leading trace, by its place in the prefix.
    Copies(Vec<usize>),
    /// The first values of their inputs with which what they must keep holds now, and can be kept at the next step.
    Follows,
    /// A strategy: an AIGER file as text, its inputs and outputs named `NAME_k`, k the place of a trace in the prefix.
    Circuit(String),
    /// Fixed traces.
    Traces {
        /// The traces.
        runs: Vec<RunEvidence>,
        /// Where their loop begins.
        loop_from: usize,
    },
}

/// That an automaton accepts all leading traces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InclusionEvidence {
    /// States of the leading traces: values of their latches.
    pub outer: Vec<String>,
    /// Positions of the automaton, each `BITS CONDITION`: values of its latches, and the condition that is waited for.
    pub positions: Vec<String>,
    /// After some first steps, each `STATE: POSITION …`.
    pub sets: Vec<String>,
    /// Rounds and their beginnings, each `STATE STATE: FROM TO …`, with `!` behind a pair on whose way all conditions are met.
    pub ways: Vec<String>,
}
