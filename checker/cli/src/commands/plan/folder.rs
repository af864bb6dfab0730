//! The folder of a plan as commands read it.

use std::fs;
use std::path::{Path, PathBuf};

use hyperkill_run::plan::begun::check;
use hyperkill_run::plan::layout::{ATTEMPT, DONE, PLAN, shard_folder};
use sha2::{Digest, Sha256};

use crate::documents::{DoneShard, JournalEntry, Plan, PlannedShard};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::{self, ASKED, read_versioned};
use hyperkill_audit::names::digest;

/// A plan and its folder.
#[derive(Debug)]
pub(in crate::commands) struct PlanFolder {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The document.
    pub(crate) plan: Plan,
}

impl PlanFolder {
    /// Whether a folder has a plan.
    pub(crate) fn is_one(dir: &Path) -> bool {
        dir.join(PLAN).is_file()
    }

    /// Reads the plan in a folder.
    ///
    /// # Errors
    /// If there is none, another version made it, or it was changed.
    pub(crate) fn read(dir: &Path) -> Result<PlanFolder, Failure> {
        if !PlanFolder::is_one(dir) {
            let text = format!("{} is not the folder of a plan", dir.display());
            return Err(
                Failure::usage(text).with_help("`hyperkill plan MODEL --shards N` makes one")
            );
        }
        let plan: Plan = read_versioned(&dir.join(PLAN), Plan::SCHEMA)?;
        check(&plan)?;
        Ok(PlanFolder {
            dir: dir.to_owned(),
            plan,
        })
    }

    /// A shard.
    ///
    /// # Errors
    /// If the plan has no shard of this number.
    pub(crate) fn shard(&self, number: usize) -> Result<&PlannedShard, Failure> {
        let count = self.plan.shards.len();
        self.plan.shards.get(number).ok_or_else(|| {
            let dir = self.dir.display();
            Failure::usage(match count {
                0 => format!("the plan in {dir} has decided all mutants: there are no shards"),
                _ => format!("the shards of {dir} are counted from 0 to {}", count - 1),
            })
        })
    }

    /// The bytes of the file of a shard.
    ///
    /// # Errors
    /// If it cannot be read or is not as the plan wrote it.
    pub(crate) fn shard_file(&self, shard: &PlannedShard) -> Result<Vec<u8>, Failure> {
        let path = self.dir.join(&shard.file);
        let bytes = fs::read(&path).map_err(|error| {
            Failure::usage(format!("{} cannot be read: {error}", path.display()))
        })?;
        if digest(Sha256::new_with_prefix(&bytes)) == shard.digest {
            return Ok(bytes);
        }
        let error = anyhow::anyhow!("{} is not as the plan wrote it", path.display());
        Err(Failure::message(ExitCode::Evidence, error).with_help("make the plan again"))
    }

    /// The folder of the attempts of a shard.
    pub(crate) fn attempts_of(&self, number: usize) -> PathBuf {
        self.dir.join(shard_folder(number))
    }

    /// Returns the folders of the attempts at a shard, by name. An attempt counts from the moment at which its question is written.
    pub(crate) fn attempts(&self, number: usize) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.attempts_of(number)).into_iter().flatten();
        let attempts = entries.flatten().filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with(ATTEMPT)
        });
        let attempts = attempts.map(|entry| entry.path());
        let mut attempts: Vec<PathBuf> =
            attempts.filter(|path| path.join(ASKED).is_file()).collect();
        attempts.sort_unstable();
        attempts
    }

    /// The attempt that has decided the most mutants, with its journal.
    ///
    /// # Errors
    /// If a journal is spoilt.
    pub(crate) fn farthest(
        &self,
        number: usize,
    ) -> Result<Option<(PathBuf, Vec<JournalEntry>)>, Failure> {
        let mut farthest: Option<(PathBuf, Vec<JournalEntry>)> = None;
        for attempt in self.attempts(number) {
            let entries = run_folder::journal::read(&attempt)?.entries;
            let most = farthest.as_ref().map_or(0, |(_, entries)| entries.len());
            if farthest.is_none() || entries.len() > most {
                farthest = Some((attempt, entries));
            }
        }
        Ok(farthest)
    }

    /// The folder of the attempt that has decided a shard.
    ///
    /// # Errors
    /// If there is no such shard, or no attempt has decided it.
    pub(crate) fn decided(&self, number: usize) -> Result<PathBuf, Failure> {
        self.shard(number)?;
        self.done(number)?.ok_or_else(|| {
            let dir = self.dir.display();
            Failure::usage(format!("shard {number} is not decided")).with_help(format!(
                "`hyperkill run --plan {dir} --shard {number}` decides it"
            ))
        })
    }

    /// The folder of the attempt that has decided a shard, if one has.
    ///
    /// # Errors
    /// If the document about it is of another plan or shard.
    pub(crate) fn done(&self, number: usize) -> Result<Option<PathBuf>, Failure> {
        let path = self.attempts_of(number).join(DONE);
        if !path.is_file() {
            return Ok(None);
        }
        let done: DoneShard = read_versioned(&path, DoneShard::SCHEMA)?;
        if done.plan != self.plan.hash || done.shard != number {
            let (path, dir) = (path.display(), self.dir.display());
            return Err(Failure::usage(format!("{path} is of another plan than the one in {dir}"))
                .with_help("the plan was made again after the shard had begun: delete the folder of the shard"));
        }
        // A name and no path: nothing outside of the plan is read.
        let name = Path::new(&done.attempt).file_name().unwrap_or_default();
        Ok(Some(self.attempts_of(number).join(name)))
    }
}
