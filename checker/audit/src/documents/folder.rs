//! The other documents of a run folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::formula::TruthWord;
use super::guidelines::OperatorResult;
use super::model::{ModelDescription, Reading, Signature};
use super::result::{MutantResult, StrengthWord, TestStep};
use super::strategy::{Machine, Tree};
use super::summary::Summary;
use super::valuation::Valuation;

/// `outcomes.json`, and what `run --format json` writes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `hyperkill.outcomes/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// Seed of everything random.
    pub seed: u64,
    /// The killing formula asked.
    pub property: String,
    /// What is known of the original: deterministic, non-deterministic or unsettled.
    pub original: String,
    /// The certificate of that, if it is settled and there is a run folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_certificate: Option<String>,
    /// The certificate of which mutants are models, if that is not plain from the translation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validity_certificate: Option<String>,
    /// Of a language with domains of faults, if all mutants were selected: what is known of mutants with any number of faults.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<DomainResult>,
    /// Whether the run was interrupted: interrupted mutants are undecided for that reason.
    pub interrupted: bool,
    /// Numbers over all results.
    pub summary: Summary,
    /// Of a language with guidelines that say by a change alone that no test is needed: numbers by operator, in catalogue order.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_operator: Option<Vec<OperatorResult>>,
    /// One result per selected mutant, in catalogue order.
    pub results: Vec<MutantResult>,
}

impl Run {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.outcomes/1";
}

/// A domain of faults, and whether the suite is complete for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DomainResult {
    /// Mutants with any number of faults at once, as digits: there may be more than numbers can say.
    pub mutants: String,
    /// Transitions that the specification has not.
    pub transitions: u64,
    /// Places at which a mutant has a choice.
    pub places: usize,
    /// Whether the tests of the suite tell every mutant that can be told.
    pub complete: CompleteWord,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Classes of mutants that no test tells, as they were found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub classes: Option<usize>,
    /// The certificate that the suite is complete.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

/// Whether a suite is complete for a domain of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompleteWord {
    /// There is a proof.
    Proved,
    /// A mutant passes all of them that can be told. Never of the suite of a run.
    Refuted,
    /// It was not found out.
    Unknown,
}

/// `verify --suite … --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompletenessReport {
    /// `hyperkill.completeness/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// How many tests there are.
    pub tests: usize,
    /// The domain, and whether the tests are complete for it.
    pub domain: DomainResult,
    /// A mutant that passes all of them, if one was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub survivor: Option<SurvivorResult>,
}

impl CompletenessReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.completeness/1";
}

/// `verify --format json` of a model of timed processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryReport {
    /// `hyperkill.queries/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// The answers, in the order of the questions.
    pub results: Vec<QueryResult>,
}

impl QueryReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.queries/1";
}

/// The answer to a question about processes. Its evidence was checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryResult {
    /// The question.
    pub query: String,
    /// Whether it is so.
    pub truth: TruthWord,
    /// Why not, or why that is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// A trace of both sides of a refinement that the right side cannot end as the left one does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Vec<TestStep>>,
}

/// A mutant of a domain of faults that passes tests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SurvivorResult {
    /// What it does otherwise than the specification, a line for each transition.
    pub choices: Vec<String>,
    /// A shortest test that it fails, with what it answers.
    pub test: Vec<TestStep>,
}

/// `suite.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Suite {
    /// `hyperkill.suite/1`.
    pub schema: String,
    /// The model whose behaviour the tests prescribe.
    pub model: SuiteModel,
    /// Inputs and outputs.
    pub signature: Signature,
    /// The tests.
    pub tests: Vec<SuiteTest>,
}

/// The model of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuiteModel {
    /// What was read.
    #[serde(flatten)]
    pub description: ModelDescription,
    /// How it was read, as in `mutants.json`: with other options it is another model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reading: Option<Reading>,
}

impl Suite {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.suite/1";
}

/// A test of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuiteTest {
    /// Its name in the suite.
    pub id: String,
    /// `linear`, `local`, `global` or `tree`.
    pub kind: String,
    /// Whether choices are part of the inputs, as `nd:NAME`.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub controllable: bool,
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
    /// The mutants it kills.
    pub kills: Vec<SuiteKill>,
    /// The engine that found it.
    pub found_by: String,
}

/// A mutant that a test kills.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuiteKill {
    /// Its id.
    pub mutant: String,
    /// What is guaranteed.
    pub strength: StrengthWord,
}

/// `asked.json`: what a run was asked to do with its model, all that its results depend on besides the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// `hyperkill.asked/1`.
    pub schema: String,
    /// The version of hyperkill that the run was made with.
    pub version: String,
    /// Every option about mutants, how they are decided and what is written, with those that nobody gave; options about the model are
    /// in `mutants.json`.
    pub options: Vec<String>,
    /// How many mutants there were before `--shard` took its part.
    pub mutants: usize,
    /// SHA-256 over the model, the options but for `--shard`, and the mutants before it took its part: the same for all parts of one
    /// run, and for no others.
    pub whole: String,
    /// SHA-256 over all this and the mutants of this run.
    pub hash: String,
}

impl Asked {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.asked/1";
}

/// A line of `journal.jsonl`: one decided mutant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// The result.
    pub result: MutantResult,
    /// The round in which it was decided, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub round: Option<usize>,
    /// Whether somebody had asked to stop by then: more might have been found out, and `hyperkill resume` decides it again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hurried: bool,
    /// For a kill: the two runs, bit by bit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runs: Option<TestRuns>,
    /// Time spent on it.
    pub seconds: f64,
}

/// A line of `archive.jsonl`: a small file of a run of very many mutants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchivedFile {
    /// Its name in the folder of the run.
    pub file: String,
    /// The text of the file.
    pub text: String,
}

/// The runs behind a kill. Each string has one character, 0 or 1, per latch that is no selector, or per input of the circuit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestRuns {
    /// First values of the latches, in the run of the model.
    pub model_initial: String,
    /// Inputs per step, in the run of the model.
    pub model_steps: Vec<String>,
    /// First values of the latches, in the run of the mutant.
    pub mutant_initial: String,
    /// Inputs per step, in the run of the mutant.
    pub mutant_steps: Vec<String>,
}

/// `digests.json`: what every file of a finished run is, so that a change is noticed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// `hyperkill.digests/1`.
    pub schema: String,
    /// The files, by name.
    pub files: Vec<FileDigest>,
}

impl Digests {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.digests/1";
}

/// What a file is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// Name in the folder, with `/` between its parts.
    pub file: String,
    /// SHA-256 of its bytes.
    pub digest: String,
}

/// `lock.json`: who writes the folder. The file stays locked while the run goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Lock {
    /// `hyperkill.lock/1`.
    pub schema: String,
    /// Process id of the writer.
    pub pid: u32,
    /// Different for any two runs.
    pub run: String,
    /// How far it is.
    pub state: LockState,
    /// Why it was stopped by an error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
}

impl Lock {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.lock/1";
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LockState {
    /// Going on, or killed.
    Running,
    /// Everything is written.
    Finished,
    /// Stopped by the user; everything decided is written.
    Interrupted,
    /// Stopped by an error; the journal has what was decided before.
    Failed,
}

impl LockState {
    /// The state of a run that has come to its end, perhaps because the user stopped it.
    #[must_use]
    pub fn after(interrupted: bool) -> LockState {
        match interrupted {
            true => LockState::Interrupted,
            false => LockState::Finished,
        }
    }
}
