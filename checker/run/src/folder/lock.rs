//! The lock file of a folder: the process that writes the folder, and the final state of its run.

use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::FolderError;
use super::file_system::{Access, FileSystem, OpenFile, Reader};
use super::read;
use crate::documents::{self, Lock};
use crate::names::LOCK;
use crate::unfit::Unfit;

/// Length of the lock file during a run, in bytes. The reserved space lets the run record its final state on a full disk.
pub(super) const ROOM: usize = 2048;

/// A lock on a folder. Dropping the value releases it.
#[derive(Debug)]
pub struct Held(Box<dyn OpenFile>);

impl Held {
    /// Locks the lock file of a new folder that no other process uses.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn new(file: Box<dyn OpenFile>, path: &Path) -> Result<Held, FolderError> {
        let locked = file.try_lock().and_then(|is_ours| match is_ours {
            true => Ok(()),
            false => Err(ErrorKind::WouldBlock.into()),
        });
        locked.map_err(FolderError::refused(path, "cannot be locked"))?;
        Ok(Held(file))
    }

    /// Locks a folder that no process writes. `None` if the folder has no lock file.
    ///
    /// # Errors
    /// If a process writes the folder, or the file system refuses.
    pub fn of(disk: &dyn FileSystem, path: &Path) -> Result<Option<Held>, FolderError> {
        let place = path.join(LOCK);
        let file = match disk.open(&place, Access::Write) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FolderError::refused(&place, "cannot be opened")(error)),
        };
        let busy = || {
            let lock: Option<Lock> = read::document(disk, &place).ok();
            let who = lock.map_or_else(String::new, |lock| format!(" (process {})", lock.pid));
            Unfit::new(format!("another run{who} is writing {}", path.display()))
                .with_help("wait for it, or name another folder with --out")
        };
        let is_ours = file.try_lock();
        if !is_ours.map_err(FolderError::refused(&place, "cannot be locked"))? {
            return Err(busy().into());
        }
        let held = Held(file);
        // The folder may have been replaced between opening and locking.
        let mut said = Vec::new();
        Reader::from(held.file(), 0)
            .read_to_end(&mut said)
            .map_err(FolderError::refused(&place, "cannot be read"))?;
        match disk.read(&place).ok() == Some(said) {
            true => Ok(Some(held)),
            false => Err(busy().into()),
        }
    }

    /// Returns the lock file.
    pub(super) fn file(&self) -> &dyn OpenFile {
        self.0.as_ref()
    }

    /// Overwrites the lock file in place: a new file with this name would not be locked.
    ///
    /// # Errors
    /// If the text exceeds the length of the lock file, or the file system refuses.
    pub(super) fn say(&self, lock: &Lock, path: &Path) -> Result<(), FolderError> {
        let text = padded(lock)?;
        let length = self.file().length();
        let written = length.and_then(|length| {
            if text.len() as u64 > length {
                let missing = format!("it has no room for {} bytes", text.len());
                return Err(std::io::Error::other(missing));
            }
            self.file().overwrite(text.as_bytes())?;
            self.file().sync()
        });
        written.map_err(FolderError::refused(&path.join(LOCK), "cannot be written"))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

/// Returns the text of a lock, padded with blanks, which JSON allows.
///
/// # Errors
/// If the lock cannot be serialised, which the types exclude.
pub(super) fn padded(lock: &Lock) -> serde_json::Result<String> {
    let mut text = documents::to_text(lock)?;
    let missing = ROOM.saturating_sub(text.len());
    text.push_str(&" ".repeat(missing));
    Ok(text)
}

/// Whether a process holds the lock of a run folder. `None` if the lock file cannot be opened or tested.
#[must_use]
pub fn is_written(disk: &dyn FileSystem, path: &Path) -> Option<bool> {
    let file = disk.open(&path.join(LOCK), Access::Write).ok()?;
    let is_free = file.try_lock().ok()?;
    if is_free {
        file.unlock();
    }
    Some(!is_free)
}

/// Returns a unique name for a run: the process id and the current time.
#[must_use]
pub fn run_name(disk: &dyn FileSystem) -> String {
    format!("{}-{:x}", disk.process(), disk.now().as_nanos())
}
