//! The folder of a plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_audit::model::Listing;
use sha2::{Digest, Sha256};

use super::begun::check;
use super::join::Piece;
use super::layout::{ATTEMPT, BASE, DONE, PLAN, shard_folder};
use crate::documents::{Asked, DoneShard, JournalEntry, Plan, PlannedShard};
use crate::folder::file_system::FileSystem;
use crate::folder::{FolderError, read};
use crate::names::{ASKED, digest};
use crate::stored_run::StoredRun;
use crate::unfit::Unfit;

/// A plan and its folder.
#[derive(Debug)]
pub struct PlanFolder {
    disk: Arc<dyn FileSystem>,
    /// The folder.
    pub dir: PathBuf,
    /// The document.
    pub plan: Plan,
}

/// The folder of an attempt at a shard, and the lines of its journal.
pub type Begun = (PathBuf, Vec<JournalEntry>);

impl PlanFolder {
    /// Whether a folder is the folder of a plan.
    #[must_use]
    pub fn is_one(disk: &dyn FileSystem, dir: &Path) -> bool {
        disk.is_file(&dir.join(PLAN))
    }

    /// Reads the plan in a folder.
    ///
    /// # Errors
    /// If there is none, another version made it, or it was changed.
    pub fn read(disk: Arc<dyn FileSystem>, dir: &Path) -> Result<PlanFolder, FolderError> {
        if !PlanFolder::is_one(disk.as_ref(), dir) {
            let text = format!("{} is not the folder of a plan", dir.display());
            let help = "`hyperkill plan MODEL --shards N` makes one";
            return Err(Unfit::new(text).with_help(help).into());
        }
        let plan: Plan = read::versioned(disk.as_ref(), &dir.join(PLAN), Plan::SCHEMA)?;
        check(&plan)?;
        Ok(PlanFolder {
            disk,
            dir: dir.to_owned(),
            plan,
        })
    }

    /// Returns the disk of the folder.
    pub(super) fn disk(&self) -> &dyn FileSystem {
        self.disk.as_ref()
    }

    /// Returns the run that made the plan.
    #[must_use]
    pub fn base(&self) -> StoredRun {
        self.run_in(&self.dir.join(BASE))
    }

    /// Returns the run in the folder of an attempt.
    #[must_use]
    pub fn run_in(&self, dir: &Path) -> StoredRun {
        StoredRun::at(Arc::clone(&self.disk), dir)
    }

    /// Returns the question of the plan in the form of a run's question, without a hash.
    #[must_use]
    pub fn asked(&self) -> Asked {
        let plan = &self.plan;
        Asked {
            schema: Asked::SCHEMA.to_owned(),
            version: plan.version.clone(),
            options: plan.options.clone(),
            mutants: plan.mutants,
            whole: plan.whole.clone(),
            hash: String::new(),
        }
    }

    /// Checks that a run is the one that made the plan: the plan has its question and its model.
    ///
    /// # Errors
    /// If the run has another question or model.
    pub fn is_of(&self, asked: &Asked, listing: &Listing) -> Result<(), Unfit> {
        let plan = &self.plan;
        let is_same = plan.whole == asked.whole
            && plan.options == asked.options
            && plan.model == listing.description;
        if is_same {
            return Ok(());
        }
        let base = self.dir.join(BASE);
        let text = format!("{} is not the run of this plan", base.display());
        Err(Unfit::new(text).with_help("make the plan again"))
    }

    /// Returns a shard of the plan.
    ///
    /// # Errors
    /// If the plan has no shard of this number.
    pub fn shard(&self, number: usize) -> Result<&PlannedShard, Unfit> {
        let count = self.plan.shards.len();
        self.plan.shards.get(number).ok_or_else(|| {
            let dir = self.dir.display();
            Unfit::new(match count {
                0 => format!("the plan in {dir} has decided all mutants: there are no shards"),
                _ => format!("the shards of {dir} are counted from 0 to {}", count - 1),
            })
        })
    }

    /// Returns the contents of the file of a shard.
    ///
    /// # Errors
    /// If the file cannot be read, or is not as the plan wrote it.
    pub fn shard_file(&self, shard: &PlannedShard) -> Result<Vec<u8>, FolderError> {
        let path = self.dir.join(&shard.file);
        let bytes = read::bytes(self.disk.as_ref(), &path)?;
        match digest(Sha256::new_with_prefix(&bytes)) == shard.digest {
            true => Ok(bytes),
            false => Err(FolderError::Changed {
                path,
                by: "the plan",
                help: Some("make the plan again"),
            }),
        }
    }

    /// Returns the folder with the attempts at a shard.
    #[must_use]
    pub fn attempts_of(&self, number: usize) -> PathBuf {
        self.dir.join(shard_folder(number))
    }

    /// Returns the folders of the attempts at a shard, by name. An attempt counts from the moment at which its question is written.
    #[must_use]
    pub fn attempts(&self, number: usize) -> Vec<PathBuf> {
        let folder = self.attempts_of(number);
        let entries = self.disk.entries(&folder).unwrap_or_default().into_iter();
        let attempts = entries.filter(|entry| entry.name.to_string_lossy().starts_with(ATTEMPT));
        let attempts = attempts.map(|entry| folder.join(entry.name));
        let mut attempts: Vec<PathBuf> = attempts
            .filter(|path| self.disk.is_file(&path.join(ASKED)))
            .collect();
        attempts.sort_unstable();
        attempts
    }

    /// Returns the attempt at a shard that has decided the most mutants, with its journal; `None` without an attempt.
    ///
    /// # Errors
    /// If a journal is spoilt.
    pub fn farthest(&self, number: usize) -> Result<Option<Begun>, FolderError> {
        let mut farthest: Option<Begun> = None;
        for attempt in self.attempts(number) {
            let entries = self.run_in(&attempt).entries()?;
            let most = farthest.as_ref().map_or(0, |(_, entries)| entries.len());
            if farthest.is_none() || entries.len() > most {
                farthest = Some((attempt, entries));
            }
        }
        Ok(farthest)
    }

    /// Returns the folder of the attempt that has decided a shard.
    ///
    /// # Errors
    /// If there is no such shard, or no attempt has decided it.
    pub fn decided(&self, number: usize) -> Result<PathBuf, FolderError> {
        self.shard(number)?;
        self.done(number)?
            .ok_or_else(|| self.undecided(&[number]).into())
    }

    /// Returns the folder of the attempt that has decided a shard; `None` if no attempt has.
    ///
    /// # Errors
    /// If the document about it is of another plan or shard.
    pub fn done(&self, number: usize) -> Result<Option<PathBuf>, FolderError> {
        let path = self.attempts_of(number).join(DONE);
        if !self.disk.is_file(&path) {
            return Ok(None);
        }
        let done: DoneShard = read::versioned(self.disk.as_ref(), &path, DoneShard::SCHEMA)?;
        if done.plan != self.plan.hash || done.shard != number {
            let (path, dir) = (path.display(), self.dir.display());
            let text = format!("{path} is of another plan than the one in {dir}");
            let help =
                "the plan was made again after the shard had begun: delete the folder of the shard";
            return Err(Unfit::new(text).with_help(help).into());
        }
        // A name and no path: nothing outside of the plan is read.
        let name = Path::new(&done.attempt).file_name().unwrap_or_default();
        Ok(Some(self.attempts_of(number).join(name)))
    }

    /// Reads the attempts that are merged, with the numbers of their shards. `partial` takes attempts that have not ended, and no attempt
    /// where none has begun.
    ///
    /// # Errors
    /// If a shard is not decided and all have to be, or a file is not as its run wrote it.
    pub fn pieces(&self, partial: bool) -> Result<Vec<(usize, Piece)>, FolderError> {
        let mut there = Vec::new();
        let mut missing = Vec::new();
        for number in 0..self.plan.shards.len() {
            if let Some(done) = self.done(number)? {
                there.push((number, Piece::ended(&self.run_in(&done))?));
                continue;
            }
            missing.push(number);
            if let Some((attempt, _)) = self.farthest(number)?.filter(|_| partial) {
                there.push((number, Piece::so_far(&self.run_in(&attempt))?));
            }
        }
        if missing.is_empty() || partial {
            return Ok(there);
        }
        Err(self.undecided(&missing).into())
    }

    /// Returns the error that shards are not decided, with the command that decides the first of them. `missing` is never empty.
    fn undecided(&self, missing: &[usize]) -> Unfit {
        let shards: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let text = match shards.as_slice() {
            [one] => format!("shard {one} is not decided"),
            several => format!("shards {} are not decided", several.join(", ")),
        };
        let dir = self.dir.display();
        let first = missing.first().copied().unwrap_or_default();
        let help = format!(
            "`hyperkill run --plan {dir} --shard {first}` decides it; `merge --partial` merges the decided shards only"
        );
        Unfit::new(text).with_help(help)
    }
}
