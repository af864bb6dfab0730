//! The folder of a resumed run. Its files are kept; files that no longer belong to the run are deleted when the run ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::FolderError;
use super::file_system::FileSystem;
use super::files::{self, Durability, end_of_links};
use super::jobs;
use super::lock::{Held, ROOM, run_name};
use super::read;
use super::rotation::Presence;
use super::writing::{Journal, RunFolder};
use crate::documents::{self, JournalEntry, Lock, LockState};
use crate::names::{DIGESTS, JOURNAL, LOCK};
use crate::unfit::Unfit;

/// A locked, unchanged folder. The lock keeps other runs from taking it.
#[derive(Debug)]
pub struct Reopened {
    folder: RunFolder,
}

impl Reopened {
    /// Locks the folder of a run.
    ///
    /// # Errors
    /// If the path is no folder of a run, or another process holds its lock.
    pub fn hold(
        disk: &(impl FileSystem + Clone + 'static),
        path: &Path,
    ) -> Result<Reopened, FolderError> {
        let disk: Arc<dyn FileSystem> = Arc::new(disk.clone());
        let place = path.components().collect::<PathBuf>();
        let place = end_of_links(disk.as_ref(), &place)
            .map_err(FolderError::refused(path, "cannot be resumed"))?;
        let present = Presence::of(disk.as_ref(), &place)?;
        let Some(held) = Held::of(disk.as_ref(), &place)? else {
            let message = format!("{} has no {LOCK}", path.display());
            let help = "`hyperkill run MODEL` makes a run";
            return Err(Unfit::new(message).with_help(help).into());
        };
        let lock: Lock = read::versioned(disk.as_ref(), &place.join(LOCK), Lock::SCHEMA)?;
        let journal = Journal::open(disk.as_ref(), &place, "")?;
        let place = (disk, place, present.strangers());
        Ok(Reopened {
            folder: RunFolder::held(place, lock, (held, journal), true),
        })
    }

    /// Returns the recorded state of the run.
    #[must_use]
    pub fn state(&self) -> LockState {
        self.folder.lock.state
    }

    /// Returns the path of the folder, with links at its end resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Resumes the run in this folder: marks it as running, rewrites the journal to `entries`, and cuts the file of jobs to `jobs` bytes.
    /// `kept` are the digests of the files that the folder already has. No other file is deleted now except the list of digests.
    ///
    /// # Errors
    /// If the file system refuses. No file of the run is lost then.
    pub fn go_on(
        self,
        entries: &[JournalEntry],
        jobs: usize,
        kept: BTreeMap<String, String>,
    ) -> Result<RunFolder, FolderError> {
        let mut folder = self.folder;
        let disk = Arc::clone(&folder.disk);
        folder.lock.pid = disk.process();
        folder.lock.run = run_name(disk.as_ref());
        folder.lock.state = LockState::Running;
        folder.lock.failure = None;
        say_running(&folder)?;
        files::remove(disk.as_ref(), &folder.path.join(DIGESTS))?;
        let lines = entries.iter().map(documents::to_line);
        let text = lines.collect::<Result<String, _>>()?;
        let path = folder.path.join(JOURNAL);
        if disk.read(&path).ok().as_deref() != Some(text.as_bytes()) {
            files::write(disk.as_ref(), &path, text.as_bytes(), Durability::Synced)?;
        }
        folder.journal = Journal::open(disk.as_ref(), &folder.path, &text)?;
        jobs::cut(disk.as_ref(), &folder.path, jobs)?;
        folder.digests = kept;
        Ok(folder)
    }
}

/// Writes the running state into the lock file, with space for the final state.
fn say_running(folder: &RunFolder) -> Result<(), FolderError> {
    let path = folder.path.join(LOCK);
    let file = folder.held.file();
    let make_room = || {
        let length = file.length()?;
        let missing = (ROOM as u64).saturating_sub(length);
        if missing == 0 {
            return Ok(());
        }
        // Trailing blanks do not change a document, which therefore stays valid if the disk has no space for them.
        let blanks = " ".repeat(usize::try_from(missing).unwrap_or(ROOM));
        file.append(blanks.as_bytes()).inspect_err(|_| {
            let _ = file.set_length(length);
        })
    };
    make_room().map_err(FolderError::refused(&path, "cannot be written"))?;
    folder.held.say(&folder.lock, &folder.path)
}
