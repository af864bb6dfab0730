//! `certificates/*.json`: evidence that can be checked again from the model file, without the engines that found it.
//!
//! Latches and inputs go by their index, nodes by their number in the conditional mutant as `hyperkill translate` writes it, each with its
//! name where the circuit has one. A string of bits has one
//! character, 0 or 1, for each latch that is no selector, for each input, or for each output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folder::TestRuns;
use super::result::{StrengthWord, TestStep};

/// A certificate: one claim about mutants of one circuit, and what shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// `hyperkill.certificate/2`.
    pub schema: String,
    /// SHA-256 of the conditional mutant as a binary AIGER file, without comments; of a language that decides its mutants itself the hash
    /// of the model.
    pub circuit: String,
    /// What is claimed of each of the mutants.
    pub claim: ClaimWord,
    /// The mutants, in the order of the circuit's selectors: more than one if one proof is about a family, none if it is about the model.
    pub mutants: Vec<String>,
    /// What shows it.
    pub evidence: Shown,
}

impl Certificate {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.certificate/2";
}

/// What a certificate claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimWord {
    /// A test kills it.
    Killed,
    /// No test kills it, as far as outputs go.
    Equivalent,
    /// It cannot live on from its start.
    Inconsistent,
    /// No test kills it definitely.
    NotDefinitelyKillable,
    /// It accepts all inputs that the model accepts.
    AcceptsAll,
    /// It accepts the same inputs as the model.
    AcceptsTheSame,
    /// It refuses an input that the model accepts.
    Refuses,
    /// It accepts an input that the model refuses.
    AcceptsMore,
    /// Of the model: it has one output sequence for each input sequence.
    Deterministic,
    /// Of the model: it has two runs with the same inputs and different outputs.
    NonDeterministic,
    /// These mutants are models, with the original, and no others of the translation are.
    Models,
    /// Of the model: the suite tells every mutant of the domain of faults that can be told.
    Complete,
}

/// Evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// Runs of model and mutant.
    Kill(KillEvidence),
    /// A run of the one that accepts inputs which the other refuses.
    Accepted(RunEvidence),
    /// A proof that no run gets to a difference.
    Proof(ProofEvidence),
    /// Two of them: that the mutant, and that the model, never refuses what the other takes.
    BothProofs([ProofEvidence; 2]),
    /// Positions that nothing leads out of, none of them a kill.
    ClosedSet(ClosedSetEvidence),
    /// A relation between states, and a strategy that keeps to it.
    Simulation(SimulationEvidence),
    /// Sets of states of the model that can have given the same outputs.
    Estimates(EstimatesEvidence),
    /// All pairs of sets of states that inputs lead to.
    AcceptedSets(AcceptedSetsEvidence),
    /// Relations in which one side answers every step of the other, whatever the outputs.
    AcceptedRelations(AcceptedRelationsEvidence),
    /// Where there are no test inputs: a run of the mutant, and one of the model, that come back to an earlier state.
    Endless([RunEvidence; 2]),
    /// Two runs of the model with the same test inputs.
    Differing([RunEvidence; 2]),
    /// Latches on which, with test inputs, outputs and these latches alone depend.
    Unchosen(Vec<Place>),
    /// Values and first steps.
    Validity(ValidityEvidence),
    /// Of a language that decides its mutants itself: a test, in names and values.
    OwnKill(OwnKillEvidence),
    /// Of such a language: a proof that it alone understands.
    Own(Value),
}

/// A kill in names and values. Both runs have the same inputs at the same moments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnKillEvidence {
    /// What the test guarantees.
    pub strength: StrengthWord,
    /// Whether the mutant has no other outputs on these inputs.
    pub sole_run: bool,
    /// The run of the model.
    pub model: Vec<TestStep>,
    /// The run of the mutant.
    pub mutant: Vec<TestStep>,
}

/// A kill, bit by bit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillEvidence {
    /// What the test guarantees.
    pub strength: StrengthWord,
    /// Whether the mutant has no other outputs on these inputs.
    pub sole_run: bool,
    /// The runs of model and mutant.
    pub runs: TestRuns,
    /// The run of the model that the test prescribes, with the same test inputs.
    pub test: RunEvidence,
}

/// A run, and the strategy that it is a play of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunEvidence {
    /// First values of the latches.
    pub initial: String,
    /// Inputs per step, choices included.
    pub steps: Vec<String>,
    /// Of a tree: the states of the tester, begun in the first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tree: Vec<TreeState>,
}

/// A state of the tester.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeState {
    /// What the tester sets.
    pub inputs: String,
    /// What the model may answer.
    pub branches: Vec<TreeStep>,
}

/// A step of the tester.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeStep {
    /// What was answered.
    pub outputs: String,
    /// The next state; missing where the test ends in a pass.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub next: Option<usize>,
}

/// A proof by induction that a question's goal is unreachable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofEvidence {
    /// What was asked.
    pub question: QuestionEvidence,
    /// Depth of the induction.
    pub k: usize,
    /// Whether the states of a path have to be pairwise different.
    pub simple_path: bool,
    /// What is inductive, all together.
    pub facts: Vec<FactEvidence>,
    /// How many steps in which the facts hold are needed for them to hold in the next; 1 if missing.
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
    /// Copy 1 is the mutant, with the choices of copy 0: whether this side can refuse what the other takes.
    Refusal(SideWord),
    /// A strategy makes choices.
    Steered(SteeredEvidence),
    /// Both copies are the original, with the same inputs: whether their outputs can differ.
    Determinism,
}

/// What is asked of two copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairWord {
    /// Whether their outputs can differ on the same inputs.
    Phi1,
    /// The same with common choices.
    Phi1Controllable,
    /// Whether the model, copying the mutant's choices, can fail to give its outputs.
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

/// A strategy: whoever it steers takes the first choice, in this preference, that keeps outputs equal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteeredEvidence {
    /// What it is to achieve.
    pub aim: AimWord,
    /// How it chooses.
    pub preference: PreferenceWord,
    /// What it may choose of the model and, if both are to agree, of the mutant.
    pub options: Vec<OptionsEvidence>,
    /// Copies that show that the inputs are accepted.
    pub witnesses: Vec<SideWord>,
    /// Latches by whose first values states are compared, if they are.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_first: Vec<Place>,
    /// Latches by whose later values they are.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_later: Vec<Place>,
    /// Latches by whose next values they are.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared_next: Vec<Place>,
}

/// The aim of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AimWord {
    /// The model follows the mutant.
    Track,
    /// Model and mutant agree.
    Agree,
}

/// The preference of a strategy among the choices that match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferenceWord {
    /// None: it goes on whichever is taken.
    Any,
    /// What the other copy chooses.
    Copy,
    /// What keeps states equal.
    State,
    /// The lowest binary number.
    Lowest,
    /// The highest.
    Highest,
}

/// The choices of a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OptionsEvidence {
    /// Latches whose first value is free.
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

/// Something that holds in all steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FactEvidence {
    /// A node has the same value in two copies.
    Same {
        /// Which copies.
        copies: [usize; 2],
        /// Number of the node in the file.
        node: Place,
    },
    /// Two literals have the same value, each in its copy. One of them may be a constant, in whichever copy.
    Equal([LiteralEvidence; 2]),
    /// A node has the same value in two copies, unless a literal is true in copy 0.
    SameUnless {
        /// Which copies.
        copies: [usize; 2],
        /// Number of the node in the file.
        node: Place,
        /// The literal in the file.
        literal: Place,
    },
    /// One of these has the value given; said of steps that are not the first, if a strategy makes choices.
    Clause(Vec<ClauseEvidence>),
}

/// A literal in a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiteralEvidence {
    /// In which copy.
    pub copy: usize,
    /// The literal in the file.
    pub literal: Place,
}

/// A part of a clause.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClauseEvidence {
    /// In which copy.
    pub copy: usize,
    /// A latch, by index.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latch: Option<Place>,
    /// Or a literal of the file, at the step before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Place>,
    /// The value.
    pub is: bool,
}

/// A closed set of positions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedSetEvidence {
    /// What positions are about.
    pub relation: RelationWord,
    /// The states that positions name by index.
    pub states: Vec<String>,
    /// The positions.
    pub positions: Vec<PositionEvidence>,
}

/// What model and mutant have in common at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RelationWord {
    /// Runs of the model match one run of the mutant.
    Matched,
    /// Runs of both agree.
    Agreeing,
}

/// A position: what can be the case after some inputs and outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionEvidence {
    /// States of mutant and model that can have given the same outputs.
    pub pairs: Vec<[usize; 2]>,
    /// States of the mutant whatever the outputs, if that matters.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub mutant: Vec<usize>,
    /// States of the model whatever the outputs, if that matters.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub model: Vec<usize>,
}

/// A relation between states of the mutants and of the model, and a strategy that keeps to it, as a circuit of multiplexers.
///
/// What is looked at is `input`, `chosen` (a choice of the model), `mutant-chosen`, each with an index among the inputs; `model`, `mutant`
/// (latches), `next` (the mutant's latches after the step), each with an index among the latches; or `shown` (the mutant's outputs), with
/// an index among the outputs. Literals are 0 and 1 for the constants, else twice the number of a multiplexer, counted from 1, and one
/// more for its complement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationEvidence {
    /// What it is about.
    pub relation: RelationWord,
    /// Each `KIND INDEX HIGH LOW`: what is looked at, the literal where that is true, and the one where it is false.
    pub multiplexers: Vec<String>,
    /// The literal that says whether states are related.
    pub related: usize,
    /// First values that are chosen, in this order, each `KIND INDEX LITERAL`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub initial: Vec<String>,
    /// Choices in a step, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub choices: Vec<String>,
    /// The order of variables in which it was found, the topmost first, each `KIND INDEX`: a hint for a check by decision diagrams. It
    /// names all variables that the check reads, each once. Without it a SAT solver checks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub order: Vec<String>,
}

/// Numbered sets of states of the model beside runs of mutants, with functions that choose a run of the model backwards. Lines and literals
/// are those of a simulation relation. What is looked at is also `model-next` (the value that a latch of the model is to have after the
/// step) and `estimate` (a bit of the number, the lowest first).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EstimatesEvidence {
    /// Each `KIND INDEX HIGH LOW`: what is looked at, the literal where that is true, and the one where it is false.
    pub multiplexers: Vec<String>,
    /// The literal that says whether a state of a mutant may have an estimate beside it.
    pub beside: usize,
    /// The literal that says whether a state of the model is in an estimate.
    pub contains: usize,
    /// The bits of the next estimate's number, the lowest first.
    pub next: Vec<usize>,
    /// A state of the model and choices by which it shows what the mutant shows, in this order, each `KIND INDEX LITERAL`.
    pub last: Vec<String>,
    /// The same for a step that leads to a wanted state.
    pub before: Vec<String>,
    /// The order of variables in which it was found, the topmost first, each `KIND INDEX`: a hint for a check by decision diagrams. It
    /// names all variables that the check reads, each once. Without it a SAT solver checks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub order: Vec<String>,
}

/// What inputs lead to in model and mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedSetsEvidence {
    /// The states that pairs name by index.
    pub states: Vec<String>,
    /// Pairs of sets of states, the model's first.
    pub pairs: Vec<[Vec<usize>; 2]>,
}

/// Relations in which one side answers every step of the other by one on the same input, whatever the outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedRelationsEvidence {
    /// The mutant answers the steps of the model. In this relation the word `model` means the mutant, and `mutant` means the model.
    pub mutant: SimulationEvidence,
    /// The model answers the steps of the mutant. Missing if the model refuses inputs that the mutant accepts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<SimulationEvidence>,
}

/// What shows which mutants are models.
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

/// Values under which a condition does not hold, and the mutants of which it is the first that they break.
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
    /// Whether it is one of the model.
    pub original: bool,
    /// The mutants that begin so.
    pub mutants: Vec<String>,
}
