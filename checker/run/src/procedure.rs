//! Models with a procedure that finds a verdict on each of their mutants: circuits with the rounds of the checker, and models of languages
//! that bring a procedure of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hyperkill_audit::certification::{Files, Texts};
use hyperkill_audit::model::Listing;
use hyperkill_audit::own::{Malformed, Unspeakable};
use hyperkill_checker::decide::DecideError;
use hyperkill_checker::external::External;
use hyperkill_checker::rounds::{Ask, Extent};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::suite::TestKind;
use hyperkill_core::trace::StimulusError;
use hyperkill_frontend::domain::Aim;
use hyperkill_frontend::{Diagnostic, SourceFile, StaleMutant};

use crate::carry_over::{Before, Version};
use crate::certificates::Unwritten;
use crate::decided::Decided;
use crate::documents::{Asked, JournalEntry};
use crate::folder::{FolderError, RunFolder, Unwritable};
use crate::limits::Limits;
use crate::own::Fault;
use crate::resumption::{EarlierRun, Recovered};
use crate::selection::Selection;
use crate::sink::Sink;
use crate::unfit::Unfit;

/// A model that was read, with the procedure that finds a verdict on each of its mutants.
pub trait Procedure: Send + Sync {
    /// The model.
    fn listing(&self) -> &Listing;

    /// The same, to be told how an earlier process read the model.
    fn listing_mut(&mut self) -> &mut Listing;

    /// Its abilities.
    fn abilities(&self) -> Abilities;

    /// Checks that the procedure can carry a task out.
    ///
    /// # Errors
    /// The option of the task that the procedure does not have.
    fn accept(&self, task: &Task) -> Result<(), Unfit>;

    /// Parts of the model that its outputs depend on and that it leaves open.
    fn left_open(&self) -> LeftOpen;

    /// The ids of those mutants of a task that are reported as duplicates of others.
    fn duplicates(&self, task: &Task, budget: &Budget) -> BTreeSet<String>;

    /// Restores the state of a run from the files that an earlier process wrote.
    ///
    /// # Errors
    /// If a file is not as the run wrote it.
    fn recover(&self, files: &dyn Files, entries: Vec<JournalEntry>) -> Result<Recovered, Spoilt>;

    /// Reads the verdicts of a run of an earlier version of the model, to be carried over.
    fn before(&self, version: Version<'_>) -> Before;

    /// Returns the way to divide the mutants of a task among shards.
    ///
    /// # Errors
    /// If the task cannot be divided.
    fn division(&self, task: &Task) -> Result<Box<dyn Division + '_>, RunError>;

    /// The schedule of a task, in words.
    ///
    /// # Errors
    /// If the task does not fit the model.
    fn explain(&self, task: &Task, limits: &Limits) -> Result<String, RunError>;

    /// Decides the mutants of a task that have no verdict yet. Writes each verdict with its certificates as soon as it is found.
    ///
    /// # Errors
    /// If evidence does not check or the folder cannot be written.
    fn decide(
        &self,
        task: &Task,
        start: Start<'_>,
        around: &mut Surroundings<'_>,
    ) -> Result<Decided, RunError>;
}

/// Divides the mutants of a model among shards: sizes for the cut, the file of each shard, certificates on the way back.
pub trait Division {
    /// Returns for each of these mutants, by their places in the catalogue, how many parts of the model its verdict depends on.
    fn sizes(&self, mutants: &[usize]) -> Vec<usize>;

    /// Returns the file of a shard with these mutants, by their places in the catalogue.
    fn file(&self, mutants: &[usize]) -> ShardFile;

    /// Translates the certificates of a shard with these mutants into certificates about the whole model. `circuit` is the digest of the
    /// circuit of the shard. It is missing in languages without circuits, whose certificates stay as they are.
    ///
    /// # Errors
    /// If a certificate is not about the shard.
    fn translate_certificates(
        &self,
        mutants: &[String],
        circuit: Option<&str>,
        certificates: BTreeMap<String, Vec<u8>>,
    ) -> Result<BTreeMap<String, Vec<u8>>, SpoiltCertificate>;
}

/// The file of a shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardFile {
    /// The extension of its name.
    pub extension: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// SHA-256 of the circuit without comments, if it is a circuit.
    pub circuit: Option<String>,
}

/// A certificate of a shard that is not about the shard.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file} is not as the run wrote it: {why}")]
pub struct SpoiltCertificate {
    /// The name of the file in the folder.
    pub file: String,
    /// The reason.
    pub why: String,
}

/// The abilities of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abilities {
    /// Verdicts of a run of an earlier version of the model are carried over by comparing the circuits of both.
    pub compares_circuits: bool,
    /// The number of mutants beyond which an archive holds their many small files.
    pub archives: usize,
}

/// Parts of a model that are open.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeftOpen {
    /// Registers and variables that begin with any value.
    pub starts: Vec<String>,
    /// Values that are chosen anew at every step.
    pub choices: Vec<String>,
}

/// A task: mutants, a question about them, and the means.
#[derive(Clone, Debug)]
pub struct Task {
    /// Places in the catalogue of the mutants to decide, ascending.
    pub selected: Vec<usize>,
    /// The question.
    pub ask: Ask,
    /// Whether duplicates are reported as such. Users who ask for mutants by name want their own verdicts.
    pub fold_duplicates: bool,
    /// Choices can be controlled as if they were test inputs.
    pub controllable: bool,
    /// The longest test or run, in steps.
    pub bound: Option<usize>,
    /// Time for each mutant.
    pub timeout: Option<Duration>,
    /// Engines to use; `None` for the usual ones.
    pub engines: Option<Engines>,
    /// Other model checkers to ask.
    pub external: Option<External>,
    /// The kind of tests, if the user wants one.
    pub tests: Option<TestKind>,
    /// Whether as few tests are kept as are needed.
    pub minimise: bool,
    /// The aim of a suite for a domain of faults.
    pub aim: Aim,
    /// The rounds to take. Mutants that they leave open are left to other runs.
    pub extent: Extent,
}

/// The usual time for each mutant.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Task {
    /// The usual task for a selection of the mutants of a model.
    ///
    /// # Errors
    /// If the selection does not fit the model.
    pub fn new(listing: &Listing, selection: &Selection) -> Result<Task, Unfit> {
        Ok(Task {
            selected: selection.of(listing)?,
            ask: Ask::Auto,
            fold_duplicates: selection.mutants.is_empty(),
            controllable: false,
            bound: None,
            timeout: Some(TIMEOUT),
            engines: None,
            external: None,
            tests: None,
            minimise: true,
            aim: Aim::default(),
            extent: Extent::Whole,
        })
    }
}

/// The knowledge that a run begins with.
#[derive(Debug, Default)]
pub struct Start<'a> {
    /// Verdicts of an earlier process of the same run.
    pub earlier: EarlierRun,
    /// A run of another version of the model, and the question, which is written down when it is known what is carried over.
    pub before: Option<(Before, &'a Asked)>,
}

impl From<EarlierRun> for Start<'_> {
    fn from(earlier: EarlierRun) -> Self {
        Start {
            earlier,
            before: None,
        }
    }
}

/// The environment of a run: the caller brings it.
pub struct Surroundings<'a> {
    /// Limits of time and memory, and the means to stop.
    pub limits: &'a Limits,
    /// The threads that work. The ledger of the limits keeps account of their time.
    pub threads: &'a rayon::ThreadPool,
    /// Receives messages, methods and results.
    pub sink: &'a mut dyn Sink,
    /// The folder that the run writes, if there is one.
    pub folder: Option<&'a mut RunFolder>,
    /// Functions that write tests, graphs and differences as text.
    pub texts: Texts,
}

/// A file of an earlier process that is not as the run wrote it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file} is not as the run wrote it: {why}")]
pub struct Spoilt {
    /// The name of the file in the folder.
    pub file: &'static str,
    /// The reason.
    pub why: String,
}

/// The end of a run that could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The task does not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The user stopped it, or its time was over, before any mutant was decided.
    #[error("no mutant was decided")]
    Over(Stop),
    /// The evidence of an engine does not check.
    #[error(transparent)]
    Undecidable(#[from] DecideError),
    /// The two procedures of a language contradict each other.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The procedure of a language has given a verdict that it may not give.
    #[error(transparent)]
    Unspeakable(#[from] Unspeakable),
    /// A test that was written down is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// No document can hold the evidence of a verdict.
    #[error(transparent)]
    Unwritten(#[from] Unwritten),
    /// A run does not fit the circuit.
    #[error(transparent)]
    Misfit(#[from] StimulusError),
    /// An engine has decided another mutant than the model has.
    #[error("there is no mutant {0}")]
    Stranger(MutantId),
    /// No engine has decided a mutant.
    #[error("mutant {0} was forgotten")]
    Forgotten(MutantId),
    /// The procedure that decides does not take a model that the other one takes.
    #[error("the two procedures of a language take different models")]
    Unread {
        /// The texts of the model.
        sources: Vec<SourceFile>,
        /// The errors.
        errors: Vec<Diagnostic>,
    },
    /// A mutant does not fit its source.
    #[error(transparent)]
    Stale(#[from] StaleMutant),
    /// A document cannot be written as text.
    #[error(transparent)]
    Text(#[from] serde_json::Error),
    /// The folder cannot be written.
    #[error(transparent)]
    Folder(#[from] Unwritable),
}

impl From<FolderError> for RunError {
    fn from(error: FolderError) -> RunError {
        match error {
            FolderError::Unfit(unfit) => unfit.into(),
            error => RunError::Folder(error.into()),
        }
    }
}
