//! Makes room for a new run: moves the files of the earlier run from `DIR` to `DIR.old`. Files that no run wrote stay in `DIR`.
//!
//! A folder belongs to a run if it contains a document with a schema of hyperkill. `digests.json` lists the files of a finished run. The
//! names of an unfinished run's files follow from its mutants.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::FolderError;
use super::file_system::{Entry, FileSystem};
use super::files::{self, UNFINISHED};
use crate::documents::{Digests, Lock, MutantTable};
use crate::names::{
    ANSWERS, ARCHIVE, ASKED, CERTIFICATES, DIFFS, DIGESTS, EARLIER, FAMILY, JOBS, JOURNAL, LOCK,
    LOG, MUTANTS, OF_DOMAIN, OF_MUTANTS, OF_ORIGINAL, OUTCOMES, REPORT, SOURCES, STRATEGY, SUITE,
    TESTS, TIMINGS, escaped,
};
use crate::unfit::Unfit;

/// Documents that every run may write. Moving starts with the first and ends with the last one. Each of the two identifies a run folder, so
/// that a folder is recognised at any stage of a move.
const DOCUMENTS: [&str; 15] = [
    MUTANTS, EARLIER, ASKED, ANSWERS, STRATEGY, JOURNAL, ARCHIVE, JOBS, OUTCOMES, SUITE, TIMINGS,
    REPORT, LOG, DIGESTS, LOCK,
];
/// The subfolders that a run may make in its folder.
const FOLDERS: [&str; 4] = [SOURCES, DIFFS, TESTS, CERTIFICATES];
/// The extensions of files with single tests.
const TEST_ENDINGS: [&str; 5] = ["txt", "run.json", "stim", "dot", "json"];

/// The kind of entry at the path of a run folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// There is no entry.
    Nothing,
    /// An empty folder.
    Empty,
    /// The folder of a run.
    Run(Contents),
}

/// The files in the folder of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contents {
    /// Files that a run wrote, by their names in the folder.
    written: Vec<PathBuf>,
    /// Files that no run wrote.
    strangers: Vec<PathBuf>,
}

impl Presence {
    /// Returns the kind of entry at a path.
    ///
    /// # Errors
    /// If the path has an entry other than a run folder or an empty folder.
    pub fn of(disk: &dyn FileSystem, path: &Path) -> Result<Presence, FolderError> {
        Presence::named_in(disk, path, path)
    }

    /// Returns the kind of entry at a path. An interrupted move may have left files of the run there and others in `old`.
    ///
    /// # Errors
    /// As [`Presence::of`].
    pub(super) fn beside(
        disk: &dyn FileSystem,
        path: &Path,
        old: &Path,
    ) -> Result<Presence, FolderError> {
        match is_half_moved(disk, path, old) {
            true => Presence::named_in(disk, path, old),
            false => Presence::of(disk, path),
        }
    }

    fn named_in(
        disk: &dyn FileSystem,
        path: &Path,
        documents: &Path,
    ) -> Result<Presence, FolderError> {
        match disk.entries(path) {
            Ok(entries) if entries.is_empty() => return Ok(Presence::Empty),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Presence::Nothing),
            Err(error) => return Err(FolderError::unusable(path, &error)),
        }
        if !is_of_a_run(disk, path) {
            let path = path.display();
            let message = format!("{path} is not a run folder and not empty; it is left alone");
            return Err(Unfit::new(message)
                .with_help("name another folder with --out")
                .into());
        }
        let names = Names::of(disk, [path, documents]);
        Contents::named(disk, path, &names)
            .map(Presence::Run)
            .map_err(|error| FolderError::unusable(path, &error))
    }

    /// Returns the files that no run wrote.
    #[must_use]
    pub fn strangers(&self) -> Vec<PathBuf> {
        match self {
            Presence::Run(contents) => contents.strangers.clone(),
            Presence::Nothing | Presence::Empty => Vec::new(),
        }
    }
}

/// Whether a folder belongs to a run, according to the schema of a document. File names do not suffice: other programs have lock files,
/// too.
pub(super) fn is_of_a_run(disk: &dyn FileSystem, path: &Path) -> bool {
    let known = [(LOCK, Lock::SCHEMA), (MUTANTS, MutantTable::SCHEMA)];
    known.iter().any(|(name, schema)| {
        schema_of(disk, &path.join(name)).is_some_and(|found| same_kind(&found, schema))
    })
}

/// Returns the schema that a file names, if it is a document.
fn schema_of(disk: &dyn FileSystem, path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    let named: Named = read(disk, path)?;
    Some(named.schema)
}

fn read<T: for<'a> Deserialize<'a>>(disk: &dyn FileSystem, path: &Path) -> Option<T> {
    if !disk.is_file(path) {
        return None;
    }
    serde_json::from_slice(&disk.read(path).ok()?).ok()
}

/// Whether two schemas are equal apart from the version.
fn same_kind(found: &str, schema: &str) -> bool {
    let kind = |schema: &str| schema.rsplit_once('/').map(|(kind, _)| kind.to_owned());
    kind(found).is_some_and(|found| kind(schema) == Some(found))
}

/// The names that a run gives to its files.
enum Names {
    /// The files of a finished run, listed in `digests.json`.
    Listed(BTreeSet<PathBuf>),
    /// The ids of an unfinished run's mutants, which determine names of files, and the copies of the model's files.
    Derived(BTreeSet<String>, BTreeSet<PathBuf>),
}

impl Names {
    /// Returns the names of a run's files, according to the documents in two folders. For each document the first folder that has it
    /// counts.
    fn of(disk: &dyn FileSystem, folders: [&Path; 2]) -> Names {
        let mut places = folders.iter().map(|folder| folder.join(DIGESTS));
        let digests: Option<Digests> = places.find_map(|place| read(disk, &place));
        if let Some(digests) = digests.filter(|d| same_kind(&d.schema, Digests::SCHEMA)) {
            let files = digests.files.into_iter();
            return Names::Listed(files.map(|listed| PathBuf::from(listed.file)).collect());
        }
        let mut places = folders.iter().map(|folder| folder.join(MUTANTS));
        let table: Option<MutantTable> = places.find_map(|place| read(disk, &place));
        let Some(MutantTable {
            mutants, reading, ..
        }) = table
        else {
            return Names::Derived(BTreeSet::new(), BTreeSet::new());
        };
        let copies = reading.iter().flat_map(|reading| reading.copies());
        Names::Derived(
            mutants.iter().map(|mutant| escaped(&mutant.id)).collect(),
            copies.map(|(name, _)| PathBuf::from(name)).collect(),
        )
    }

    fn have(&self, folder: &str, name: &str) -> bool {
        if name.starts_with(UNFINISHED) {
            return true;
        }
        let (ids, copies) = match self {
            Names::Listed(files) => return files.contains(&Path::new(folder).join(name)),
            Names::Derived(ids, copies) => (ids, copies),
        };
        let is_id = |stem: &str| ids.contains(stem);
        match folder {
            SOURCES => copies.contains(&Path::new(folder).join(name)),
            DIFFS => name.strip_suffix(".diff").is_some_and(is_id),
            CERTIFICATES => name.strip_suffix(".json").is_some_and(|stem| {
                let id = stem.split_once('+').map_or(stem, |(id, _)| id);
                is_id(id)
                    || name.starts_with(FAMILY)
                    || [OF_ORIGINAL, OF_MUTANTS, OF_DOMAIN].contains(&name)
            }),
            _ => {
                let number = name
                    .strip_prefix("t-")
                    .and_then(|rest| rest.split_once('.'));
                number.is_some_and(|(number, ending)| {
                    number.bytes().all(|b| b.is_ascii_digit()) && TEST_ENDINGS.contains(&ending)
                })
            }
        }
    }
}

impl Contents {
    /// Returns the files that a run wrote, by their names in the folder.
    #[must_use]
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    /// Lists the files in the folder of a run, divided into files that a run wrote and others.
    pub(super) fn of(disk: &dyn FileSystem, path: &Path) -> io::Result<Contents> {
        Contents::named(disk, path, &Names::of(disk, [path, path]))
    }

    fn named(disk: &dyn FileSystem, path: &Path, names: &Names) -> io::Result<Contents> {
        let mut contents = Contents::default();
        for Entry { name, is_folder } in sorted(disk, path)? {
            let name = PathBuf::from(name);
            let text = name.to_string_lossy().into_owned();
            if is_folder && FOLDERS.contains(&text.as_str()) {
                for inner in sorted(disk, &path.join(&name))? {
                    let ours = !inner.is_folder && names.have(&text, &inner.name.to_string_lossy());
                    contents.add(name.join(inner.name), ours);
                }
            } else {
                let known = DOCUMENTS.contains(&text.as_str()) || text.starts_with(UNFINISHED);
                contents.add(name, known && !is_folder);
            }
        }
        // The first document moves first and the last one last.
        let rank = |path: &PathBuf| DOCUMENTS.iter().position(|name| path == Path::new(name));
        contents.written.sort_by_key(|path| match rank(path) {
            Some(0) => 0,
            Some(last) if last + 1 == DOCUMENTS.len() => 2,
            _ => 1,
        });
        Ok(contents)
    }

    fn add(&mut self, path: PathBuf, ours: bool) {
        match ours {
            true => self.written.push(path),
            false => self.strangers.push(path),
        }
    }
}

/// Returns the entries of a folder, sorted by name.
fn sorted(disk: &dyn FileSystem, path: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = disk.entries(path)?;
    entries.sort_unstable();
    Ok(entries)
}

/// Moves the files of a run to the folder `old`. Files of an earlier run in `old` are deleted first.
///
/// # Errors
/// If the file system refuses. Every file of the run is then in one of the two folders.
pub(super) fn make_room(
    disk: &dyn FileSystem,
    (path, present): (&Path, &Presence),
    (old, old_present): (&Path, &Presence),
) -> Result<(), FolderError> {
    let Presence::Run(contents) = present else {
        return Ok(());
    };
    let in_the_way = old_present.strangers();
    let mut written = contents.written.iter();
    if let Some(name) = written.find(|name| in_the_way.contains(name)) {
        let place = old.join(name);
        let message = format!("{} is in the way, and no run wrote it", place.display());
        return Err(Unfit::new(message).into());
    }
    match old_present {
        // The files that were moved before an interruption belong to the same run.
        Presence::Run(_) if is_half_moved(disk, path, old) => {}
        Presence::Run(old_contents) => delete(disk, old, old_contents)?,
        Presence::Empty => remove_folder(disk, old)?,
        Presence::Nothing => {}
    }
    if contents.strangers.is_empty() && !disk.exists(old) {
        return rename(disk, path, old);
    }
    files::make_folder(disk, old)?;
    move_files(disk, path, old, &contents.written)?;
    remove_empty_folders(disk, path);
    // This fails if files that no run wrote are left, and the folder then stays.
    let _ = disk.remove_folder(path);
    Ok(())
}

/// Deletes the files of a run, and its folder if it is empty then. The documents that list files are deleted after these files, and the
/// lock last. If the process is killed in between, the next process deletes the rest.
pub(super) fn delete(
    disk: &dyn FileSystem,
    path: &Path,
    contents: &Contents,
) -> Result<(), FolderError> {
    let remove = |name: &PathBuf| {
        let place = path.join(name);
        disk.remove(&place)
            .map_err(FolderError::refused(&place, "cannot be deleted"))
    };
    let is_document = |name: &&PathBuf| name.components().count() == 1;
    let (documents, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        contents.written.iter().partition(is_document);
    let (locks, documents): (Vec<&PathBuf>, Vec<&PathBuf>) = documents
        .into_iter()
        .partition(|name| name.as_path() == Path::new(LOCK));
    files.into_iter().chain(documents).try_for_each(remove)?;
    for folder in FOLDERS.map(|name| path.join(name)) {
        // A folder with files that no run wrote stays.
        match disk.remove_folder(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound && contents.strangers.is_empty() => {
                return Err(FolderError::refused(&folder, "cannot be deleted")(error));
            }
            _ => {}
        }
    }
    locks.into_iter().try_for_each(remove)?;
    match contents.strangers.is_empty() {
        true => remove_folder(disk, path),
        false => Ok(()),
    }
}

/// Whether a process was killed while it moved the files of a run: the first document has arrived, and the last one has not left. All other
/// run folders have their lock files.
fn is_half_moved(disk: &dyn FileSystem, path: &Path, old: &Path) -> bool {
    let there = |folder: &Path, name: &str| disk.is_file(&folder.join(name));
    !there(path, MUTANTS) && there(path, LOCK) && there(old, MUTANTS) && !there(old, LOCK)
}

/// Moves a new folder to its final path. If the path has a folder with files that no run wrote, the new files move into it.
///
/// # Errors
/// If the path already has a file of a run, or the file system refuses.
pub(super) fn put(disk: &dyn FileSystem, new: &Path, path: &Path) -> Result<(), FolderError> {
    // An empty folder is replaced. A run that appeared meanwhile belongs to another process.
    let Err(error) = disk.rename(new, path) else {
        return Ok(());
    };
    if !disk.is_folder(path) || is_of_a_run(disk, path) {
        let taken = "was taken by another run meanwhile";
        return Err(FolderError::refused(path, taken)(error));
    }
    let names = sorted(disk, new).map_err(FolderError::refused(new, "cannot be read"))?;
    let names = names.into_iter().map(|entry| PathBuf::from(entry.name));
    move_files(disk, new, path, &names.collect::<Vec<_>>())?;
    // All files have moved, so that the folder is empty.
    let _ = disk.remove_folder(new);
    Ok(())
}

fn move_files(
    disk: &dyn FileSystem,
    from: &Path,
    to: &Path,
    names: &[PathBuf],
) -> Result<(), FolderError> {
    for name in names {
        let (source, target) = (from.join(name), to.join(name));
        if let Some(folder) = target.parent() {
            files::make_folder(disk, folder)?;
        }
        rename(disk, &source, &target)?;
    }
    Ok(())
}

fn rename(disk: &dyn FileSystem, from: &Path, to: &Path) -> Result<(), FolderError> {
    disk.rename(from, to)
        .map_err(FolderError::refused(from, "cannot be moved"))
}

fn remove_folder(disk: &dyn FileSystem, path: &Path) -> Result<(), FolderError> {
    disk.remove_folder(path)
        .map_err(FolderError::refused(path, "cannot be deleted"))
}

fn remove_empty_folders(disk: &dyn FileSystem, path: &Path) {
    for name in FOLDERS {
        // `remove_folder` fails for a folder that is not empty, which then stays.
        let _ = disk.remove_folder(&path.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::memory::MemoryDisk;

    fn contents(disk: &MemoryDisk, path: &Path) -> Contents {
        match Presence::of(disk, path) {
            Ok(Presence::Run(contents)) => contents,
            other => panic!("{other:?}"),
        }
    }

    fn is_file(disk: &MemoryDisk, path: &Path) -> bool {
        let disk: &dyn FileSystem = disk;
        disk.is_file(path)
    }

    #[test]
    fn a_folder_is_a_runs_if_its_documents_say_so_and_not_by_their_names() {
        let (disk, path) = (MemoryDisk::default(), Path::new("out"));
        for (lock, mutants, is_ours) in [
            (r#"{"schema": "hyperkill.lock/1"}"#, "", true),
            (r#"{"schema": "hyperkill.lock/2", "more": []}"#, "x", true),
            ("", r#"{"schema": "hyperkill.mutants/1"}"#, true),
            (r#"{"dependencies": {}, "lockfileVersion": 1}"#, "", false),
            (r#"{"schema": "hyperkill.locksmith/1"}"#, "{}", false),
            ("", "", false),
        ] {
            disk.put(&path.join(LOCK), lock);
            disk.put(&path.join(MUTANTS), mutants);
            assert_eq!(
                Presence::of(&disk, path).is_ok(),
                is_ours,
                "{lock} {mutants}"
            );
        }
    }

    #[test]
    fn a_move_that_was_cut_off_anywhere_is_finished_and_loses_nothing() {
        let names = ["diffs/m-1.diff", JOURNAL, "notes.txt"];
        let lock = r#"{"schema": "hyperkill.lock/1"}"#;
        let table = r#"{"schema": "hyperkill.mutants/1", "model": {"name": "m", "language": "smv", "hash": ""},
            "signature": {"inputs": [], "choices": [], "outputs": []}, "mutants": [{"id": "m-1", "status": "live"}]}"#;
        for moved in 0..5 {
            let disk = MemoryDisk::default();
            let (path, old) = (Path::new("out"), Path::new("out.old"));
            for name in names {
                disk.put(&path.join(name), "x");
            }
            disk.put(&path.join(MUTANTS), table);
            disk.put(&path.join(LOCK), lock);
            let written = contents(&disk, path).written;
            assert_eq!(written.first(), Some(&PathBuf::from(MUTANTS)));
            assert_eq!(written.last(), Some(&PathBuf::from(LOCK)));
            if moved > 0 {
                move_files(&disk, path, old, &written[..moved.min(written.len())]).unwrap();
            }
            let present = Presence::beside(&disk, path, old);
            if let (Ok(present), Ok(before)) = (present, Presence::of(&disk, old)) {
                make_room(&disk, (path, &present), (old, &before)).unwrap();
            }
            for name in [MUTANTS, LOCK, JOURNAL, "diffs/m-1.diff"] {
                assert!(is_file(&disk, &old.join(name)), "{name} after {moved}");
            }
            assert!(is_file(&disk, &path.join("notes.txt")), "after {moved}");
        }
    }

    #[test]
    fn what_an_unfinished_run_wrote_is_known_by_its_mutants() {
        let (disk, path) = (MemoryDisk::default(), Path::new("out"));
        disk.put(&path.join(LOCK), r#"{"schema": "hyperkill.lock/1"}"#);
        let table = r#"{"schema": "hyperkill.mutants/1", "model": {"name": "m", "language": "smv", "hash": ""},
            "signature": {"inputs": [], "choices": [], "outputs": []}, "mutants": [{"id": "m-1", "status": "live"}]}"#;
        disk.put(&path.join(MUTANTS), table);
        let ours = [
            "journal.jsonl",
            "diffs/m-1.diff",
            "certificates/m-1.json",
            "certificates/m-1+accepts.json",
            "certificates/family+0123456789.json",
            "tests/t-001.txt",
            "tests/t-001.run.json",
            "tests/.hyperkill-77-1",
        ];
        let theirs = [
            "notes.txt",
            "diffs/m-2.diff",
            "certificates/m-1.txt",
            "tests/t-001.docx",
            "tests/mine.txt",
        ];
        for name in ours.iter().chain(&theirs) {
            disk.put(&path.join(name), "x");
        }
        disk.make_folders(&path.join("bench")).unwrap();
        let found = contents(&disk, path);
        for name in ours {
            assert!(found.written.contains(&PathBuf::from(name)), "{name}");
        }
        let expected: BTreeSet<PathBuf> =
            theirs.iter().chain(&["bench"]).map(PathBuf::from).collect();
        assert_eq!(
            found.strangers.into_iter().collect::<BTreeSet<_>>(),
            expected
        );
    }
}
