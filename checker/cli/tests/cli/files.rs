//! Writing of files: on a full disk, into devices, through links, and for ids of any length.

use std::fs;
use std::path::Path;

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::support::{LOCK, Place, TOGGLE, contents, hyperkill, hyperkill_on};

/// The limit on writes before a disk is full. More are not tried.
const MOST_WRITES: usize = 400;

/// Checks that no file of a folder is half-written and that the journal has complete lines. Returns their number.
fn is_whole(folder: &Path) -> usize {
    let mut lines = 0;
    for (name, bytes) in contents(folder) {
        let text = String::from_utf8(bytes).unwrap();
        let name = name.to_string_lossy().into_owned();
        assert!(!name.contains(".hyperkill-"), "{name} stays behind");
        if name.ends_with(".json") {
            let parsed = serde_json::from_str::<Value>(&text);
            assert!(parsed.is_ok(), "{name} is cut: {text}");
        } else if name.ends_with(".jsonl") {
            assert!(text.is_empty() || text.ends_with('\n'), "{name} is cut");
            for line in text.lines() {
                serde_json::from_str::<Value>(line).unwrap();
                lines += 1;
            }
        }
    }
    lines
}

/// Runs a model on disks that are full after no write, one write, two writes and so on, until the run fits.
fn on_every_full_disk(name: &str, model: &str, more: &[&str]) {
    let place = Place::with(name, model);
    let (file, out) = (place.arg(name), place.arg("out"));
    let args = [
        "run", &file, "--out", &out, "--accept", "unknown", "--jobs", "1",
    ];
    for room in 0..MOST_WRITES {
        let all = args.into_iter().chain(more.iter().copied());
        let ran = hyperkill_on(Disk::with_room_for(room), all, "");
        if ran.code == ExitCode::Success {
            assert!(room > 10, "not much is written: {room}");
            assert_eq!(place.json("out/lock.json")["state"], "finished");
            return;
        }
        assert_eq!(ran.code, ExitCode::Usage, "after {room} writes: {ran:?}");
        assert!(ran.stderr.contains(&out), "after {room} writes: {ran:?}");
        if !place.path("out").exists() {
            let left = fs::read_dir(place.path("")).unwrap().count();
            assert_eq!(left, 1, "after {room} writes");
            continue;
        }
        let lock = place.json("out/lock.json");
        assert_eq!(lock["state"], "failed", "after {room} writes: {lock}");
        let why = lock["failure"].as_str().unwrap();
        assert!(why.contains(&out), "{why}");
        let decided = is_whole(&place.path("out"));
        let status = hyperkill(["status", &out]);
        let said = format!("{}{}", status.text(), status.stderr);
        assert!(said.contains("stopped") && said.contains(why), "{said}");
        if place.path("out/mutants.json").exists() {
            let status = hyperkill(["status", &out, "--format", "json"]);
            let status = status.expect(ExitCode::Success).json();
            assert_eq!(status["decided"], decided, "after {room} writes");
            assert_eq!(status["failure"], why);
        }
    }
    panic!("{MOST_WRITES} writes are not enough");
}

#[test]
fn a_full_disk_is_said_with_the_file_and_loses_nothing_that_was_decided() {
    on_every_full_disk("x.aag", TOGGLE, &[]);
    on_every_full_disk("lock.smv", LOCK, &["--sample", "3", "--tests", "tree"]);
}

#[test]
fn whatever_is_written_alone_is_whole_or_not_there_and_the_message_names_it() {
    let place = Place::with("lock.smv", LOCK);
    let model = place.arg("lock.smv");
    hyperkill(["run", &model, "--out", &place.arg("run")]).expect(ExitCode::Success);
    let suite = place.arg("run/suite.json");
    let counter = "aag 3 1 1 0 1 1\n2\n4 6\n4\n6 5 3\n";
    fs::write(place.path("safe.aag"), counter).unwrap();
    let (safe, to) = (place.arg("safe.aag"), place.arg("to"));
    let commands: [&[&str]; 5] = [
        &["translate", &model, "-o", &to],
        &["list", &model, "--sample", "3", "--emit", &to],
        &["export", &suite, &model, "--to", "smv", "-o", &to],
        &["export", &suite, &model, "--to", "vcd", "-o", &to],
        &["verify", &safe, "--witness", &to],
    ];
    for command in commands {
        let whole = {
            hyperkill(command);
            let path = place.path("to");
            match path.is_dir() {
                true => contents(&path),
                false => [("".into(), fs::read(&path).unwrap())].into(),
            }
        };
        for room in 0.. {
            let _ = fs::remove_dir_all(place.path("to"));
            let _ = fs::remove_file(place.path("to"));
            let ran = hyperkill_on(Disk::with_room_for(room), command, "");
            if matches!(ran.code, ExitCode::Success | ExitCode::Failed) {
                assert!(room > 0, "{command:?}");
                break;
            }
            assert_eq!(ran.code, ExitCode::Usage, "{ran:?}");
            assert!(ran.stderr.contains(&to), "{ran:?}");
            if place.path("to").is_dir() {
                for (name, bytes) in contents(&place.path("to")) {
                    assert_eq!(Some(&bytes), whole.get(&name), "{}", name.display());
                }
            } else {
                assert!(!place.path("to").exists());
            }
        }
        let _ = fs::remove_dir_all(place.path("to"));
        let _ = fs::remove_file(place.path("to"));
    }
}

#[cfg(unix)]
mod process {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::{Command, Stdio};

    use super::*;

    const PROGRAM: &str = env!("CARGO_BIN_EXE_hyperkill");

    #[test]
    fn a_run_under_a_limit_on_files_says_which_one_and_how_it_ended() {
        let place = Place::with("lock.smv", LOCK);
        // Blocks have 512 bytes. The signal is ignored, so that writing fails.
        for blocks in ["1", "4", "6", "12", "24"] {
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
            let ran = Command::new("/bin/sh")
                .args(["-c", &script, "sh", PROGRAM, "run"])
                .args([place.arg("lock.smv"), "-o".to_owned(), place.arg("out")])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert_eq!(ran.status.code(), Some(1), "{blocks}: {said}");
            assert!(said.contains(&place.arg("out")), "{blocks}: {said}");
            if blocks == "1" {
                assert!(!place.path("out").exists());
                continue;
            }
            let lines = is_whole(&place.path("out"));
            let lock = place.json("out/lock.json");
            assert_eq!(lock["state"], "failed", "{blocks}: {lock}");
            let status = hyperkill(["status", &place.arg("out"), "--format", "json"]);
            if status.code == ExitCode::Success {
                assert_eq!(status.json()["decided"], lines);
            }
        }
    }

    /// A private device that is always full; the system's device if this user cannot replace it.
    fn full_device(place: &Place) -> String {
        let ours = place.arg("full");
        let made = Command::new("mknod")
            .args([&ours, "c", "1", "7"])
            .stderr(Stdio::null())
            .status();
        let usable = made.is_ok_and(|status| status.success())
            && fs::OpenOptions::new().write(true).open(&ours).is_ok();
        if usable { ours } else { "/dev/full".to_owned() }
    }

    #[test]
    fn devices_and_links_to_them_are_written_to_and_stay() {
        let place = Place::with("lock.smv", LOCK);
        let model = place.arg("lock.smv");
        let full = full_device(&place);
        if !Path::new(&full).exists() {
            return;
        }
        symlink(&full, place.path("link")).unwrap();
        for to in [full.clone(), place.arg("link")] {
            let ran = hyperkill(["translate", &model, "-o", &to]).expect(ExitCode::Usage);
            assert!(ran.stderr.contains(&to), "{ran:?}");
            assert!(ran.stderr.contains("No space left"), "{ran:?}");
        }
        assert!(fs::metadata(&full).unwrap().file_type().is_char_device());
        assert!(
            fs::symlink_metadata(place.path("link"))
                .unwrap()
                .is_symlink()
        );
        let folder = place.path("");
        let left = fs::read_dir(folder).unwrap().flatten();
        let hidden = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0);
    }

    #[test]
    fn a_pipe_by_name_gets_the_circuit_and_a_link_leads_to_it() {
        let place = Place::with("lock.smv", LOCK);
        let model = place.arg("lock.smv");
        hyperkill(["translate", &model, "-o", &place.arg("direct.aig")]).expect(ExitCode::Success);
        let direct = fs::read(place.path("direct.aig")).unwrap();
        let pipe = place.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read(pipe).unwrap())
        };
        hyperkill(["translate", &model, "-o", &place.arg("pipe")]).expect(ExitCode::Success);
        assert_eq!(reader.join().unwrap(), direct);
        assert!(fs::metadata(pipe).unwrap().file_type().is_fifo());
        fs::create_dir(place.path("far")).unwrap();
        symlink("far/model.aig", place.path("link.aig")).unwrap();
        hyperkill(["translate", &model, "-o", &place.arg("link.aig")]).expect(ExitCode::Success);
        assert!(
            fs::symlink_metadata(place.path("link.aig"))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(fs::read(place.path("far/model.aig")).unwrap(), direct);
    }

    #[test]
    fn a_full_standard_output_is_said_to_be_that() {
        let place = Place::with("lock.smv", LOCK);
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
            return;
        };
        for command in ["list", "translate"] {
            let ran = Command::new(PROGRAM)
                .args([command, &place.arg("lock.smv")])
                .stdout(full.try_clone().unwrap())
                .stderr(Stdio::piped())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert_eq!(ran.status.code(), Some(1), "{said}");
            assert!(said.contains("standard output cannot be written"), "{said}");
        }
    }
}

/// The toggle with ids of this length and form.
fn with_long_ids(ids: &[String; 4]) -> String {
    let mut model = TOGGLE.to_owned();
    for (old, new) in ["flip", "stuck", "same", "maybe"].iter().zip(ids) {
        model = model.replace(&format!("mut:{old}\n"), &format!("mut:{new}\n"));
    }
    model
}

#[test]
fn ids_of_any_length_keep_their_results() {
    let long = "x".repeat(255);
    let hostile = "/../é%".repeat(60);
    for ids in [
        ["a", "b", "c", "d"].map(|end| format!("{long}{end}")),
        ["a", "b", "c", "d"].map(|end| format!("{hostile}{end}")),
        // One id equals the file name of another.
        [
            long.clone(),
            format!("{}%h", "x".repeat(80)),
            "x".repeat(80),
            "x".repeat(4000),
        ],
    ] {
        let place = Place::with("x.aag", with_long_ids(&ids));
        let (model, out) = (place.arg("x.aag"), place.arg("out"));
        hyperkill(["run", &model, "--out", &out, "--accept", "unknown"]).expect(ExitCode::Success);
        hyperkill(["certify", &out, "--hwmcc", &place.arg("hwmcc")]).expect(ExitCode::Success);
        let plain = Place::with("x.aag", TOGGLE);
        let (model, out_plain) = (plain.arg("x.aag"), plain.arg("out"));
        hyperkill(["run", &model, "--out", &out_plain, "--accept", "unknown"])
            .expect(ExitCode::Success);
        let count = |place: &Place| contents(&place.path("out")).len();
        assert_eq!(count(&place), count(&plain), "one file for another");
        for id in &ids {
            let shown = hyperkill(["show", id, &out]).expect(ExitCode::Success);
            assert!(shown.text().contains("verdict"), "{shown:?}");
        }
    }
}
