//! The folder of a run: created whole, written atomically, locked while it grows, and never taken from anybody else.
//!
//! The folder before becomes `DIR.old`. Nothing here happens before the model has been read and validated.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow};
use fs4::{FileExt, TryLockError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::documents::{self, Digests, FileDigest, Lock, LockState};
use crate::exit_code::ExitCode;
use crate::failure::Failure;

/// Where a run goes if nobody says.
pub const DEFAULT: &str = "hyperkill.out";

/// The model's mutants, written first.
pub const MUTANTS: &str = "mutants.json";
/// One line per decided mutant.
pub const JOURNAL: &str = "journal.jsonl";
/// All verdicts.
pub const OUTCOMES: &str = "outcomes.json";
/// The tests.
pub const SUITE: &str = "suite.json";
/// What is different from run to run.
pub const TIMINGS: &str = "timings.json";
/// What was said on the way.
pub const LOG: &str = "log.txt";
/// Who writes the folder.
pub const LOCK: &str = "lock.json";
/// Source differences, one file per mutant.
pub const DIFFS: &str = "diffs";
/// Tests one by one.
pub const TESTS: &str = "tests";
/// Evidence, to be checked again.
pub const CERTIFICATES: &str = "certificates";
/// What the files of a finished run are.
pub const DIGESTS: &str = "digests.json";

/// A folder that this process writes.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Open and locked as long as this value lives.
    lock_file: File,
    lock: Lock,
    journal: File,
    /// Of the files written: name and digest.
    digests: RefCell<BTreeMap<String, String>>,
    journal_digest: Sha256,
}

impl RunFolder {
    /// Takes the folder: what was there becomes `DIR.old`, and what was `DIR.old` is deleted.
    ///
    /// # Errors
    /// If either is not a run folder, another run holds it, or the file system refuses. Then nothing has changed.
    pub fn create(path: &Path) -> Result<RunFolder, Failure> {
        let Some(name) = path.file_name() else {
            return Err(Failure::usage(format!(
                "{} cannot be a run folder",
                path.display()
            )));
        };
        let sibling = |suffix: &str| {
            let mut sibling = name.to_owned();
            sibling.push(suffix);
            path.with_file_name(sibling)
        };
        let old = sibling(".old");
        let present = Presence::of(path)?;
        let old_present = Presence::of(&old)?;
        // Held until the new folder is in place, so that two runs cannot both move the same one.
        let _held = match present {
            Presence::Ours => hold(path)?,
            Presence::Nothing | Presence::Empty => None,
        };

        let lock = Lock {
            schema: Lock::SCHEMA.to_owned(),
            pid: std::process::id(),
            run: run_name(),
            state: LockState::Running,
        };
        let staging = sibling(&format!(".new-{}", lock.run));
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            fs::create_dir_all(parent)
                .with_context(|| format!("{} cannot be created", parent.display()))?;
        }
        fs::create_dir(&staging)
            .with_context(|| format!("{} cannot be created", staging.display()))?;
        let moved = Self::fill(&staging, &lock).and_then(|files| {
            if present == Presence::Ours {
                if old_present != Presence::Nothing {
                    fs::remove_dir_all(&old)
                        .with_context(|| format!("{} cannot be deleted", old.display()))?;
                }
                fs::rename(path, &old)
                    .with_context(|| format!("{} cannot be moved", path.display()))?;
            }
            // An empty folder is replaced; a folder that appeared meanwhile is another run's.
            fs::rename(&staging, path).with_context(|| {
                format!("{} was taken by another run meanwhile", path.display())
            })?;
            Ok(files)
        });
        match moved {
            Ok((lock_file, journal)) => Ok(RunFolder {
                path: path.to_owned(),
                lock_file,
                lock,
                journal,
                digests: RefCell::default(),
                journal_digest: Sha256::new(),
            }),
            Err(error) => {
                // What could not be put in place must not stay behind.
                let _ = fs::remove_dir_all(&staging);
                Err(Failure::message(ExitCode::Usage, error))
            }
        }
    }

    /// Lock and journal of a folder that nobody else knows yet.
    fn fill(staging: &Path, lock: &Lock) -> anyhow::Result<(File, File)> {
        let lock_file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(staging.join(LOCK))?;
        FileExt::try_lock(&lock_file)
            .map_err(|error| anyhow!("{LOCK} cannot be locked: {error}"))?;
        write_in_place(&lock_file, lock)?;
        let journal = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(staging.join(JOURNAL))?;
        Ok((lock_file, journal))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, name: impl AsRef<Path>, contents: &[u8]) -> anyhow::Result<()> {
        let name = name.as_ref();
        write_atomically(&self.path.join(name), contents)?;
        let portable = name.iter().map(|part| part.to_string_lossy());
        let portable = portable.collect::<Vec<_>>().join("/");
        let mut digests = self.digests.borrow_mut();
        digests.insert(portable, digest(Sha256::new_with_prefix(contents)));
        Ok(())
    }

    /// Writes a document.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_document(&self, name: &str, document: &impl Serialize) -> anyhow::Result<()> {
        self.write(name, documents::to_text(document)?.as_bytes())
    }

    /// Makes a folder inside.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_folder(&self, name: &str) -> anyhow::Result<()> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).with_context(|| format!("{} cannot be created", path.display()))
    }

    /// Appends a line to the journal and waits until it is on the disk.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_journal(&mut self, entry: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.journal_digest.update(&line);
        self.journal
            .write_all(&line)
            .and_then(|()| self.journal.sync_data())
            .with_context(|| format!("{} cannot be written", self.path.join(JOURNAL).display()))
    }

    /// Appends lines to the log.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_log(&self, lines: &[String]) -> anyhow::Result<()> {
        let path = self.path.join(LOG);
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        for line in lines {
            writeln!(log, "{line}")?;
        }
        Ok(())
    }

    /// Writes down what all files of a finished run are, the log apart.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn seal(&self) -> anyhow::Result<()> {
        let mut files = self.digests.borrow().clone();
        files.remove(DIGESTS);
        files.insert(JOURNAL.to_owned(), digest(self.journal_digest.clone()));
        let files = files.into_iter();
        let digests = Digests {
            schema: Digests::SCHEMA.to_owned(),
            files: files
                .map(|(file, digest)| FileDigest { file, digest })
                .collect(),
        };
        self.write_document(DIGESTS, &digests)
    }

    /// Says how the run ended.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish(&mut self, state: LockState) -> anyhow::Result<()> {
        self.lock.state = state;
        // In place: another file of this name would not be the locked one.
        write_in_place(&self.lock_file, &self.lock)
    }
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Presence {
    Nothing,
    Empty,
    Ours,
}

impl Presence {
    fn of(path: &Path) -> Result<Presence, Failure> {
        let mut entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Presence::Nothing),
            Err(error) => {
                return Err(Failure::usage(format!(
                    "{} cannot be a run folder: {error}",
                    path.display()
                )));
            }
        };
        if entries.next().is_none() {
            return Ok(Presence::Empty);
        }
        if path.join(LOCK).is_file() || path.join(MUTANTS).is_file() {
            return Ok(Presence::Ours);
        }
        Err(Failure::usage(format!(
            "{} is not a run folder and not empty; it is left alone",
            path.display()
        ))
        .with_help("name another folder with --out"))
    }
}

/// Locks the folder of a finished run. `None` if it has no lock file.
fn hold(path: &Path) -> Result<Option<File>, Failure> {
    let lock_path = path.join(LOCK);
    let mut file = match OpenOptions::new().read(true).write(true).open(&lock_path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let error = anyhow!(error).context(format!("{} cannot be opened", lock_path.display()));
            return Err(error.into());
        }
    };
    let busy = |lock: Option<Lock>| {
        let who = lock.map_or_else(String::new, |lock| format!(" (process {})", lock.pid));
        Failure::usage(format!("another run{who} is writing {}", path.display()))
            .with_help("wait for it, or name another folder with --out")
    };
    match FileExt::try_lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy(read_document(&lock_path).ok())),
        Err(TryLockError::Error(error)) => {
            let error = anyhow!(error).context(format!("{} cannot be locked", lock_path.display()));
            return Err(error.into());
        }
    }
    // The folder may have been replaced between opening and locking.
    let mut held = Vec::new();
    file.read_to_end(&mut held)?;
    if fs::read(&lock_path).ok() != Some(held) {
        return Err(busy(read_document(&lock_path).ok()));
    }
    Ok(Some(file))
}

/// A name that no other run has.
fn run_name() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}-{:x}", std::process::id(), since.as_nanos())
}

fn write_in_place(mut file: &File, document: &impl Serialize) -> anyhow::Result<()> {
    let text = documents::to_text(document)?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    Ok(())
}

/// A SHA-256 digest in documents.
#[must_use]
pub fn digest(hash: Sha256) -> String {
    let digits = hash.finalize();
    let digits = digits.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", digits.collect::<String>())
}

/// Writes a file beside its place and moves it there, so that readers see the old contents or the new.
///
/// # Errors
/// If the file system refuses; the old file is then as it was.
pub fn write_atomically(path: &Path, contents: &[u8]) -> anyhow::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| anyhow!("{} is no file name", path.display()))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(contents)?;
            file.sync_data()
        })
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // Nothing half-written stays behind.
        let _ = fs::remove_file(&temporary);
        anyhow!(error).context(format!("{} cannot be written", path.display()))
    })
}

/// Reads a document.
///
/// # Errors
/// If the file cannot be read or is not such a document.
pub fn read_document<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not as hyperkill writes it", path.display()))
}

/// A file name for a mutant, whatever characters its id has.
#[must_use]
pub fn file_name(id: &str, extension: &str) -> String {
    format!("{}.{extension}", escaped(id))
}

/// An id with letters, digits and `-_.` only, and `%` for everything else; different for different ids.
#[must_use]
pub fn escaped(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    if name.starts_with('.') {
        name.replace_range(..1, "%2e");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<RunFolder, Failure>) -> String {
        match result {
            Ok(folder) => panic!("{} was created", folder.path().display()),
            Err(Failure::Message { error, .. }) => format!("{error:#}"),
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn the_folder_before_becomes_old_and_the_one_before_that_goes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        for run in ["first", "second", "third"] {
            let mut folder = RunFolder::create(&path).unwrap();
            folder.write(MUTANTS, run.as_bytes()).unwrap();
            folder.finish(LockState::Finished).unwrap();
        }
        assert_eq!(fs::read(path.join(MUTANTS)).unwrap(), b"third");
        let old = place.path().join("out.old");
        assert_eq!(fs::read(old.join(MUTANTS)).unwrap(), b"second");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_that_is_not_ours_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("thesis");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("chapter1.tex"), "text").unwrap();
        assert!(message(RunFolder::create(&path)).contains("left alone"));
        let other = place.path().join("out");
        drop(RunFolder::create(&other).unwrap());
        fs::rename(&path, place.path().join("out.old")).unwrap();
        assert!(message(RunFolder::create(&other)).contains("out.old"));
        assert!(place.path().join("out.old/chapter1.tex").is_file());
    }

    #[test]
    fn a_folder_that_a_run_is_writing_cannot_be_taken() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        let first = RunFolder::create(&path).unwrap();
        assert!(message(RunFolder::create(&path)).contains("another run"));
        drop(first);
        assert!(RunFolder::create(&path).is_ok());
    }

    #[test]
    fn any_id_has_a_file_name_of_its_own() {
        assert_eq!(file_name("m-01ab", "diff"), "m-01ab.diff");
        assert_eq!(file_name("../a b", "diff"), "%2e.%2fa%20b.diff");
        assert_ne!(file_name("a/b", "x"), file_name("a_b", "x"));
    }
}
