//! `certificates/*.json`: evidence that can be checked again from the model file, without the engines that found it.
//!
//! A latch or an input has its index as its number. A node has its number in the conditional mutant that `hyperkill translate` writes. Each
//! number stands with the name from the symbol table, if there is one. A bit string has one character, 0 or 1, per latch that is no
//! selector, per input, or per output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folder::TestRuns;
use super::result::{StrengthWord, TestStep};

/// A certificate: one claim about mutants of one circuit, and its evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// `hyperkill.certificate/2`.
    pub schema: String,
    /// SHA-256 of the conditional mutant as a binary AIGER file, without comments. For a language with a decision procedure of its own it
    /// is the hash of the model.
    pub circuit: String,
    /// The claim about each of the mutants.
    pub claim: ClaimWord,
    /// The mutants, in the order of the circuit's selectors. There are several if one proof is about a family, and none if the claim is
    /// about the model.
    pub mutants: Vec<String>,
    /// The evidence.
    pub evidence: Shown,
}

impl Certificate {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.certificate/2";
}

/// The claim of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimWord {
    /// A test kills the mutant.
    Killed,
    /// No test kills the mutant by its outputs.
    Equivalent,
    /// The initial state of the mutant is bad, so the mutant is no model.
    Inconsistent,
    /// No test kills the mutant definitely.
    NotDefinitelyKillable,
    /// The mutant accepts all inputs that the model accepts.
    AcceptsAll,
    /// The mutant accepts the same inputs as the model.
    AcceptsTheSame,
    /// The mutant refuses an input that the model accepts.
    Refuses,
    /// The mutant accepts an input that the model refuses.
    AcceptsMore,
    /// The model has one output sequence for each input sequence.
    Deterministic,
    /// The model has two runs with the same inputs and different outputs.
    NonDeterministic,
    /// The original and these mutants are models, and no other mutants of the translation are.
    Models,
    /// The suite of the model kills every mutant of the fault domain that a test can kill.
    Complete,
}

/// The evidence for a claim.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// A run of the model and a run of the mutant.
    Kill(KillEvidence),
    /// A run of one side on inputs that the other side refuses.
    Accepted(RunEvidence),
    /// A proof that no run reaches a difference.
    Proof(ProofEvidence),
    /// Two proofs: the mutant never refuses an input that the model accepts, and the reverse.
    BothProofs([ProofEvidence; 2]),
    /// A closed set of positions, none of them a kill.
    ClosedSet(ClosedSetEvidence),
    /// A simulation relation between states, and a strategy that preserves it.
    Simulation(SimulationEvidence),
    /// State estimates: sets of states of the model that can have given the same outputs.
    Estimates(EstimatesEvidence),
    /// All pairs of sets of states that input sequences lead to.
    AcceptedSets(AcceptedSetsEvidence),
    /// Relations in which one side answers every step of the other, with any outputs.
    AcceptedRelations(AcceptedRelationsEvidence),
    /// For a model without test inputs: a run of the mutant and a run of the model that are lassos.
    Endless([RunEvidence; 2]),
    /// Two runs of the model with the same test inputs.
    Differing([RunEvidence; 2]),
    /// Latches that depend only on test inputs, outputs and each other.
    Unchosen(Vec<Place>),
    /// Values and first steps that show which mutants are models.
    Validity(ValidityEvidence),
    /// A test with names and values, for a language with a decision procedure of its own.
    OwnKill(OwnKillEvidence),
    /// A proof in the form of a language with a decision procedure of its own.
    Own(Value),
}

/// A kill with names and values. Both runs have the same inputs at the same times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnKillEvidence {
    /// The guarantee of the test.
    pub strength: StrengthWord,
    /// Whether the mutant has only this output sequence on these inputs.
    pub sole_run: bool,
    /// The run of the model.
    pub model: Vec<TestStep>,
    /// The run of the mutant.
    pub mutant: Vec<TestStep>,
}

/// A kill as bit strings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillEvidence {
    /// The guarantee of the test.
    pub strength: StrengthWord,
    /// Whether the mutant has only this output sequence on these inputs.
    pub sole_run: bool,
    /// The runs of model and mutant.
    pub runs: TestRuns,
    /// The run of the model that the test prescribes, with the same test inputs.
    pub test: RunEvidence,
}

/// A run, and the strategy if the run is a play of one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunEvidence {
    /// First values of the latches.
    pub initial: String,
    /// Inputs per step, choices included.
    pub steps: Vec<String>,
    /// For a tree: the states of the tester, with the initial state first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tree: Vec<TreeState>,
}

/// A state of the tester in a strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeState {
    /// The inputs that the tester sets.
    pub inputs: String,
    /// The allowed outputs of the model, each with the next state. Other outputs are a fail.
    pub branches: Vec<TreeStep>,
}

/// A branch of a strategy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeStep {
    /// The outputs of the model.
    pub outputs: String,
    /// The next state. Missing if the test ends with a pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

/// A proof by induction that a question's goal is unreachable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofEvidence {
    /// The question.
    pub question: QuestionEvidence,
    /// Depth of the induction.
    pub k: usize,
    /// Whether the induction assumes that the states of a path are pairwise different.
    pub simple_path: bool,
    /// The facts that are inductive together.
    pub facts: Vec<FactEvidence>,
    /// The depth of the induction of the facts: the number of steps in which the facts are assumed in order to prove them for the next
    /// step. 1 if missing.
    #[serde(skip_serializing_if = "is_one", default = "one")]
    pub facts_depth: usize,
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde has it")]
fn is_one(number: &usize) -> bool {
    *number == 1
}

/// A question about copies of the circuit, the original first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionEvidence {
    /// Copy 1 is the mutant.
    Pair(PairWord),
    /// Copy 1 is any of the mutants.
    Family(PairWord),
    /// Copy 1 is the mutant and makes the choices of copy 0. The question is whether the given side can refuse an input that the other
    /// accepts.
    Refusal(SideWord),
    /// A strategy resolves the choices.
    Steered(SteeredEvidence),
    /// Both copies are the original, with the same inputs. The question is whether their outputs can differ.
    Determinism,
}

/// A question about two copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairWord {
    /// Whether their outputs can differ on the same inputs.
    Phi1,
    /// Whether their outputs can differ on the same inputs and choices.
    Phi1Controllable,
    /// Whether the outputs differ if the model copies the choices of the mutant.
    Identity,
}

/// Model or mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SideWord {
    /// The original.
    Model,
    /// The mutant.
    Mutant,
}

/// A strategy. It takes the first choice, in the order of `preference`, that keeps the outputs equal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteeredEvidence {
    /// The aim of the strategy.
    pub aim: AimWord,
    /// The order in which choices are tried.
    pub preference: PreferenceWord,
    /// The choices that the strategy resolves: those of the model and, if both sides are to agree, those of the mutant.
    pub options: Vec<OptionsEvidence>,
    /// Further copies, which show that the inputs are accepted.
    pub witnesses: Vec<SideWord>,
    /// Latches whose first values are compared between the copies.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_first: Vec<Place>,
    /// Latches whose later values are compared between the copies.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_later: Vec<Place>,
    /// Latches whose next values are compared between the copies.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_next: Vec<Place>,
}

/// The aim of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AimWord {
    /// The model follows the outputs of the mutant.
    Track,
    /// Model and mutant choose so that their outputs agree.
    Agree,
}

/// The preference of a strategy among the choices that keep outputs equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferenceWord {
    /// No preference: the claim holds for each of them.
    Any,
    /// The choice of the other copy.
    Copy,
    /// A choice that keeps the states equal.
    State,
    /// The choice with the lowest binary number.
    Lowest,
    /// The choice with the highest binary number.
    Highest,
}

/// The choices of a copy that a strategy resolves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionsEvidence {
    /// Latches with a free first value.
    pub initial: Vec<Place>,
    /// Inputs that are chosen one step later.
    pub late: Vec<Place>,
    /// All other inputs that are chosen.
    pub early: Vec<Place>,
}

/// A latch or input of the circuit by index, or a node or literal by its number in the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Index or number.
    pub at: usize,
    /// Its name in the symbol table, if it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
}

/// A fact that holds in all steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FactEvidence {
    /// A node has the same value in two copies.
    Same {
        /// The two copies.
        copies: [usize; 2],
        /// Number of the node in the file.
        node: Place,
    },
    /// Two literals have the same value, each in its copy. A constant may stand in either copy.
    Equal([LiteralEvidence; 2]),
    /// A node has the same value in two copies, unless a literal is true in copy 0.
    SameUnless {
        /// The two copies.
        copies: [usize; 2],
        /// Number of the node in the file.
        node: Place,
        /// The literal in the file.
        literal: Place,
    },
    /// A disjunction. If a strategy resolves choices, it is claimed for all steps but the first.
    Clause(Vec<ClauseEvidence>),
}

/// A literal in a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiteralEvidence {
    /// The copy.
    pub copy: usize,
    /// The literal in the file.
    pub literal: Place,
}

/// A literal of a clause.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClauseEvidence {
    /// The copy.
    pub copy: usize,
    /// A latch, by index.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latch: Option<Place>,
    /// Or a literal of the file, one step before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Place>,
    /// The value of the latch or literal.
    pub is: bool,
}

/// A closed set of positions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedSetEvidence {
    /// The relation between model and mutant at a position.
    pub relation: RelationWord,
    /// The states. Positions give their indices.
    pub states: Vec<String>,
    /// The positions.
    pub positions: Vec<PositionEvidence>,
}

/// The relation between runs of model and mutant at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RelationWord {
    /// Runs of the model that match one run of the mutant.
    Matched,
    /// Runs of model and mutant that agree.
    Agreeing,
}

/// A position: the possible states after some inputs and outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionEvidence {
    /// Pairs of states of mutant and model that can have given the same outputs.
    pub pairs: Vec<[usize; 2]>,
    /// States of the mutant after the same inputs and any outputs. Empty if not needed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub mutant: Vec<usize>,
    /// States of the model after the same inputs and any outputs. Empty if not needed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub model: Vec<usize>,
}

/// A simulation relation between states of the mutants and of the model, and a strategy that preserves it, as a circuit of multiplexers.
///
/// The conditions of multiplexers are `input`, `chosen` (a choice of the model) and `mutant-chosen`, each with an index among the inputs;
/// `model`, `mutant` (latches) and `next` (the mutant's latches after the step), each with an index among the latches; and `shown` (the
/// mutant's outputs), with an index among the outputs. The literals 0 and 1 are the constants. The literal of multiplexer `n`, counted from
/// 1, is `2n`, and `2n + 1` is its complement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationEvidence {
    /// The relation between runs of model and mutant.
    pub relation: RelationWord,
    /// The multiplexers, each `KIND INDEX HIGH LOW`: the condition, the literal if the condition is true, and the literal if it is false.
    pub multiplexers: Vec<String>,
    /// The literal that is true if the states are related.
    pub related: usize,
    /// The first values that the strategy chooses, in this order, each `KIND INDEX LITERAL`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub initial: Vec<String>,
    /// The choices of the strategy in a step, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub choices: Vec<String>,
    /// The variable order for decision diagrams in which the relation was found, topmost first, each `KIND INDEX`. It is a hint for the
    /// check and names each variable that the check reads once. Without it the check uses a SAT solver.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub order: Vec<String>,
}

/// Numbered state estimates of the model beside runs of mutants, with functions that choose a run of the model backwards. Multiplexers and
/// literals are those of a simulation relation. Two more conditions are `model-next` (the value that a latch of the model is to have after
/// the step) and `estimate` (a bit of the number of the estimate, lowest first).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EstimatesEvidence {
    /// The multiplexers, each `KIND INDEX HIGH LOW`: the condition, the literal if the condition is true, and the literal if it is false.
    pub multiplexers: Vec<String>,
    /// The literal that is true if the estimate may occur beside the state of the mutant.
    pub beside: usize,
    /// The literal that is true if the estimate contains the state of the model.
    pub contains: usize,
    /// The bits of the number of the next estimate, lowest first.
    pub next: Vec<usize>,
    /// A state of the model, and choices with which it gives the outputs of the mutant, in this order, each `KIND INDEX LITERAL`.
    pub last: Vec<String>,
    /// A state of the model and choices that lead to the wanted next state, in the same form.
    pub before: Vec<String>,
    /// The variable order for decision diagrams in which the estimates were found, topmost first, each `KIND INDEX`. It is a hint for the
    /// check and names each variable that the check reads once. Without it the check uses a SAT solver.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub order: Vec<String>,
}

/// The sets of states that input sequences lead to, in model and mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedSetsEvidence {
    /// The states. Pairs give their indices.
    pub states: Vec<String>,
    /// Pairs of sets of states, the set of the model first.
    pub pairs: Vec<[Vec<usize>; 2]>,
}

/// Relations in which one side answers every step of the other by a step on the same input, with any outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedRelationsEvidence {
    /// The mutant answers the steps of the model. In this relation the word `model` stands for the mutant, and `mutant` for the model.
    pub mutant: SimulationEvidence,
    /// The model answers the steps of the mutant. Missing if the model refuses inputs that the mutant accepts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<SimulationEvidence>,
}

/// The evidence for the list of mutants that are models.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidityEvidence {
    /// Values under which mutants break a condition that must hold for all values.
    pub breaches: Vec<BreachEvidence>,
    /// First steps of the model and of mutants.
    pub beginnings: Vec<BeginningEvidence>,
    /// Mutants that have no initial state.
    pub without: Vec<String>,
}

/// Values under which a condition is false, and the mutants for which it is the first false condition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BreachEvidence {
    /// Number of the condition in the translation.
    pub obligation: usize,
    /// Values of the latches of the circuit of conditions, selectors left out.
    pub latches: String,
    /// Values of its inputs.
    pub inputs: String,
    /// The mutants.
    pub mutants: Vec<String>,
}

/// A first step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginningEvidence {
    /// First values of the latches, selectors left out.
    pub latches: String,
    /// Inputs of the step, choices included.
    pub inputs: String,
    /// Whether it is a first step of the model.
    pub original: bool,
    /// The mutants with this first step.
    pub mutants: Vec<String>,
}
