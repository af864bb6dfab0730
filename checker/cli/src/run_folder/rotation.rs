//! Room for a new run: what a run wrote goes from `DIR` to `DIR.old`, and files that no run wrote stay where they are.
//!
//! A folder is a run's if a document in it says so by its schema. Its files are those of `digests.json`; of a run that was not
//! finished, those whose names follow from its mutants.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::Deserialize;

use super::{
    ANSWERS, ARCHIVE, ASKED, CERTIFICATES, DIFFS, DIGESTS, EARLIER, FAMILY, JOBS, JOURNAL, LOCK,
    LOG, MUTANTS, OF_DOMAIN, OF_MUTANTS, OF_ORIGINAL, OUTCOMES, REPORT, SOURCES, STRATEGY, SUITE,
    TESTS, TIMINGS, escaped,
};
use crate::documents::{Digests, Lock, MutantTable};
use crate::failure::Failure;
use crate::files::UNFINISHED;

/// Documents that every run may write. The first and the last one say that the folder is a run's, so that it is known for one
/// however far files were moved.
const DOCUMENTS: [&str; 15] = [
    MUTANTS, EARLIER, ASKED, ANSWERS, STRATEGY, JOURNAL, ARCHIVE, JOBS, OUTCOMES, SUITE, TIMINGS,
    REPORT, LOG, DIGESTS, LOCK,
];
/// Folders in it.
const FOLDERS: [&str; 4] = [SOURCES, DIFFS, TESTS, CERTIFICATES];
/// How tests end that are written one by one.
const TEST_ENDINGS: [&str; 5] = ["txt", "run.json", "stim", "dot", "json"];

/// What is at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Nothing,
    Empty,
    Run(Contents),
}

/// What is in the folder of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Contents {
    /// Files that a run wrote, by their names in the folder.
    written: Vec<PathBuf>,
    /// Everything else.
    strangers: Vec<PathBuf>,
}

impl Presence {
    /// Looks.
    ///
    /// # Errors
    /// If there is something that is no run folder.
    pub(crate) fn of(path: &Path) -> Result<Presence, Failure> {
        Presence::named_in(path, path)
    }

    /// Looks, where the run's files may have been on their way to another folder when they stopped moving.
    ///
    /// # Errors
    /// As [`Presence::of`].
    pub(crate) fn beside(path: &Path, old: &Path) -> Result<Presence, Failure> {
        match is_half_moved(path, old) {
            true => Presence::named_in(path, old),
            false => Presence::of(path),
        }
    }

    fn named_in(path: &Path, documents: &Path) -> Result<Presence, Failure> {
        let unusable = |error: std::io::Error| {
            Failure::usage(format!(
                "{} cannot be a run folder: {error}",
                path.display()
            ))
        };
        let mut entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Presence::Nothing),
            Err(error) => return Err(unusable(error)),
        };
        if entries.next().is_none() {
            return Ok(Presence::Empty);
        }
        if !is_of_a_run(path) {
            return Err(Failure::usage(format!(
                "{} is not a run folder and not empty; it is left alone",
                path.display()
            ))
            .with_help("name another folder with --out"));
        }
        let names = Names::of([path, documents]);
        Contents::named(path, &names)
            .map(Presence::Run)
            .map_err(unusable)
    }

    /// Files there that no run wrote.
    pub(crate) fn strangers(&self) -> Vec<PathBuf> {
        match self {
            Presence::Run(contents) => contents.strangers.clone(),
            Presence::Nothing | Presence::Empty => Vec::new(),
        }
    }
}

/// Whether a document says so. A name alone does not: others have lock files, too.
pub(crate) fn is_of_a_run(path: &Path) -> bool {
    [(LOCK, Lock::SCHEMA), (MUTANTS, MutantTable::SCHEMA)]
        .iter()
        .any(|(name, schema)| schema_of(&path.join(name)).is_some_and(|s| same_kind(&s, schema)))
}

/// The schema that a document names, if it is one.
fn schema_of(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    let named: Named = read(path)?;
    Some(named.schema)
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    if !path.is_file() {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Of whatever version.
fn same_kind(found: &str, schema: &str) -> bool {
    let kind = |schema: &str| schema.rsplit_once('/').map(|(kind, _)| kind.to_owned());
    kind(found).is_some_and(|found| kind(schema) == Some(found))
}

/// The names that a run gives to its files.
enum Names {
    /// Those of a finished run.
    Listed(BTreeSet<PathBuf>),
    /// Those that follow from ids of mutants, and the copies of the model's files.
    Derived(BTreeSet<String>, BTreeSet<PathBuf>),
}

impl Names {
    /// What the documents in some folders say.
    fn of(folders: [&Path; 2]) -> Names {
        let mut places = folders.iter().map(|folder| folder.join(DIGESTS));
        let digests: Option<Digests> = places.find_map(|place| read(&place));
        if let Some(digests) = digests.filter(|d| same_kind(&d.schema, Digests::SCHEMA)) {
            let files = digests.files.into_iter();
            return Names::Listed(files.map(|listed| PathBuf::from(listed.file)).collect());
        }
        let mut places = folders.iter().map(|folder| folder.join(MUTANTS));
        let table: Option<MutantTable> = places.find_map(|place| read(&place));
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
    /// What a run wrote.
    pub(crate) fn written(&self) -> &[PathBuf] {
        &self.written
    }

    pub(crate) fn of(path: &Path) -> std::io::Result<Contents> {
        Contents::named(path, &Names::of([path, path]))
    }

    fn named(path: &Path, names: &Names) -> std::io::Result<Contents> {
        let mut contents = Contents::default();
        for entry in entries(path)? {
            let (name, is_folder) = entry;
            let text = name.to_string_lossy().into_owned();
            if is_folder && FOLDERS.contains(&text.as_str()) {
                for (inner, is_folder) in entries(&path.join(&name))? {
                    let ours = !is_folder && names.have(&text, &inner.to_string_lossy());
                    contents.add(name.join(inner), ours);
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

/// Names in a folder in their order, and which are folders. A link is none.
fn entries(path: &Path) -> std::io::Result<Vec<(PathBuf, bool)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        found.push((
            PathBuf::from(entry.file_name()),
            entry.file_type()?.is_dir(),
        ));
    }
    found.sort();
    Ok(found)
}

/// Moves what a run wrote to the other folder, where what a run wrote is deleted.
///
/// # Errors
/// If the file system refuses; then everything is in one folder or the other.
pub(crate) fn make_room(
    (path, present): (&Path, &Presence),
    (old, old_present): (&Path, &Presence),
) -> anyhow::Result<()> {
    let Presence::Run(contents) = present else {
        return Ok(());
    };
    let in_the_way = old_present.strangers();
    let taken = contents
        .written
        .iter()
        .find(|name| in_the_way.contains(name));
    if let Some(name) = taken {
        let place = old.join(name);
        return Err(anyhow!(
            "{} is in the way, and no run wrote it",
            place.display()
        ));
    }
    match old_present {
        Presence::Nothing => {}
        // What was moved already is of the same run.
        Presence::Run(_) if is_half_moved(path, old) => {}
        Presence::Run(old_contents) if !old_contents.strangers.is_empty() => {
            for name in &old_contents.written {
                fs::remove_file(old.join(name))
                    .with_context(|| format!("{} cannot be deleted", old.join(name).display()))?;
            }
            remove_empty_folders(old);
        }
        Presence::Empty | Presence::Run(_) => fs::remove_dir_all(old)
            .with_context(|| format!("{} cannot be deleted", old.display()))?,
    }
    if contents.strangers.is_empty() && !old.exists() {
        return fs::rename(path, old)
            .with_context(|| format!("{} cannot be moved", path.display()));
    }
    fs::create_dir_all(old).with_context(|| format!("{} cannot be created", old.display()))?;
    move_files(path, old, &contents.written)?;
    remove_empty_folders(path);
    // Nothing is left to be kept.
    let _ = fs::remove_dir(path);
    Ok(())
}

/// Whether a process was killed while it moved the files of a run: the first one has arrived, the last one has not left. Every other
/// run folder has its lock.
fn is_half_moved(path: &Path, old: &Path) -> bool {
    let there = |folder: &Path, name: &str| folder.join(name).is_file();
    !there(path, MUTANTS) && there(path, LOCK) && there(old, MUTANTS) && !there(old, LOCK)
}

/// Puts a new folder in its place, into the one that is there if that has files which no run wrote.
///
/// # Errors
/// If something that a run writes is there, or the file system refuses.
pub(crate) fn put(new: &Path, path: &Path) -> anyhow::Result<()> {
    // An empty folder is replaced; a run that appeared meanwhile is another one's.
    let Err(error) = fs::rename(new, path) else {
        return Ok(());
    };
    if !path.is_dir() || is_of_a_run(path) {
        let taken = format!("{} was taken by another run meanwhile", path.display());
        return Err(anyhow!(error).context(taken));
    }
    let files = entries(new)?.into_iter().map(|(name, _)| name);
    let files: Vec<PathBuf> = files.collect();
    move_files(new, path, &files)?;
    // It is empty now.
    let _ = fs::remove_dir(new);
    Ok(())
}

fn move_files(from: &Path, to: &Path, names: &[PathBuf]) -> anyhow::Result<()> {
    for name in names {
        let (source, target) = (from.join(name), to.join(name));
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("{} cannot be created", folder.display()))?;
        }
        fs::rename(&source, &target)
            .with_context(|| format!("{} cannot be moved", source.display()))?;
    }
    Ok(())
}

fn remove_empty_folders(path: &Path) {
    for name in FOLDERS {
        // What is not empty stays.
        let _ = fs::remove_dir(path.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(path: &Path) -> Contents {
        match Presence::of(path) {
            Ok(Presence::Run(contents)) => contents,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_folder_is_a_runs_if_its_documents_say_so_and_not_by_their_names() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path();
        for (lock, mutants, is_ours) in [
            (r#"{"schema": "hyperkill.lock/1"}"#, "", true),
            (r#"{"schema": "hyperkill.lock/2", "more": []}"#, "x", true),
            ("", r#"{"schema": "hyperkill.mutants/1"}"#, true),
            (r#"{"dependencies": {}, "lockfileVersion": 1}"#, "", false),
            (r#"{"schema": "hyperkill.locksmith/1"}"#, "{}", false),
            ("", "", false),
        ] {
            fs::write(path.join(LOCK), lock).unwrap();
            fs::write(path.join(MUTANTS), mutants).unwrap();
            assert_eq!(Presence::of(path).is_ok(), is_ours, "{lock} {mutants}");
        }
    }

    #[test]
    fn a_move_that_was_cut_off_anywhere_is_finished_and_loses_nothing() {
        let names = ["diffs/m-1.diff", JOURNAL, "notes.txt"];
        let lock = r#"{"schema": "hyperkill.lock/1"}"#;
        let table = r#"{"schema": "hyperkill.mutants/1", "model": {"name": "m", "language": "smv", "hash": ""},
            "signature": {"inputs": [], "choices": [], "outputs": []}, "mutants": [{"id": "m-1", "status": "live"}]}"#;
        for moved in 0..5 {
            let place = tempfile::tempdir().unwrap();
            let (path, old) = (place.path().join("out"), place.path().join("out.old"));
            fs::create_dir_all(path.join("diffs")).unwrap();
            for name in names {
                fs::write(path.join(name), "x").unwrap();
            }
            fs::write(path.join(MUTANTS), table).unwrap();
            fs::write(path.join(LOCK), lock).unwrap();
            let written = contents(&path).written;
            assert_eq!(written.first(), Some(&PathBuf::from(MUTANTS)));
            assert_eq!(written.last(), Some(&PathBuf::from(LOCK)));
            if moved > 0 {
                move_files(&path, &old, &written[..moved.min(written.len())]).unwrap();
            }
            let (present, before) = (Presence::beside(&path, &old), Presence::of(&old));
            if let (Ok(present), Ok(before)) = (present, before) {
                make_room((&path, &present), (&old, &before)).unwrap();
            }
            for name in [MUTANTS, LOCK, JOURNAL, "diffs/m-1.diff"] {
                assert!(old.join(name).is_file(), "{name} after {moved}");
            }
            assert!(path.join("notes.txt").is_file(), "after {moved}");
        }
    }

    #[test]
    fn what_an_unfinished_run_wrote_is_known_by_its_mutants() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path();
        fs::write(path.join(LOCK), r#"{"schema": "hyperkill.lock/1"}"#).unwrap();
        let table = r#"{"schema": "hyperkill.mutants/1", "model": {"name": "m", "language": "smv", "hash": ""},
            "signature": {"inputs": [], "choices": [], "outputs": []}, "mutants": [{"id": "m-1", "status": "live"}]}"#;
        fs::write(path.join(MUTANTS), table).unwrap();
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
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        fs::create_dir(path.join("bench")).unwrap();
        let found = contents(path);
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
