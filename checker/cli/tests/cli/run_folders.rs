//! Run folders on the disk: a new run replaces the folder of the run before it, and leaves other folders alone.

use std::fs;

use hyperkill::documents::LockState;
use hyperkill::files::Disk;
use hyperkill::run_folder::{LOCK, MUTANTS, RunFolder};
use hyperkill_run::folder::{FolderError, lock};

fn message(result: Result<RunFolder, FolderError>) -> String {
    match result {
        Ok(folder) => panic!("{} was created", folder.path().display()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_a_killed_process_was_about_to_put_in_place_goes_and_what_a_living_one_is_stays() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{"schema": "hyperkill.lock/1"}"#;
    let folder = |name: &str| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(LOCK), text).unwrap();
        folder
    };
    let (dead, alive) = (folder("out.new-1-a"), folder("out.new-2-b"));
    let others = [folder("out.newer"), folder("away.new-1-a")];
    let theirs = place.path().join("out.new-theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("x"), "").unwrap();
    let _held = lock::Held::of(&Disk::default(), &alive).unwrap();
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
