//! The folder of a run that goes on: what it has is kept, and what is not part of it any more goes at the end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, anyhow};
use sha2::{Digest, Sha256};

use super::rotation::{Contents, Presence};
use super::{
    ARCHIVE, DIGESTS, JOBS, JOURNAL, LOCK, LOCK_ROOM, LOG, RunFolder, digest, hold, overwrite,
    padded, read_versioned, run_name,
};
use crate::documents::{self, JournalEntry, Lock, LockState};
use crate::failure::Failure;
use crate::files::{Disk, end_of_links};

/// A folder that is held, so that no other run can take it, and in which nothing has been changed yet.
#[derive(Debug)]
pub(crate) struct Reopened {
    folder: RunFolder,
}

impl Reopened {
    /// Holds the folder of a run.
    ///
    /// # Errors
    /// If it is none, or a run goes on in it.
    pub(crate) fn hold(disk: &Disk, path: &Path) -> Result<Reopened, Failure> {
        let place = path.components().collect::<std::path::PathBuf>();
        let place = end_of_links(&place)
            .with_context(|| format!("{} cannot be resumed", path.display()))?;
        let present = Presence::of(&place)?;
        let held = hold(&place)?.and_then(super::Held::keep);
        let Some(lock_file) = held else {
            let message = format!("{} has no {LOCK}", path.display());
            return Err(Failure::usage(message).with_help("`hyperkill run MODEL` makes a run"));
        };
        let lock: Lock = read_versioned(&place.join(LOCK), Lock::SCHEMA)?;
        let journal = place.join(JOURNAL);
        let journal = OpenOptions::new()
            .append(true)
            .open(&journal)
            .with_context(|| format!("{} cannot be opened", journal.display()))?;
        Ok(Reopened {
            folder: RunFolder {
                path: place,
                disk: disk.clone(),
                lock_file,
                lock,
                journal,
                journal_length: 0,
                journal_synced: None,
                digests: RefCell::default(),
                journal_digest: Sha256::new(),
                jobs: None,
                archive: RefCell::default(),
                strangers: present.strangers(),
                is_resumed: true,
            },
        })
    }

    /// How far the run has got.
    pub(crate) fn state(&self) -> LockState {
        self.folder.lock.state
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Takes the folder for a run that goes on from these lines of its journal and so many bytes of its jobs. `kept` are files that it has,
    /// with their digests.
    ///
    /// # Errors
    /// If the file system refuses; nothing of the run is lost then.
    pub(crate) fn go_on(
        self,
        entries: &[JournalEntry],
        jobs: usize,
        kept: BTreeMap<String, String>,
    ) -> Result<RunFolder, Failure> {
        let mut folder = self.folder;
        folder.lock.pid = std::process::id();
        folder.lock.run = run_name();
        folder.lock.state = LockState::Running;
        folder.lock.failure = None;
        folder.say_running()?;
        let digests = folder.path.join(DIGESTS);
        if digests.exists() {
            fs::remove_file(&digests)
                .with_context(|| format!("{} cannot be deleted", digests.display()))?;
        }
        let lines = entries.iter().map(documents::to_line);
        let text = lines.collect::<Result<String, _>>()?;
        let path = folder.path.join(JOURNAL);
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            folder.disk.write(&path, text.as_bytes())?;
            folder.journal = OpenOptions::new()
                .append(true)
                .open(&path)
                .with_context(|| format!("{} cannot be opened", path.display()))?;
        }
        super::jobs::cut(&folder.path, jobs)?;
        folder.journal_length = text.len() as u64;
        folder.journal_digest.update(&text);
        folder.digests = RefCell::new(kept);
        Ok(folder)
    }
}

impl RunFolder {
    /// Lets the lock say that the run goes on, with room to say how it ends.
    fn say_running(&mut self) -> anyhow::Result<()> {
        let path = self.path.join(LOCK);
        let said = || format!("{} cannot be written", path.display());
        let length = self.lock_file.metadata().with_context(said)?.len();
        let missing = (LOCK_ROOM as u64).saturating_sub(length);
        if missing > 0 {
            // Blanks behind a document change nothing, so that it stays whole if they do not fit.
            let blanks = " ".repeat(usize::try_from(missing).unwrap_or(LOCK_ROOM));
            let room = (&self.lock_file)
                .seek(SeekFrom::End(0))
                .and_then(|_| self.disk.append(&self.lock_file, blanks.as_bytes()));
            if let Err(error) = room {
                let _ = self.lock_file.set_len(length);
                return Err(anyhow!(error).context(said()));
            }
        }
        let text = padded(documents::to_text(&self.lock)?);
        overwrite(&self.lock_file, text.as_bytes()).with_context(said)
    }

    /// Deletes what earlier processes of the run wrote and what is no part of it any more: evidence that was found again, tests of a
    /// suite that another one replaces, and what was not written to its end.
    pub(super) fn sweep(&self) -> anyhow::Result<()> {
        let path = &self.path;
        let contents =
            Contents::of(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let digests = self.digests.borrow();
        for name in contents.written() {
            let portable = name.iter().map(|part| part.to_string_lossy());
            let portable = portable.collect::<Vec<_>>().join("/");
            let stays = [LOCK, LOG, JOURNAL, ARCHIVE, JOBS, DIGESTS].contains(&portable.as_str());
            if stays || digests.contains_key(&portable) {
                continue;
            }
            fs::remove_file(path.join(name))
                .with_context(|| format!("{} cannot be deleted", path.join(name).display()))?;
        }
        Ok(())
    }
}

/// What a file that is kept holds, and its digest.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn kept(dir: &Path, name: &str) -> anyhow::Result<(Vec<u8>, String)> {
    let path = dir.join(name);
    let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let digest = digest(Sha256::new_with_prefix(&bytes));
    Ok((bytes, digest))
}
