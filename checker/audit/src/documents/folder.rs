//! Further documents of a run folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::formula::TruthWord;
use super::guidelines::OperatorResult;
use super::model::{ModelDescription, Reading, Signature};
use super::result::{MutantResult, StrengthWord, TestStep};
use super::strategy::{Machine, Tree};
use super::summary::Summary;
use super::valuation::Valuation;

/// `outcomes.json`, and the output of `run --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `hyperkill.outcomes/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The killing formula of the run.
    pub property: String,
    /// The determinism of the original: deterministic, non-deterministic or unsettled.
    pub original: String,
    /// The certificate of the determinism, if it is settled and the run has a folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_certificate: Option<String>,
    /// The certificate of the list of mutants that are models. Missing if the translation makes this evident.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validity_certificate: Option<String>,
    /// The result for mutants with any number of faults, for a language with fault domains if all mutants were selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub domain: Option<DomainResult>,
    /// Whether the run was interrupted. Mutants that it left open have the reason `interrupted`.
    pub interrupted: bool,
    /// Counts over all results.
    pub summary: Summary,
    /// Counts by operator, in catalogue order, for a language with guidelines that recognise needless mutants by their change alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_operator: Option<Vec<OperatorResult>>,
    /// One result per selected mutant, in catalogue order.
    pub results: Vec<MutantResult>,
}

impl Run {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.outcomes/1";
}

/// A fault domain, and whether the suite is complete for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DomainResult {
    /// The number of mutants with any number of faults at once, as digits, since it may exceed the range of JSON numbers.
    pub mutants: String,
    /// The number of transitions that the domain adds to the specification.
    pub transitions: u64,
    /// The number of places at which a mutant has a choice.
    pub places: usize,
    /// Whether the suite kills every mutant of the domain that a test can kill.
    pub complete: CompleteWord,
    /// The reason if this is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The number of classes of mutants found that no test distinguishes from the specification.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub classes: Option<usize>,
    /// The certificate of completeness.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<String>,
}

/// Whether a suite is complete for a fault domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompleteWord {
    /// A proof shows that it is complete.
    Proved,
    /// A mutant that can be killed passes all tests. The suite of a run never has this value.
    Refuted,
    /// Undecided.
    Unknown,
}

/// `verify --suite … --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompletenessReport {
    /// `hyperkill.completeness/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// The number of tests.
    pub tests: usize,
    /// The domain, and whether the suite is complete for it.
    pub domain: DomainResult,
    /// A mutant that passes all tests although it can be killed, if one was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub survivor: Option<SurvivorResult>,
}

impl CompletenessReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.completeness/1";
}

/// `verify --format json` of a model of timed processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryReport {
    /// `hyperkill.queries/1`.
    pub schema: String,
    /// The model.
    pub model: ModelDescription,
    /// The answers, in the order of the queries.
    pub results: Vec<QueryResult>,
}

impl QueryReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.queries/1";
}

/// The answer to a query about processes, with checked evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct QueryResult {
    /// The query.
    pub query: String,
    /// Whether the query holds.
    pub truth: TruthWord,
    /// The reason if the query fails or is unknown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// For a failed refinement: a trace of both sides whose last step only the left side can make.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<Vec<TestStep>>,
}

/// A mutant of a fault domain that passes all tests of a suite.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SurvivorResult {
    /// The differences between the mutant and the specification, one line per transition.
    pub choices: Vec<String>,
    /// A shortest test that the mutant fails, with the mutant's outputs.
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
    /// The files and the language.
    #[serde(flatten)]
    pub description: ModelDescription,
    /// The options with which the model was read, as in `mutants.json`. Other options give another model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reading: Option<Reading>,
}

impl Suite {
    /// Name and version of the document's schema: the value of its field `schema`.
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
    /// The mutants that the test kills.
    pub kills: Vec<SuiteKill>,
    /// The engine that found it.
    pub found_by: String,
}

/// A mutant that a test kills.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuiteKill {
    /// The id of the mutant.
    pub mutant: String,
    /// The guarantee of the kill.
    pub strength: StrengthWord,
}

/// `asked.json`: the question of a run, which is everything besides the model that the results depend on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// `hyperkill.asked/1`.
    pub schema: String,
    /// The version of hyperkill that the run was made with.
    pub version: String,
    /// All options about mutants, engines and output, defaults included. Options about the model are in `mutants.json`.
    pub options: Vec<String>,
    /// The number of mutants before `--shard` selected a part of them.
    pub mutants: usize,
    /// SHA-256 over the model, the options without `--shard`, and the mutants before `--shard` selected a part of them. All shards of one
    /// run have this hash in common, and no other run has it.
    pub whole: String,
    /// SHA-256 over all of this and the mutants of this run.
    pub hash: String,
}

impl Asked {
    /// Name and version of the document's schema: the value of its field `schema`.
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
    /// Whether a stop had been requested by then. The result may be incomplete, and `hyperkill resume` decides the mutant again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub hurried: bool,
    /// For a kill: the two runs as bit strings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runs: Option<TestRuns>,
    /// The seconds spent on the mutant.
    pub seconds: f64,
}

/// A line of `archive.jsonl`: a small file of a run. Runs of very many mutants store such files together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchivedFile {
    /// The name of the file in the folder of the run.
    pub file: String,
    /// The text of the file.
    pub text: String,
}

/// The two runs of a kill. A bit string has one character, 0 or 1, per latch that is no selector, or per input of the circuit.
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

/// `digests.json`: the digests of all files of a finished run, by which changes are detected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Digests {
    /// `hyperkill.digests/1`.
    pub schema: String,
    /// The files, by name.
    pub files: Vec<FileDigest>,
}

impl Digests {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.digests/1";
}

/// The digest of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// Name in the folder, with `/` between its parts.
    pub file: String,
    /// SHA-256 of its bytes.
    pub digest: String,
}

/// `lock.json`: the process that writes the folder. The file stays locked while the run goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Lock {
    /// `hyperkill.lock/1`.
    pub schema: String,
    /// Process id of the writer.
    pub pid: u32,
    /// An identifier that differs between any two runs.
    pub run: String,
    /// The state of the run.
    pub state: LockState,
    /// The error that stopped the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
}

impl Lock {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.lock/1";
}

/// The state of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LockState {
    /// The run goes on, or its process was killed.
    Running,
    /// The run is complete.
    Finished,
    /// The user stopped the run. All decided mutants are written.
    Interrupted,
    /// An error stopped the run. The journal has the mutants decided before.
    Failed,
}

impl LockState {
    /// Returns the state of a run that has ended: interrupted if the user stopped it, else finished.
    #[must_use]
    pub fn after(interrupted: bool) -> LockState {
        match interrupted {
            true => LockState::Interrupted,
            false => LockState::Finished,
        }
    }
}
