//! Kills processes, or lets the disk refuse, at every operation in turn. After each, the files of the earlier run must exist. The folder
//! can be taken or resumed, or is refused with a message.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hyperkill_audit::certification::Files;
use hyperkill_core::mutant::MutantId;

use super::archive::Stored;
use super::memory::{Fault, MemoryDisk};
use super::read;
use super::{FolderError, Reopened, RunFolder};
use crate::documents::{self, Digests, JournalEntry, LockState, VerdictWord, build};
use crate::names::{
    ARCHIVE, ASKED, CERTIFICATES, DIFFS, DIGESTS, JOBS, JOURNAL, LOCK, LOG, MUTANTS, OUTCOMES,
    SOURCES, digest,
};
use sha2::{Digest, Sha256};

const OUT: &str = "place/out";
const OLD: &str = "place/out.old";
/// The mutants of each run.
const IDS: [&str; 4] = ["m-0", "m-1", "m-2", "m-3"];
const FAULTS: [Fault; 3] = [Fault::Killed, Fault::Full, Fault::Refused];

/// The state of the disk before the process begins, and the kind of its run.
#[derive(Clone, Copy, Debug)]
struct Scene {
    /// Whether small files are lines of an archive.
    archives: bool,
    /// Whether the folder has a file that no run wrote.
    has_stranger: bool,
    /// Whether `DIR.old` has a run.
    has_old: bool,
}

fn scenes() -> impl Iterator<Item = Scene> {
    (0..8).map(|number| Scene {
        archives: number & 1 > 0,
        has_stranger: number & 2 > 0,
        has_old: number & 4 > 0,
    })
}

fn entry(id: &str) -> JournalEntry {
    JournalEntry {
        result: build::blank(&MutantId(id.to_owned()), VerdictWord::Unknown),
        round: None,
        hurried: false,
        runs: None,
        seconds: 0.0,
    }
}

fn table(of: &str) -> String {
    let mutants = IDS.map(|id| format!(r#"{{"id": "{id}", "status": "live"}}"#));
    format!(
        r#"{{"schema": "hyperkill.mutants/1", "model": {{"name": "{of}", "language": "smv", "hash": ""}},
            "signature": {{"inputs": [], "choices": [], "outputs": []}}, "mutants": [{}]}}"#,
        mutants.join(", ")
    )
}

fn certificate(id: &str) -> String {
    format!("{CERTIFICATES}/{id}.json")
}

fn before(folder: &mut RunFolder, scene: Scene, of: &str) -> Result<(), FolderError> {
    folder.write(MUTANTS, table(of).as_bytes())?;
    folder.make_folder(SOURCES)?;
    folder.write(ASKED, of.as_bytes())?;
    differences(folder, scene, of)
}

fn differences(folder: &mut RunFolder, scene: Scene, of: &str) -> Result<(), FolderError> {
    if scene.archives {
        folder.use_archive()?;
    }
    folder.make_folder(DIFFS)?;
    folder.make_folder(CERTIFICATES)?;
    for id in IDS {
        folder.write(&format!("{DIFFS}/{id}.diff"), of.as_bytes())?;
    }
    Ok(())
}

fn decide(folder: &mut RunFolder, ids: &[&str], of: &str) -> Result<(), FolderError> {
    for id in ids {
        folder.append_job("first\n", "job\n")?;
        folder.write(&certificate(id), format!("{of} {id}").as_bytes())?;
        folder.append_journal(&entry(id))?;
    }
    Ok(())
}

fn after(folder: &mut RunFolder, of: &str) -> Result<(), FolderError> {
    folder.write(OUTCOMES, of.as_bytes())?;
    folder.seal()
}

/// Ends the run in a folder as the binary does: appends to the log, and records the final state in the lock file.
fn left(mut folder: RunFolder, done: Result<(), FolderError>) -> Result<(), FolderError> {
    let done = done.and(folder.append_log(&["said".to_owned()]));
    let state = match &done {
        Ok(()) => LockState::Finished,
        Err(_) => LockState::Failed,
    };
    let why = done.as_ref().err().map(ToString::to_string);
    done.and(folder.finish(state, why))
}

/// Writes a run from beginning to end.
fn run(disk: &MemoryDisk, scene: Scene, of: &str) -> Result<(), FolderError> {
    let mut folder = RunFolder::create(disk, Path::new(OUT))?;
    let done = before(&mut folder, scene, of)
        .and_then(|()| decide(&mut folder, &IDS, of))
        .and_then(|()| after(&mut folder, of));
    left(folder, done)
}

/// Writes a run that is stopped after half of its mutants are decided.
fn stopped(disk: &MemoryDisk, scene: Scene, of: &str) {
    let mut folder = RunFolder::create(disk, Path::new(OUT)).unwrap();
    before(&mut folder, scene, of).unwrap();
    decide(&mut folder, &IDS[..2], of).unwrap();
    folder.finish(LockState::Interrupted, None).unwrap();
}

/// Resumes the run in the folder like `hyperkill resume`. Returns `false` if the run is finished.
fn resume(disk: &MemoryDisk, scene: Scene, of: &str) -> Result<bool, FolderError> {
    let dir = Path::new(OUT);
    let reopened = Reopened::hold(disk, dir)?;
    if reopened.state() == LockState::Finished {
        return Ok(false);
    }
    let mut entries = read::journal(disk, dir)?.entries;
    let stored = Stored::of(disk.shared(), dir);
    let mut kept = BTreeMap::new();
    entries.retain(|entry| {
        let name = certificate(&entry.result.mutant);
        // A power failure may leave an empty file.
        let whole = format!("{of} {}", entry.result.mutant).into_bytes();
        let Some(bytes) = stored.read(&name).ok().filter(|bytes| *bytes == whole) else {
            return false;
        };
        kept.insert(name, digest(Sha256::new_with_prefix(bytes)));
        true
    });
    for name in [MUTANTS, ASKED] {
        kept.insert(name.to_owned(), read::kept(disk, dir, name)?.1);
    }
    let decided: BTreeSet<String> = entries.iter().map(|e| e.result.mutant.clone()).collect();
    let open: Vec<&str> = IDS
        .into_iter()
        .filter(|id| !decided.contains(*id))
        .collect();
    let mut folder = reopened.go_on(&entries, 0, kept)?;
    let done = differences(&mut folder, scene, of)
        .and_then(|()| decide(&mut folder, &open, of))
        .and_then(|()| after(&mut folder, of));
    left(folder, done).map(|()| true)
}

/// Returns the files in a folder, by their names in the folder.
fn files_in(disk: &MemoryDisk, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = disk.files().into_iter();
    let files = files.filter_map(|(path, bytes)| {
        let name = path.strip_prefix(folder).ok()?;
        Some((name.to_owned(), bytes))
    });
    files.collect()
}

/// Returns a disk with a finished run, prepared as the scene says, and the files of that run.
fn with_a_run(scene: Scene) -> (MemoryDisk, BTreeMap<PathBuf, Vec<u8>>) {
    let disk = MemoryDisk::default();
    if scene.has_old {
        run(&disk, scene, "zeroth").unwrap();
    }
    disk.put(Path::new("place/other"), "beside");
    run(&disk, scene, "first").unwrap();
    let written = files_in(&disk, OUT);
    if scene.has_stranger {
        disk.put(&Path::new(OUT).join("notes.txt"), "mine");
    }
    (disk, written)
}

/// Returns the number of operations of a process without faults.
fn operations(disk: &MemoryDisk, work: impl FnOnce(&MemoryDisk)) -> usize {
    let process = disk.restarted();
    work(&process);
    process.operations()
}

/// Checks that a refusal is a message about a folder and no error of the disk.
fn is_clear(error: &FolderError) -> bool {
    matches!(error, FolderError::Unfit(unfit) if unfit.message.contains("place/out"))
}

#[test]
fn a_run_that_takes_a_folder_loses_nothing_of_the_run_before_wherever_it_ends() {
    let (mut tried, mut refused) = (0, 0);
    for scene in scenes() {
        let work = |disk: &MemoryDisk| run(disk, scene, "second").unwrap();
        let all = operations(&with_a_run(scene).0, work);
        for (fault, at) in FAULTS
            .into_iter()
            .flat_map(|fault| (0..all).map(move |at| (fault, at)))
        {
            let context = format!("{scene:?} {fault:?} at {at} of {all}");
            let (disk, written) = with_a_run(scene);
            let process = disk.restarted();
            process.plant(at, fault);
            // Most of these fail.
            let _ = run(&process, scene, "second");
            let (here, there) = (files_in(&disk, OUT), files_in(&disk, OLD));
            for (name, bytes) in &written {
                let whole = [here.get(name), there.get(name)].contains(&Some(bytes));
                assert!(whole, "{} is lost: {context}", name.display());
            }
            let next = run(&disk.restarted(), scene, "third");
            tried += 1;
            if let Err(error) = &next {
                assert!(scene.has_stranger && is_clear(error), "{error}: {context}");
                refused += 1;
            } else {
                assert_eq!(
                    read::kept(&disk, Path::new(OUT), ASKED).unwrap().0,
                    b"third"
                );
            }
            let strangers = [("place/other", "beside"), ("place/out/notes.txt", "mine")];
            for (path, text) in &strangers[..1 + usize::from(scene.has_stranger)] {
                let bytes = disk.files().remove(Path::new(path));
                assert_eq!(bytes.as_deref(), Some(text.as_bytes()), "{path}: {context}");
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
    // With a foreign file in the folder, files move one by one. A crash can leave a folder without a lock, which later runs refuse.
    assert!(refused < tried / 20, "{refused} of {tried}");
}

/// Returns the certificates in a folder.
fn certificates(disk: &MemoryDisk) -> BTreeMap<&'static str, Vec<u8>> {
    let stored = Stored::of(disk.shared(), Path::new(OUT));
    let read = IDS
        .iter()
        .filter_map(|id| Some((*id, stored.read(&certificate(id)).ok()?)));
    read.collect()
}

/// Checks that the finished run in the folder is complete: its journal has all mutants, and the digests match its files.
fn is_whole(disk: &MemoryDisk, of: &str, context: &str) {
    let dir = Path::new(OUT);
    let entries = read::journal(disk, dir).unwrap().entries;
    let decided: BTreeSet<&str> = entries.iter().map(|e| e.result.mutant.as_str()).collect();
    assert_eq!(decided, BTreeSet::from(IDS), "{context}");
    for id in IDS {
        let expected = format!("{of} {id}").into_bytes();
        assert_eq!(
            certificates(disk).get(id),
            Some(&expected),
            "{id}: {context}"
        );
    }
    let digests: Digests = read::document(disk, &dir.join(DIGESTS)).unwrap();
    let listed = digests.files.into_iter().map(|listed| listed.file);
    let mut listed: BTreeSet<PathBuf> = listed.map(PathBuf::from).collect();
    let digests: Digests = read::document(disk, &dir.join(DIGESTS)).unwrap();
    for file in digests.files {
        let (_, digest) = read::kept(disk, dir, &file.file).unwrap();
        assert_eq!(digest, file.digest, "{}: {context}", file.file);
    }
    listed.extend([DIGESTS, LOCK, LOG].map(PathBuf::from));
    let there: BTreeSet<PathBuf> = files_in(disk, OUT).into_keys().collect();
    assert_eq!(there, listed, "{context}");
}

#[test]
fn a_run_that_goes_on_loses_nothing_that_was_decided_wherever_it_ends() {
    let mut tried = 0;
    for archives in [false, true] {
        let scene = Scene {
            archives,
            has_stranger: false,
            has_old: false,
        };
        let begun = || {
            let disk = MemoryDisk::default();
            disk.put(Path::new("place/other"), "beside");
            stopped(&disk, scene, "first");
            disk
        };
        let all = operations(&begun(), |disk| {
            assert!(resume(disk, scene, "first").unwrap());
        });
        is_whole(
            &{
                let disk = begun();
                resume(&disk.restarted(), scene, "first").unwrap();
                disk
            },
            "first",
            "undisturbed",
        );
        for (fault, at) in FAULTS
            .into_iter()
            .flat_map(|fault| (0..all).map(move |at| (fault, at)))
        {
            let context = format!("{scene:?} {fault:?} at {at} of {all}");
            let disk = begun();
            let lines = read::bytes(&disk, &Path::new(OUT).join(JOURNAL)).unwrap();
            let process = disk.restarted();
            process.plant(at, fault);
            let _ = resume(&process, scene, "first");
            let journal = read::bytes(&disk, &Path::new(OUT).join(JOURNAL)).unwrap();
            let is_there = fault == Fault::Refused || journal.starts_with(&lines);
            assert!(is_there, "the journal has lost lines: {context}");
            for id in &IDS[..2] {
                let kept = certificates(&disk).contains_key(id);
                assert!(kept, "the evidence of {id} is lost: {context}");
            }
            // The next process completes the run.
            resume(&disk.restarted(), scene, "first")
                .unwrap_or_else(|error| panic!("{error}: {context}"));
            is_whole(&disk, "first", &context);
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn a_run_goes_on_after_a_cut_of_the_power_at_any_moment() {
    let scene = Scene {
        archives: false,
        has_stranger: false,
        has_old: false,
    };
    let all = operations(&MemoryDisk::default(), |disk| {
        disk.put(Path::new("place/other"), "beside");
        run(disk, scene, "first").unwrap();
    });
    let mut resumed = 0;
    for at in 0..all {
        let disk = MemoryDisk::default();
        disk.put(Path::new("place/other"), "beside");
        let process = disk.restarted();
        process.plant(at, Fault::Killed);
        let _ = run(&process, scene, "first");
        let synced = read::journal(&disk, Path::new(OUT)).map_or(0, |j| j.entries.len());
        disk.cut_power();
        let next = disk.restarted();
        let had = read::journal(&disk, Path::new(OUT)).map_or(0, |j| j.entries.len());
        assert!(
            had + 1 >= synced,
            "the journal has lost lines: at {at} of {all}"
        );
        match resume(&next, scene, "first") {
            Ok(true) => {
                is_whole(&disk, "first", &format!("at {at} of {all}"));
                resumed += 1;
            }
            Ok(false) => {}
            // A run without its question cannot be resumed.
            Err(_) => {
                let asked = disk.files().contains_key(&Path::new(OUT).join(ASKED));
                assert!(!asked, "at {at} of {all}");
            }
        }
    }
    assert!(resumed > 50, "{resumed} of {all}");
}

#[test]
fn a_run_on_a_full_disk_says_why_it_ended() {
    let scene = Scene {
        archives: false,
        has_stranger: false,
        has_old: false,
    };
    let all = operations(&with_a_run(scene).0, |disk| {
        run(disk, scene, "second").unwrap()
    });
    let mut said = 0;
    for at in 0..all {
        let (disk, _) = with_a_run(scene);
        let process = disk.restarted();
        process.plant(at, Fault::Full);
        let Err(error) = run(&process, scene, "second") else {
            continue;
        };
        let lock: documents::Lock = read::document(&disk, &Path::new(OUT).join(LOCK)).unwrap();
        if lock.state == LockState::Failed {
            assert_eq!(lock.failure, Some(error.to_string()), "at {at} of {all}");
            said += 1;
        } else {
            // The new run has not replaced the folder: it still has the earlier run.
            assert_eq!(lock.state, LockState::Finished, "at {at} of {all}");
            assert_eq!(
                read::kept(&disk, Path::new(OUT), ASKED).unwrap().0,
                b"first"
            );
        }
        assert!(!disk.files().contains_key(&Path::new(OUT).join(JOBS)) || said > 0);
        assert!(!disk.files().contains_key(&Path::new(OUT).join(ARCHIVE)));
    }
    assert!(said > 10, "{said} of {all}");
}
