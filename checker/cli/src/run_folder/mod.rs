//! The folder of a run: created whole, written atomically, locked while it grows, and never taken from anybody else.
//!
//! What a run before has written goes to `DIR.old` (`rotation`). Nothing here happens before the model has been read and
//! validated.

pub(crate) mod archive;
mod as_run;
mod jobs;
pub(crate) mod journal;
mod reopen;
mod rotation;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow};
use fs4::{FileExt, TryLockError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::documents::{self, Digests, FileDigest, Lock, LockState, Run};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::files::{Disk, end_of_links, overwrite};
use archive::Archive;
use rotation::Presence;

pub use crate::files::write_atomically;
pub use hyperkill_audit::names::*;
pub(crate) use reopen::{Reopened, kept};

/// Where a run goes if nobody says.
pub const DEFAULT: &str = "hyperkill.out";

/// Bytes that the lock has from the start, so that a full disk does not keep it from saying how the run ended.
const LOCK_ROOM: usize = 2048;
/// So much is kept there of why a run failed, in characters.
const MOST_REASON: usize = 300;
/// Time between two waits for the journal.
const JOURNAL_PAUSE: Duration = Duration::from_millis(100);

/// A folder that this process writes.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    disk: Disk,
    /// Open and locked as long as this value lives.
    lock_file: File,
    lock: Lock,
    journal: File,
    /// Bytes of it that are whole lines.
    journal_length: u64,
    /// When its lines were last waited for.
    journal_synced: Option<Instant>,
    /// Of the files written: name and digest.
    digests: RefCell<BTreeMap<String, String>>,
    journal_digest: Sha256,
    /// Opened with the first job.
    jobs: Option<File>,
    /// Where small files go, if there are very many.
    archive: RefCell<Option<Archive>>,
    strangers: Vec<PathBuf>,
    /// Whether an earlier process began the run.
    is_resumed: bool,
}

impl RunFolder {
    /// Takes the folder: what a run wrote there goes to `DIR.old`, and what a run wrote there is deleted. Files that no run
    /// wrote stay where they are. A link stays as well: the folder is the one that it leads to.
    ///
    /// # Errors
    /// If either is not a run folder, another run holds it, or the file system refuses. What the last run wrote is then in one of
    /// them.
    pub fn create(disk: &Disk, path: &Path) -> Result<RunFolder, Failure> {
        // Without a slash behind it, which would lead through a link.
        let place: PathBuf = path.components().collect();
        let place = end_of_links(&place).map_err(|error| {
            Failure::usage(format!(
                "{} cannot be a run folder: {error}",
                path.display()
            ))
        })?;
        let Some(name) = place.file_name() else {
            return Err(Failure::usage(format!(
                "{} cannot be a run folder",
                path.display()
            )));
        };
        let path = place.as_path();
        let sibling = |suffix: &str| {
            let mut sibling = name.to_owned();
            sibling.push(suffix);
            path.with_file_name(sibling)
        };
        let old = sibling(".old");
        let present = Presence::beside(path, &old)?;
        let old_present = Presence::of(&old)?;
        // Held until the new folder is in place, so that two runs cannot both move the same one.
        let _held = match present {
            Presence::Run(_) => hold(path)?,
            Presence::Nothing | Presence::Empty => None,
        };

        let lock = Lock {
            schema: Lock::SCHEMA.to_owned(),
            pid: std::process::id(),
            run: run_name(),
            state: LockState::Running,
            failure: None,
        };
        clear_away(path.parent(), &sibling(".new-"));
        let staging = sibling(&format!(".new-{}", lock.run));
        disk.make_folder(&staging)?;
        let moved = Self::fill(disk, &staging, &lock).and_then(|files| {
            rotation::make_room((path, &present), (&old, &old_present))?;
            rotation::put(&staging, path)?;
            Ok(files)
        });
        match moved {
            Ok((lock_file, journal)) => Ok(RunFolder {
                path: path.to_owned(),
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
                is_resumed: false,
            }),
            Err(error) => {
                // What could not be put in place must not stay behind.
                let _ = fs::remove_dir_all(&staging);
                Err(Failure::message(ExitCode::Usage, error))
            }
        }
    }

    /// Lock and journal of a folder that nobody else knows yet.
    fn fill(disk: &Disk, staging: &Path, lock: &Lock) -> anyhow::Result<(File, File)> {
        let new = |name: &str, how: &mut OpenOptions| {
            let path = staging.join(name);
            let file = how.create_new(true).open(&path);
            file.with_context(|| format!("{} cannot be created", path.display()))
        };
        let lock_file = new(LOCK, OpenOptions::new().read(true).write(true))?;
        FileExt::try_lock(&lock_file)
            .map_err(|error| anyhow!("{LOCK} cannot be locked: {error}"))?;
        let text = padded(documents::to_text(lock)?);
        disk.append(&lock_file, text.as_bytes())
            .and_then(|()| lock_file.sync_data())
            .with_context(|| format!("{} cannot be written", staging.join(LOCK).display()))?;
        let journal = new(JOURNAL, OpenOptions::new().append(true))?;
        Ok((lock_file, journal))
    }

    /// Files in it that no run has written, by their names there.
    #[must_use]
    pub fn strangers(&self) -> &[PathBuf] {
        &self.strangers
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
        let path = self.path.join(name);
        let portable = name.iter().map(|part| part.to_string_lossy());
        let portable = portable.collect::<Vec<_>>().join("/");
        let mut archive = self.archive.borrow_mut();
        if let Some(archive) = archive.as_mut().filter(|_| archive::takes(&portable)) {
            return archive.add(&self.disk, &portable, contents);
        }
        let mut digests = self.digests.borrow_mut();
        if self.strangers.iter().any(|stranger| stranger == name) {
            return Err(anyhow!(
                "{} is there already, and no run wrote it",
                path.display()
            ));
        }
        // Of thousands of small files none is worth waiting for the disk: the digests tell which of them a crash of the machine has cost.
        match name.components().count() > 1 {
            true => self.disk.write_without_waiting(&path, contents)?,
            false => self.disk.write(&path, contents)?,
        }
        digests.insert(portable, digest(Sha256::new_with_prefix(contents)));
        Ok(())
    }

    /// Writes a document.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_document(&self, name: &str, document: &impl Serialize) -> anyhow::Result<()> {
        let is_archived = self.archive.borrow().is_some() && archive::takes(name);
        let text = match is_archived {
            true => documents::to_line(document)?,
            false => documents::to_text(document)?,
        };
        self.write(name, text.as_bytes())
    }

    /// Lets small files be lines of an archive from now on. What the folder keeps of an earlier process stays in it.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn use_archive(&self) -> anyhow::Result<()> {
        let archive = Archive::begin(&self.disk, &self.path, &self.digests)?;
        *self.archive.borrow_mut() = Some(archive);
        Ok(())
    }

    /// Makes a folder inside, unless its files are lines of an archive.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(crate) fn make_folder_of_files(&self, name: &str) -> anyhow::Result<()> {
        match self.archive.borrow().is_some() {
            true => Ok(()),
            false => self.make_folder(name),
        }
    }

    /// Makes a folder inside.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_folder(&self, name: &str) -> anyhow::Result<()> {
        self.disk.make_folder(&self.path.join(name))
    }

    /// Appends a line to the journal, which is on the disk a moment later.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_journal(&mut self, entry: &impl Serialize) -> anyhow::Result<()> {
        let line = documents::to_line(entry)?.into_bytes();
        let written = self
            .disk
            .append(&self.journal, &line)
            .and_then(|()| self.sync_journal(false));
        match written {
            Ok(()) => {
                self.journal_length += line.len() as u64;
                self.journal_digest.update(&line);
                Ok(())
            }
            Err(error) => {
                // Half a line would be read by nobody, and another one after it neither.
                let _ = self.journal.set_len(self.journal_length);
                let path = self.path.join(JOURNAL);
                Err(anyhow!(error).context(format!("{} cannot be written", path.display())))
            }
        }
    }

    /// Waits until the journal is on the disk, unless it did so a moment ago: many mutants may be decided at once.
    fn sync_journal(&mut self, at_once: bool) -> std::io::Result<()> {
        let waited = self
            .journal_synced
            .is_some_and(|at| at.elapsed() < JOURNAL_PAUSE);
        if waited && !at_once {
            return Ok(());
        }
        self.journal.sync_data()?;
        self.journal_synced = Some(Instant::now());
        Ok(())
    }

    /// Appends lines to the log.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_log(&self, lines: &[String]) -> anyhow::Result<()> {
        let path = self.path.join(LOG);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|log| self.disk.append(&log, text.as_bytes()))
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// Writes down what all files of a finished run are, the log apart.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn seal(&self) -> anyhow::Result<()> {
        let mut files = self.digests.borrow().clone();
        files.remove(DIGESTS);
        if self.is_resumed {
            self.sweep()?;
        }
        files.insert(JOURNAL.to_owned(), digest(self.journal_digest.clone()));
        if let Some(archive) = self.archive.borrow().as_ref() {
            files.insert(ARCHIVE.to_owned(), archive.settled()?);
        }
        let files = files.into_iter();
        let digests = Digests {
            schema: Digests::SCHEMA.to_owned(),
            files: files
                .map(|(file, digest)| FileDigest { file, digest })
                .collect(),
        };
        self.write_document(DIGESTS, &digests)
    }

    /// Says how the run ended, and why if it failed. That takes no room on the disk.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish(&mut self, state: LockState, failure: Option<String>) -> anyhow::Result<()> {
        if let Some(archive) = self.archive.borrow().as_ref() {
            archive.settled()?;
        }
        self.sync_journal(true)
            .with_context(|| format!("{} cannot be written", self.path.join(JOURNAL).display()))?;
        if state == LockState::Finished {
            self.jobs = None;
            match fs::remove_file(self.path.join(JOBS)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    let path = self.path.join(JOBS);
                    return Err(
                        anyhow!(error).context(format!("{} cannot be deleted", path.display()))
                    );
                }
                _ => {}
            }
        }
        self.lock.state = state;
        self.lock.failure = failure.map(|why| why.chars().take(MOST_REASON).collect());
        let text = documents::to_text(&self.lock)?;
        let length = text.len() as u64;
        // In place: another file of this name would not be the locked one. What is left of the room goes when all is written.
        overwrite(&self.lock_file, padded(text).as_bytes())
            .and_then(|()| Ok(self.lock_file.set_len(length)?))
            .with_context(|| format!("{} cannot be written", self.path.join(LOCK).display()))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        release(&self.lock_file);
    }
}

/// A lock on the folder of a finished run.
struct Held(Option<File>);

impl Held {
    /// The file, which stays locked.
    fn keep(mut self) -> Option<File> {
        self.0.take()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            release(file);
        }
    }
}

/// Gives a lock back. Closing the file does that too, but only when programs that are being started have closed it as well, which they
/// have inherited.
fn release(file: &File) {
    // Then it is given back when they have.
    let _ = FileExt::unlock(file);
}

/// Deletes folders that processes were about to put in place when they were killed. Those of processes that live are locked.
fn clear_away(parent: Option<&Path>, beginning: &Path) {
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let (Some(beginning), Ok(entries)) = (beginning.file_name(), fs::read_dir(parent)) else {
        return;
    };
    let beginning = beginning.to_string_lossy();
    for entry in entries.flatten() {
        let path = entry.path();
        let is_one = entry.file_name().to_string_lossy().starts_with(&*beginning);
        if is_one && rotation::is_of_a_run(&path) && matches!(hold(&path), Ok(Some(_))) {
            // What cannot be deleted is in nobody's way.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// With blanks behind it that a JSON document may have.
fn padded(mut text: String) -> String {
    let missing = LOCK_ROOM.saturating_sub(text.len());
    text.push_str(&" ".repeat(missing));
    text
}

/// Locks the folder of a finished run. `None` if it has no lock file.
fn hold(path: &Path) -> Result<Option<Held>, Failure> {
    let lock_path = path.join(LOCK);
    let file = match OpenOptions::new().read(true).write(true).open(&lock_path) {
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
    let held = Held(Some(file));
    // The folder may have been replaced between opening and locking.
    let mut said = Vec::new();
    let mut file = held.0.as_ref();
    file.as_mut()
        .map_or(Ok(0), |file| file.read_to_end(&mut said))
        .with_context(|| format!("{} cannot be read", lock_path.display()))?;
    if fs::read(&lock_path).ok() != Some(said) {
        return Err(busy(read_document(&lock_path).ok()));
    }
    Ok(Some(held))
}

/// Whether a process writes the folder of a run; `None` if nobody can tell.
pub(crate) fn is_written(path: &Path) -> Option<bool> {
    let lock = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path.join(LOCK))
        .ok()?;
    match FileExt::try_lock(&lock) {
        Ok(()) => {
            release(&lock);
            Some(false)
        }
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

/// A name that no other run has.
/// A name that no other run has.
pub(crate) fn run_name() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}-{:x}", std::process::id(), since.as_nanos())
}

/// What a run has found out about its mutants.
///
/// # Errors
/// If it is not finished, or they cannot be read.
pub(crate) fn outcomes(dir: &Path) -> Result<Run, Failure> {
    let file = dir.join(OUTCOMES);
    if !file.is_file() {
        let dir = dir.display();
        return Err(Failure::usage(format!(
            "{dir} has no outcomes: the run is unfinished"
        )));
    }
    Ok(read_document(&file)?)
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

/// Reads a document of this schema.
///
/// # Errors
/// As [`read_document`]; that it is of another version.
pub fn read_versioned<T: DeserializeOwned>(path: &Path, schema: &str) -> Result<T, Failure> {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: String,
    }
    // Another version may have any other form, so that it is asked for first.
    let named: Named = read_document(path)?;
    if named.schema != schema {
        let (path, found) = (path.display(), named.schema);
        let message = format!("{path} is a `{found}`, and this hyperkill reads `{schema}`");
        return Err(Failure::usage(message)
            .with_help("use the version of hyperkill that made the run, or run again"));
    }
    Ok(read_document(path)?)
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
    fn what_a_killed_process_was_about_to_put_in_place_goes_and_what_a_living_one_is_stays() {
        let place = tempfile::tempdir().unwrap();
        let lock = r#"{"schema": "hyperkill.lock/1"}"#;
        let folder = |name: &str| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(LOCK), lock).unwrap();
            folder
        };
        let (dead, alive) = (folder("out.new-1-a"), folder("out.new-2-b"));
        let others = [folder("out.newer"), folder("away.new-1-a")];
        let theirs = place.path().join("out.new-theirs");
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("x"), "").unwrap();
        let _held = hold(&alive).unwrap();
        let _run = RunFolder::create(&Disk::default(), &place.path().join("out")).unwrap();
        assert!(!dead.exists());
        for stays in others.iter().chain([&alive, &theirs]) {
            assert!(stays.exists(), "{}", stays.display());
        }
    }

    #[test]
    fn the_folder_before_becomes_old_and_the_one_before_that_goes() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        for run in ["first", "second", "third"] {
            let mut folder = RunFolder::create(&Disk::default(), &path).unwrap();
            folder.write(MUTANTS, run.as_bytes()).unwrap();
            folder.finish(LockState::Finished, None).unwrap();
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
        assert!(message(RunFolder::create(&Disk::default(), &path)).contains("left alone"));
        let other = place.path().join("out");
        drop(RunFolder::create(&Disk::default(), &other).unwrap());
        fs::rename(&path, place.path().join("out.old")).unwrap();
        assert!(message(RunFolder::create(&Disk::default(), &other)).contains("out.old"));
        assert!(place.path().join("out.old/chapter1.tex").is_file());
    }

    #[test]
    fn a_folder_that_a_run_is_writing_cannot_be_taken() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        let first = RunFolder::create(&Disk::default(), &path).unwrap();
        assert!(message(RunFolder::create(&Disk::default(), &path)).contains("another run"));
        drop(first);
        assert!(RunFolder::create(&Disk::default(), &path).is_ok());
    }
    /// A program that another thread starts has the files of this one open until it runs.
    #[test]
    fn a_folder_that_a_run_has_left_can_be_taken_though_others_have_inherited_its_lock() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out");
        let first = RunFolder::create(&Disk::default(), &path).unwrap();
        let inherited = first.lock_file.try_clone().unwrap();
        drop(first);
        let second = RunFolder::create(&Disk::default(), &path);
        assert!(second.is_ok(), "{:?}", second.err());
        drop(inherited);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_folder_that_it_leads_to_becomes_old() {
        use std::os::unix::fs::symlink;
        for (end, link) in [
            ("far/out", "link"),
            ("far/out", "link/"),
            ("far/later", "open"),
        ] {
            let place = tempfile::tempdir().unwrap();
            let path = |name: &str| place.path().join(name);
            fs::create_dir_all(path("far/out")).unwrap();
            symlink(end, path("near")).unwrap();
            symlink("near", path(link.trim_end_matches('/'))).unwrap();
            for run in ["first", "second"] {
                let mut folder = RunFolder::create(&Disk::default(), &path(link)).unwrap();
                folder.write(MUTANTS, run.as_bytes()).unwrap();
                folder.finish(LockState::Finished, None).unwrap();
            }
            for link in ["near", link.trim_end_matches('/')] {
                assert!(
                    fs::symlink_metadata(path(link)).unwrap().is_symlink(),
                    "{link}"
                );
            }
            assert_eq!(fs::read(path(end).join(MUTANTS)).unwrap(), b"second");
            let old = path(&format!("{end}.old")).join(MUTANTS);
            assert_eq!(fs::read(old).unwrap(), b"first");
            assert_eq!(
                fs::read_dir(place.path()).unwrap().count(),
                3,
                "nothing else"
            );
        }
        let place = tempfile::tempdir().unwrap();
        let round = place.path().join("round");
        symlink("round", &round).unwrap();
        assert!(message(RunFolder::create(&Disk::default(), &round)).contains("too many links"));
        assert!(fs::symlink_metadata(&round).unwrap().is_symlink());
    }
}
