//! Procedures: each decides the mutants of one model. The rounds of the checker decide mutants of circuits; some languages bring a
//! procedure of their own.

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

/// A parsed model with the procedure that decides its mutants.
pub trait Procedure: Send + Sync {
    /// Returns the listing of the model.
    fn listing(&self) -> &Listing;

    /// Returns the listing for changes: a resumed run restores how an earlier process read the model.
    fn listing_mut(&mut self) -> &mut Listing;

    /// Returns the abilities of the procedure.
    fn abilities(&self) -> Abilities;

    /// Checks that the procedure supports a task.
    ///
    /// # Errors
    /// If the procedure does not support an option of the task.
    fn accept(&self, task: &Task) -> Result<(), Unfit>;

    /// Returns the free initial values and the choices that the outputs depend on. Always empty for procedures of languages that are not
    /// translated to circuits.
    fn left_open(&self) -> LeftOpen;

    /// Returns the ids of the task's mutants that are reported as duplicates.
    fn duplicates(&self, task: &Task, budget: &Budget) -> BTreeSet<String>;

    /// Restores the state of a run from the files that an earlier process wrote.
    ///
    /// # Errors
    /// If a file was changed after the run wrote it.
    fn recover(&self, files: &dyn Files, entries: Vec<JournalEntry>) -> Result<Recovered, Spoilt>;

    /// Reads the verdicts of a run of an earlier version of the model, for carrying them over.
    fn before(&self, version: Version<'_>) -> Before;

    /// Returns the division of a task's mutants among shards.
    ///
    /// # Errors
    /// If the task cannot be divided.
    fn division(&self, task: &Task) -> Result<Box<dyn Division + '_>, RunError>;

    /// Returns the schedule of a task as text.
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

/// Divides the mutants of a model among shards: sizes, the file of each shard, and the translation of certificates.
pub trait Division {
    /// Returns the size of the part of the model that each mutant's verdict depends on. `mutants` are places in the catalogue.
    fn sizes(&self, mutants: &[usize]) -> Vec<usize>;

    /// Returns the file of a shard. `mutants` are places in the catalogue.
    fn file(&self, mutants: &[usize]) -> ShardFile;

    /// Translates the certificates of a shard with these mutants to the complete model. `circuit` is the digest of the shard's circuit.
    /// Languages without circuits have no digest, and their certificates stay unchanged.
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
    /// The file extension.
    pub extension: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The SHA-256 of the circuit without comments, for circuits.
    pub circuit: Option<String>,
}

/// A certificate in the folder of a shard that is not about the shard.
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
    /// Whether verdicts of an earlier version of the model are carried over by a comparison of circuits.
    pub compares_circuits: bool,
    /// The number of mutants beyond which an archive holds the small files.
    pub archives: usize,
}

/// Open parts of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeftOpen {
    /// Registers and variables with a free initial value.
    pub starts: Vec<String>,
    /// Values that are free at every step.
    pub choices: Vec<String>,
}

/// A task: mutants, a question, and the means to decide it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The mutants to decide, as places in the catalogue, ascending.
    pub selected: Vec<usize>,
    /// The killing formula that is asked.
    pub ask: Ask,
    /// Whether duplicates are reported as duplicates. Users who name mutants get a verdict on each.
    pub fold_duplicates: bool,
    /// Whether a tester controls the choices of the model like inputs.
    pub controllable: bool,
    /// The length limit of tests and runs, in steps.
    pub bound: Option<usize>,
    /// The time limit for each mutant.
    pub timeout: Option<Duration>,
    /// The engines; `None` for the default.
    pub engines: Option<Engines>,
    /// External model checkers.
    pub external: Option<External>,
    /// The kind of tests; `None` for the default.
    pub tests: Option<TestKind>,
    /// Whether redundant tests are removed.
    pub minimise: bool,
    /// The aim of a suite for the domain of faults.
    pub aim: Aim,
    /// The rounds to run. Mutants that they leave open are left to other runs.
    pub extent: Extent,
}

/// The default time limit for each mutant.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Task {
    /// Returns a task with default options for a selection of mutants.
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

/// Knowledge at the beginning of a run.
#[derive(Debug, Default)]
pub struct Start<'a> {
    /// Verdicts of an earlier process of the same run.
    pub earlier: EarlierRun,
    /// A run of another version of the model, and the question. The question is written after the verdicts are carried over.
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

/// The environment of a run, from the caller.
pub struct Surroundings<'a> {
    /// Limits of time and memory, and the interrupt.
    pub limits: &'a Limits,
    /// The worker threads. The ledger of the limits books their time.
    pub threads: &'a rayon::ThreadPool,
    /// Receives the events of the run.
    pub sink: &'a mut dyn Sink,
    /// The folder that the run writes, if there is one.
    pub folder: Option<&'a mut RunFolder>,
    /// Functions that write tests, graphs and differences as text.
    pub texts: Texts,
}

/// A file of an earlier process that was changed after the run wrote it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file} is not as the run wrote it: {why}")]
pub struct Spoilt {
    /// The name of the file in the folder.
    pub file: &'static str,
    /// The reason.
    pub why: String,
}

/// A reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The task does not fit the model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The user interrupted the run, or the deadline passed, before any mutant was decided.
    #[error("no mutant was decided")]
    Over(Stop),
    /// The evidence of an engine does not check.
    #[error(transparent)]
    Undecidable(#[from] DecideError),
    /// The two procedures of a language contradict each other.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The procedure of a language returned a verdict that is not allowed for it.
    #[error(transparent)]
    Unspeakable(#[from] Unspeakable),
    /// A stored test is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// No document can hold the evidence of a verdict.
    #[error(transparent)]
    Unwritten(#[from] Unwritten),
    /// A run of an outcome does not fit the circuit.
    #[error(transparent)]
    Misfit(#[from] StimulusError),
    /// An engine decided a mutant that the model does not have.
    #[error("there is no mutant {0}")]
    Stranger(MutantId),
    /// No engine decided a mutant.
    #[error("mutant {0} was forgotten")]
    Forgotten(MutantId),
    /// The deciding procedure refuses a model that the checking procedure accepts.
    #[error("the deciding and the checking procedure of a language read different models")]
    Unread {
        /// The texts of the model.
        sources: Vec<SourceFile>,
        /// The errors.
        errors: Vec<Diagnostic>,
    },
    /// A mutant does not fit the source.
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
