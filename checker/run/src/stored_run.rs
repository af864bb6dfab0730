//! A run as its folder has it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_audit::certification::Files;
use hyperkill_core::mutant::MutantId;
use hyperkill_evidence::verdict::Reason;

use crate::asked::VERSION;
use crate::documents::{
    Asked, Digests, JournalEntry, Lock, LockState, MutantResult, MutantTable, Run, StatusWord,
    VerdictWord, build,
};
use crate::folder::archive::Stored;
use crate::folder::file_system::FileSystem;
use crate::folder::{FolderError, read};
use crate::names::{ARCHIVE, ASKED, CERTIFICATES, DIGESTS, JOURNAL, LOCK, MUTANTS, OUTCOMES};
use crate::resumption;
use crate::unfit::Unfit;

/// Lines of a journal with all of their certificates.
#[derive(Debug)]
pub struct Evident {
    /// The lines.
    pub entries: Vec<JournalEntry>,
    /// The certificates, by their names.
    pub certificates: BTreeMap<String, Vec<u8>>,
}

/// The folder of a run, to be read.
#[derive(Clone, Debug)]
pub struct StoredRun {
    disk: Arc<dyn FileSystem>,
    dir: PathBuf,
}

impl StoredRun {
    /// Returns the run in a folder.
    #[must_use]
    pub fn at(disk: Arc<dyn FileSystem>, dir: &Path) -> StoredRun {
        StoredRun {
            disk,
            dir: dir.to_owned(),
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns access to all files of the run, in the archive or beside it.
    #[must_use]
    pub fn files(&self) -> Stored {
        Stored::of(Arc::clone(&self.disk), &self.dir)
    }

    fn has(&self, name: &str) -> bool {
        self.disk.is_file(&self.dir.join(name))
    }

    fn refused(&self, message: impl FnOnce(&str) -> String) -> Unfit {
        Unfit::new(message(&self.dir.display().to_string()))
    }

    /// Reads the table of the run's mutants.
    ///
    /// # Errors
    /// If the folder is not the folder of a run, the run ended before it had any mutants, or another version made it.
    pub fn mutants(&self) -> Result<MutantTable, FolderError> {
        if self.has(MUTANTS) {
            return read::versioned(
                self.disk.as_ref(),
                &self.dir.join(MUTANTS),
                MutantTable::SCHEMA,
            );
        }
        Err(match self.failed_early() {
            Some(why) => self.refused(|dir| {
                format!("the run of {dir} was stopped before anything was decided: {why}")
            }),
            None => self
                .refused(|dir| format!("{dir} is not a run folder"))
                .with_help("`hyperkill run MODEL` makes one"),
        }
        .into())
    }

    /// Returns the reason of the failure of a run that failed before it wrote its mutants. `None` if the lock file states no failure.
    fn failed_early(&self) -> Option<String> {
        let lock: Lock = read::document(self.disk.as_ref(), &self.dir.join(LOCK)).ok()?;
        let is_ours = lock.schema == Lock::SCHEMA && lock.state == LockState::Failed;
        lock.failure.filter(|_| is_ours)
    }

    /// Reads the question of a run. Another version may have made the run, if its documents have the same schemas.
    ///
    /// # Errors
    /// If the folder has no question, or its question has another schema.
    pub fn asked_by_any(&self) -> Result<Asked, FolderError> {
        if !self.has(ASKED) {
            let why = "it was stopped before it wrote them, or an earlier release made it";
            return Err(self
                .refused(|dir| format!("the run in {dir} does not record its options: {why}"))
                .with_help("`hyperkill run MODEL` starts a new run")
                .into());
        }
        read::versioned(self.disk.as_ref(), &self.dir.join(ASKED), Asked::SCHEMA)
    }

    /// Reads the question of a run that this version made.
    ///
    /// # Errors
    /// If the folder has no question, or another version made it.
    pub fn asked(&self) -> Result<Asked, FolderError> {
        let asked = self.asked_by_any()?;
        if asked.version == VERSION {
            return Ok(asked);
        }
        let by = &asked.version;
        Err(self
            .refused(|dir| {
                format!(
                    "the run in {dir} was made by hyperkill {by}, and this is {VERSION}: its open mutants could get other verdicts"
                )
            })
            .with_help("resume with that version, or run again")
            .into())
    }

    /// Whether another version made the run: its question is missing, has another schema, or names that version.
    #[must_use]
    pub fn is_of_other_version(&self) -> bool {
        #[derive(serde::Deserialize)]
        struct Named {
            schema: String,
            version: String,
        }
        match read::document::<Named>(self.disk.as_ref(), &self.dir.join(ASKED)) {
            Ok(named) => named.schema != Asked::SCHEMA || named.version != VERSION,
            // Earlier releases recorded the mutants only.
            Err(_) => self.has(MUTANTS) && !self.has(ASKED),
        }
    }

    /// Reads the lock file.
    ///
    /// # Errors
    /// If there is no lock file of this version.
    pub fn lock(&self) -> Result<Lock, FolderError> {
        read::versioned(self.disk.as_ref(), &self.dir.join(LOCK), Lock::SCHEMA)
    }

    /// Reads the lines of the journal.
    ///
    /// # Errors
    /// If a line before the last one is spoilt, or the file cannot be read.
    pub fn entries(&self) -> Result<Vec<JournalEntry>, FolderError> {
        Ok(read::journal(self.disk.as_ref(), &self.dir)?.entries)
    }

    /// Reads the results of the decided mutants, in the order in which they were decided.
    ///
    /// # Errors
    /// As [`StoredRun::entries`].
    pub fn decided(&self) -> Result<Vec<MutantResult>, FolderError> {
        let entries = self.entries()?.into_iter();
        Ok(entries.map(|entry| entry.result).collect())
    }

    /// Reads the verdicts of a finished run.
    ///
    /// # Errors
    /// If the run is unfinished, or the file cannot be read.
    pub fn outcomes(&self) -> Result<Run, FolderError> {
        match self.has(OUTCOMES) {
            true => read::document(self.disk.as_ref(), &self.dir.join(OUTCOMES)),
            false => {
                let message = |dir: &str| format!("{dir} has no outcomes: the run is unfinished");
                Err(self.refused(message).into())
            }
        }
    }

    /// Reads the results so far, and the state of the run. While the run goes on, or after it was killed, the results are in its journal.
    ///
    /// # Errors
    /// If another version made it, or a file cannot be read.
    pub fn so_far(&self) -> Result<(Vec<MutantResult>, LockState), FolderError> {
        let state = match self.has(LOCK) {
            true => self.lock()?.state,
            false => LockState::Running,
        };
        let is_over = matches!(state, LockState::Finished | LockState::Interrupted);
        let decided = match is_over && self.has(OUTCOMES) {
            true => {
                let outcomes = self.dir.join(OUTCOMES);
                read::versioned::<Run>(self.disk.as_ref(), &outcomes, Run::SCHEMA)?.results
            }
            false => self.decided()?,
        };
        Ok((decided, state))
    }

    /// Reads the certificates of a finished run, by their names, after checking the digests of the files.
    ///
    /// # Errors
    /// If a file is not as the run wrote it.
    pub fn certificates(&self) -> Result<BTreeMap<String, Vec<u8>>, FolderError> {
        let digests = self.dir.join(DIGESTS);
        let digests: Digests = read::versioned(self.disk.as_ref(), &digests, Digests::SCHEMA)?;
        let is_certificate = |name: &str| name.starts_with(CERTIFICATES);
        let mut certificates = BTreeMap::new();
        for listed in digests.files {
            let name = listed.file;
            if !is_certificate(&name)
                && ![MUTANTS, ASKED, JOURNAL, ARCHIVE].contains(&name.as_str())
            {
                continue;
            }
            let (bytes, digest) = read::kept(self.disk.as_ref(), &self.dir, &name)?;
            if digest != listed.digest {
                return Err(FolderError::Changed {
                    path: self.dir.join(name),
                    by: "the run",
                    help: None,
                });
            }
            if is_certificate(&name) {
                certificates.insert(name, bytes);
            }
        }
        let stored = self.files();
        for name in stored.archived().filter(|name| is_certificate(name)) {
            certificates.insert(name.clone(), stored.kept(name)?);
        }
        Ok(certificates)
    }

    /// Reads the lines of the journal whose certificates exist, and these certificates by their names.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn evident(&self) -> Result<Evident, FolderError> {
        let files = self.files();
        let mut certificates = BTreeMap::new();
        let mut entries = self.entries()?;
        entries.retain(|entry| {
            let mut named = resumption::certificates(&entry.result).into_iter();
            named.all(|name| match files.read(name) {
                Ok(bytes) => {
                    certificates.insert(name.clone(), bytes);
                    true
                }
                Err(_) => false,
            })
        });
        Ok(Evident {
            entries,
            certificates,
        })
    }
}

/// Returns a result for every mutant. Mutants without a verdict are undecided, so that the score counts all mutants of the run.
#[must_use]
pub fn results_so_far(
    table: &MutantTable,
    decided: Vec<MutantResult>,
    state: LockState,
) -> Vec<MutantResult> {
    let decided = decided.into_iter();
    let mut decided: BTreeMap<String, MutantResult> = decided
        .map(|result| (result.mutant.clone(), result))
        .collect();
    let results = table.mutants.iter().map(|mutant| {
        let id = MutantId(mutant.id.clone());
        if mutant.status == StatusWord::Invalid {
            return build::invalid(&id, mutant.reason.as_deref().unwrap_or_default());
        }
        let undecided = || MutantResult {
            reason: Some(why_open(state)),
            ..build::blank(&id, VerdictWord::Unknown)
        };
        decided.remove(&mutant.id).unwrap_or_else(undecided)
    });
    results.collect()
}

/// Returns the reason why a mutant is open that the journal does not name.
fn why_open(state: LockState) -> String {
    match state {
        LockState::Interrupted => Reason::Interrupted.to_string(),
        LockState::Running | LockState::Finished | LockState::Failed => "not decided".to_owned(),
    }
}
