//! Writes the folder of a run.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::archive::{self, Archive};
use super::error::{FolderError, Unwritable};
use super::file_system::{Access, FileSystem, OpenFile};
use super::files::{self, Durability, end_of_links};
use super::jobs::Jobs;
use super::lock::{Held, padded, run_name};
use super::read::leads_out;
use super::rotation::{self, Contents, Presence};
use crate::certificates::Filed;
use crate::documents::{self, Digests, FileDigest, JournalEntry, Lock, LockState};
use crate::names::{ARCHIVE, DIGESTS, JOBS, JOURNAL, LOCK, LOG, digest, stays_inside};
use crate::unfit::Unfit;

/// Limit on the reason of a failed run in the lock file, in characters, so that the text fits into the lock file.
const REASON_KEPT: usize = 300;
/// Least time between two synchronisations of the journal, since many mutants may be decided at once.
const JOURNAL_PAUSE: Duration = Duration::from_millis(100);

/// A folder that this process writes.
#[derive(Debug)]
pub struct RunFolder {
    pub(super) path: PathBuf,
    pub(super) disk: Arc<dyn FileSystem>,
    /// The lock, which ends with this value.
    pub(super) held: Held,
    pub(super) lock: Lock,
    pub(super) journal: Journal,
    /// The digests of the written files, by name.
    pub(super) digests: BTreeMap<String, String>,
    jobs: Jobs,
    /// The archive of small files, if the run has very many.
    archive: Option<Archive>,
    strangers: Vec<PathBuf>,
    /// Whether this process resumed the run.
    is_resumed: bool,
}

/// The journal of a running run.
#[derive(Debug)]
pub(super) struct Journal {
    file: Box<dyn OpenFile>,
    /// The length of its complete lines, in bytes.
    length: u64,
    /// The time of the last synchronisation.
    synced: Option<Duration>,
    digest: Sha256,
}

impl Journal {
    /// Returns the journal in an open file with this text.
    pub(super) fn of(file: Box<dyn OpenFile>, text: &str) -> Journal {
        Journal {
            file,
            length: text.len() as u64,
            synced: None,
            digest: Sha256::new_with_prefix(text),
        }
    }

    /// Returns the journal of a run folder, with its file open for writing. `text` is taken for the content of the file: length and digest
    /// are computed from it.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(super) fn open(
        disk: &dyn FileSystem,
        folder: &Path,
        text: &str,
    ) -> Result<Journal, FolderError> {
        let path = folder.join(JOURNAL);
        let file = disk.open(&path, Access::Write);
        let file = file.map_err(FolderError::refused(&path, "cannot be opened"))?;
        Ok(Journal::of(file, text))
    }

    /// Synchronises the lines with the disk. If the last synchronisation is recent, it does so only if `at_once`.
    fn sync(&mut self, now: Duration, at_once: bool) -> std::io::Result<()> {
        // The clock may have been set back.
        let waited = self
            .synced
            .is_some_and(|at| at <= now && now - at < JOURNAL_PAUSE);
        if waited && !at_once {
            return Ok(());
        }
        self.file.sync()?;
        self.synced = Some(now);
        Ok(())
    }

    fn append(&mut self, line: &[u8], now: Duration) -> std::io::Result<()> {
        let written = self.file.append(line);
        if let Err(error) = written.and_then(|()| self.sync(now, false)) {
            // Cuts off an incomplete line: it would make the next line unreadable as well.
            let _ = self.file.set_length(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        self.digest.update(line);
        Ok(())
    }
}

/// Returns the path of a folder beside the folder of a run. `end` is appended to the name.
fn sibling(path: &Path, name: &OsStr, end: &str) -> PathBuf {
    let mut sibling = name.to_owned();
    sibling.push(end);
    path.with_file_name(sibling)
}

impl RunFolder {
    /// Takes a folder for a new run. Files of an earlier run move to `DIR.old`, where files of a still earlier run are deleted. Files that
    /// no run wrote stay in place. If the path is a link, the link stays and its target is taken.
    ///
    /// # Errors
    /// If the folder or `DIR.old` is not a run folder, another process holds its lock, or the file system refuses. The files of the last
    /// run are then in one of the two folders.
    pub fn create(
        disk: &(impl FileSystem + Clone + 'static),
        path: &Path,
    ) -> Result<RunFolder, FolderError> {
        let disk: Arc<dyn FileSystem> = Arc::new(disk.clone());
        // A trailing slash would resolve a link, so that it is removed.
        let place: PathBuf = path.components().collect();
        let place = end_of_links(disk.as_ref(), &place)
            .map_err(|error| FolderError::unusable(path, &error))?;
        let Some(name) = place.file_name() else {
            let path = path.display();
            return Err(Unfit::new(format!("{path} cannot be a run folder")).into());
        };
        let path = place.as_path();
        let old = sibling(path, name, ".old");
        let present = Presence::beside(disk.as_ref(), path, &old)?;
        let old_present = Presence::of(disk.as_ref(), &old)?;
        // The old folder stays locked until the new one is in place, so that two runs cannot move the same folder.
        let _held = match present {
            Presence::Run(_) => Held::of(disk.as_ref(), path)?,
            Presence::Nothing | Presence::Empty => None,
        };
        let lock = Lock {
            schema: Lock::SCHEMA.to_owned(),
            pid: disk.process(),
            run: run_name(disk.as_ref()),
            state: LockState::Running,
            failure: None,
        };
        clear_away(disk.as_ref(), path, &sibling(path, name, ".new-"));
        let staging = sibling(path, name, &format!(".new-{}", lock.run));
        files::make_folder(disk.as_ref(), &staging)?;
        let moved = fill(disk.as_ref(), &staging, &lock).and_then(|files| {
            rotation::make_room(disk.as_ref(), (path, &present), (&old, &old_present))?;
            rotation::put(disk.as_ref(), &staging, path)?;
            Ok(files)
        });
        match moved {
            Ok((held, journal)) => {
                let strangers = present.strangers();
                let place = (disk, place, strangers);
                Ok(RunFolder::held(place, lock, (held, journal), false))
            }
            Err(error) => {
                // A new folder that could not get its final name must not stay.
                remove_staging(disk.as_ref(), &staging);
                Err(error)
            }
        }
    }

    /// Returns the folder at `path`, whose lock and journal are open. `strangers` are the files in it that no run wrote.
    pub(super) fn held(
        (disk, path, strangers): (Arc<dyn FileSystem>, PathBuf, Vec<PathBuf>),
        lock: Lock,
        (held, journal): (Held, Journal),
        is_resumed: bool,
    ) -> RunFolder {
        RunFolder {
            path,
            disk,
            held,
            lock,
            journal,
            digests: BTreeMap::new(),
            jobs: Jobs::default(),
            archive: None,
            strangers,
            is_resumed,
        }
    }

    /// Returns the files in the folder that no run wrote, by their names in the folder.
    #[must_use]
    pub fn strangers(&self) -> &[PathBuf] {
        &self.strangers
    }

    /// Returns the path, with links at its end resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file atomically. Names have `/` between their parts.
    ///
    /// # Errors
    /// If the file system refuses, or the name leads out of the folder.
    pub fn write(&mut self, name: &str, contents: &[u8]) -> Result<(), FolderError> {
        // Parts of a run and shards of a plan name the certificates that are copied here.
        if !stays_inside(name) {
            return Err(leads_out(&self.path, name));
        }
        if let Some(archive) = self.archive.as_mut().filter(|_| archive::takes(name)) {
            return archive.add(name, contents);
        }
        let path = self.path.join(name);
        let is_strange = |stranger: &PathBuf| stranger == Path::new(name);
        if self.strangers.iter().any(is_strange) {
            let path = path.display();
            return Err(Unfit::new(format!("{path} is there already, and no run wrote it")).into());
        }
        // Thousands of small files are not synchronised one by one. After a crash of the machine the digests identify lost files.
        let durability = match name.contains('/') {
            true => Durability::Unsynced,
            false => Durability::Synced,
        };
        files::write(self.disk.as_ref(), &path, contents, durability)?;
        let digest = digest(Sha256::new_with_prefix(contents));
        self.digests.insert(name.to_owned(), digest);
        Ok(())
    }

    /// Writes certificates into the folder, each as the file that it names.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn file(&mut self, filed: &[Filed]) -> Result<(), FolderError> {
        for Filed {
            place, certificate, ..
        } in filed
        {
            let text = match self.archive.is_some() && archive::takes(place) {
                true => documents::to_line(certificate)?,
                false => documents::to_text(certificate)?,
            };
            self.write(place, text.as_bytes())?;
        }
        Ok(())
    }

    /// Writes all further small files as lines of an archive. Lines of earlier processes that belong to the run stay in the archive.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn use_archive(&mut self) -> Result<(), FolderError> {
        self.archive = Some(Archive::begin(
            self.disk.as_ref(),
            &self.path,
            &mut self.digests,
        )?);
        Ok(())
    }

    /// Creates a subfolder, unless its files are lines of an archive.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_folder(&mut self, name: &str) -> Result<(), FolderError> {
        match self.archive.is_some() {
            true => Ok(()),
            false => files::make_folder(self.disk.as_ref(), &self.path.join(name)),
        }
    }

    /// Appends a line to the journal, and synchronises it unless the last synchronisation is recent. The certificates that the line names
    /// are already written.
    ///
    /// # Errors
    /// If the file system refuses. The journal then does not contain the line.
    pub fn append_journal(&mut self, entry: &JournalEntry) -> Result<(), FolderError> {
        let line = documents::to_line(entry)?;
        self.journal
            .append(line.as_bytes(), self.disk.now())
            .map_err(FolderError::refused(
                &self.path.join(JOURNAL),
                "cannot be written",
            ))
    }

    /// Appends a line to the file of jobs, with `first` before it if it is the first one of the file.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_job(&mut self, first: &str, line: &str) -> Result<(), FolderError> {
        self.jobs
            .append(self.disk.as_ref(), &self.path, (first, line))
    }

    /// Appends lines to the log.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append_log(&self, lines: &[String]) -> Result<(), FolderError> {
        let path = self.path.join(LOG);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        files::open_or_create(self.disk.as_ref(), &path)
            .and_then(|log| log.append(text.as_bytes()))
            .map_err(FolderError::refused(&path, "cannot be written"))
    }

    /// Writes the digests of all files of a finished run, except the log.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn seal(&mut self) -> Result<(), FolderError> {
        let mut files = self.digests.clone();
        files.remove(DIGESTS);
        if self.is_resumed {
            self.sweep()?;
        }
        files.insert(JOURNAL.to_owned(), digest(self.journal.digest.clone()));
        if let Some(archive) = &self.archive {
            files.insert(ARCHIVE.to_owned(), archive.settled()?);
        }
        let files = files.into_iter();
        let digests = Digests {
            schema: Digests::SCHEMA.to_owned(),
            files: files
                .map(|(file, digest)| FileDigest { file, digest })
                .collect(),
        };
        let text = documents::to_text(&digests)?;
        self.write(DIGESTS, text.as_bytes())
    }

    /// Deletes files of earlier processes that no longer belong to the run: evidence that was found again, tests of a replaced suite, and
    /// unfinished files.
    fn sweep(&self) -> Result<(), FolderError> {
        let contents = Contents::of(self.disk.as_ref(), &self.path);
        let contents = contents.map_err(FolderError::refused(&self.path, "cannot be read"))?;
        for name in contents.written() {
            let portable = name.iter().map(|part| part.to_string_lossy());
            let portable = portable.collect::<Vec<_>>().join("/");
            let stays = [LOCK, LOG, JOURNAL, ARCHIVE, JOBS, DIGESTS].contains(&portable.as_str());
            if stays || self.digests.contains_key(&portable) {
                continue;
            }
            let place = self.path.join(name);
            self.disk
                .remove(&place)
                .map_err(FolderError::refused(&place, "cannot be deleted"))?;
        }
        Ok(())
    }

    /// Writes the final state of the run into the lock file, with the reason of a failure. The file does not grow.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish(&mut self, state: LockState, failure: Option<String>) -> Result<(), FolderError> {
        if let Some(archive) = &self.archive {
            archive.settled()?;
        }
        let journal = self.journal.sync(self.disk.now(), true);
        journal.map_err(FolderError::refused(
            &self.path.join(JOURNAL),
            "cannot be written",
        ))?;
        if state == LockState::Finished {
            self.jobs.delete(self.disk.as_ref(), &self.path)?;
        }
        self.lock.state = state;
        self.lock.failure = failure.map(|why| why.chars().take(REASON_KEPT).collect());
        self.held.say(&self.lock, &self.path)?;
        // The unused space is cut off after all files are written.
        let length = documents::to_text(&self.lock)?.len() as u64;
        let cut = self.held.file().set_length(length);
        cut.map_err(FolderError::refused(
            &self.path.join(LOCK),
            "cannot be written",
        ))
    }
}

/// Creates and opens the lock file and the journal in a new folder, before the folder gets its final name.
fn fill(
    disk: &dyn FileSystem,
    staging: &Path,
    lock: &Lock,
) -> Result<(Held, Journal), FolderError> {
    let new = |name: &str| {
        let path = staging.join(name);
        let file = disk.create(&path, None);
        file.map_err(FolderError::refused(&path, "cannot be created"))
    };
    let held = Held::new(new(LOCK)?, Path::new(LOCK))?;
    let text = padded(lock)?;
    held.file()
        .append(text.as_bytes())
        .and_then(|()| held.file().sync())
        .map_err(FolderError::refused(
            &staging.join(LOCK),
            "cannot be written",
        ))?;
    Ok((held, Journal::of(new(JOURNAL)?, "")))
}

/// Deletes a new folder that could not get its final name.
fn remove_staging(disk: &dyn FileSystem, staging: &Path) {
    // Errors are ignored: a leftover folder blocks no run.
    for name in [JOURNAL, LOCK] {
        let _ = disk.remove(&staging.join(name));
    }
    let _ = disk.remove_folder(staging);
}

/// Deletes the new folders of killed processes beside `path`. Their names start with the name of `beginning`. A running process locks its
/// folder, which is kept.
fn clear_away(disk: &dyn FileSystem, path: &Path, beginning: &Path) {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let (Some(beginning), Ok(entries)) = (beginning.file_name(), disk.entries(parent)) else {
        return;
    };
    let beginning = beginning.to_string_lossy();
    for entry in entries {
        let path = parent.join(&entry.name);
        let is_one = entry.name.to_string_lossy().starts_with(&*beginning);
        if is_one
            && rotation::is_of_a_run(disk, &path)
            && matches!(Held::of(disk, &path), Ok(Some(_)))
        {
            remove_staging(disk, &path);
        }
    }
}

/// Writes a document into a folder, as the file `name`.
///
/// # Errors
/// If the file cannot be written.
pub fn write_document(
    folder: &mut RunFolder,
    name: &str,
    document: &impl Serialize,
) -> Result<(), Unwritable> {
    Ok(folder.write(name, documents::to_text(document)?.as_bytes())?)
}
