//! Stopped and resumed runs leave the same folder as an uninterrupted run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::certify::CONSTRAINED;
use crate::support::{DRINKS, LOCK, Place, Ran, TOGGLE, contents, hyperkill, hyperkill_on};
use crate::timed::DOOR;

/// A run: the model's file and text, and the options.
type Kind = (&'static str, &'static str, &'static [&'static str]);

/// Runs of every kind.
const KINDS: [Kind; 6] = [
    ("lock.smv", LOCK, &["--tests", "local"]),
    ("drinks.smv", DRINKS, &["--tests", "tree"]),
    ("x.aag", TOGGLE, &["--no-minimise", "--nd", "mood"]),
    ("x.aag", CONSTRAINED, &["--tests", "global", "--seed", "7"]),
    ("door.tfsm", DOOR, &[]),
    ("drinks.smv", DRINKS, &["--shard", "1/2", "--operator", "*"]),
];

/// The number of cases of a test: `HYPERKILL_CASES`, or else `usual`.
fn cases(usual: usize) -> usize {
    let said = std::env::var("HYPERKILL_CASES");
    said.map_or(usual, |text| text.parse().expect("a number"))
}

/// The folder of a run without varying parts: data on the process, times, and the order of journal lines.
fn lasting(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(folder);
    let named = |name: &str| PathBuf::from(name);
    for name in ["log.txt", "lock.json", "timings.json"] {
        files.remove(&named(name));
    }
    if let Some(page) = files.get_mut(&named("report.html")) {
        *page = without_times(page).into_bytes();
    }
    let digests = files.remove(&named("digests.json")).unwrap();
    let digests: Value = serde_json::from_slice(&digests).unwrap();
    let listed = digests["files"].as_array().unwrap().iter();
    let listed: Vec<String> = listed.map(|file| file["file"].to_string()).collect();
    files.insert(named("digests.json"), listed.join("\n").into_bytes());
    let journal = files.remove(&named("journal.jsonl")).unwrap();
    let lines = String::from_utf8(journal).unwrap();
    let lines = lines.lines().map(|line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        entry["seconds"] = Value::Null;
        entry.to_string()
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort_unstable();
    files.insert(named("journal.jsonl"), lines.join("\n").into_bytes());
    files
}

/// A page without the tables of the longest times.
fn without_times(page: &[u8]) -> String {
    let mut text = String::from_utf8(page.to_vec()).unwrap();
    for heading in ["Slowest", "Where the time went"] {
        let begin = format!("<article>\n<h2>{heading}</h2>");
        if let Some((before, rest)) = text.split_once(&begin) {
            let (_, after) = rest.split_once("</article>\n").unwrap();
            text = format!("{before}{after}");
        }
    }
    text
}

/// Fails unless two folders have equal contents.
pub(crate) fn assert_alike(expected: &Path, found: &Path, what: &str) {
    let (expected, found) = (lasting(expected), lasting(found));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&expected), names(&found), "{what}");
    for (name, bytes) in &expected {
        assert!(
            found[name] == *bytes,
            "{what}: {}\n{}\ninstead of\n{}",
            name.display(),
            String::from_utf8_lossy(&found[name]),
            String::from_utf8_lossy(bytes)
        );
    }
}

/// The command that makes a run.
fn running(place: &Place, (name, _, options): &Kind, out: &str) -> Vec<String> {
    let mut args = vec![
        "run".to_owned(),
        place.arg(name),
        "-o".into(),
        place.arg(out),
    ];
    // Existing files must not matter.
    args.extend(["--force", "--accept", "unknown"].map(str::to_owned));
    args.extend(options.iter().map(|&option| option.to_owned()));
    args
}

/// A place with a model, and an uninterrupted run of it in `whole`.
fn whole(kind: &Kind) -> Place {
    let place = Place::with(kind.0, kind.1);
    hyperkill(running(&place, kind, "whole")).expect(ExitCode::Success);
    place
}

/// Whether a run must begin again, since it was stopped too early.
pub(crate) fn is_too_early(resumed: &Ran) -> bool {
    let said = [
        "is not a run folder",
        "was stopped before anything was decided",
        "it was stopped before it wrote them",
    ];
    resumed.code == ExitCode::Usage && said.iter().any(|text| resumed.stderr.contains(text))
}

#[test]
fn a_run_that_was_stopped_at_any_write_and_resumed_is_one_that_never_stopped() {
    let mut rng = ChaCha8Rng::seed_from_u64(18);
    // With `HYPERKILL_CASES` the run is stopped at every write.
    let step = if cases(0) > 0 { 1 } else { 31 };
    let mut stopped = 0;
    for kind in KINDS {
        let place = whole(&kind);
        let out = place.arg("out");
        for room in (rng.random_range(0..step)..).step_by(step) {
            let what = format!("{} {:?}, after {room} writes", kind.0, kind.2);
            let ran = hyperkill_on(Disk::with_room_for(room), running(&place, &kind, "out"), "");
            if ran.code == ExitCode::Success {
                break;
            }
            stopped += 1;
            // The run is stopped again before it is completed.
            let more = rng.random_range(0..20);
            let again = hyperkill_on(Disk::with_room_for(more), ["resume", &out], "");
            let resumed = hyperkill(["resume", &out]);
            if is_too_early(&resumed) {
                assert!(room < 12, "{what}: {resumed:?}");
                hyperkill(running(&place, &kind, "out")).expect(ExitCode::Success);
            } else {
                let is_full = again.code == ExitCode::Usage;
                assert!(
                    is_full || again.code == ExitCode::Success,
                    "{what}: {again:?}"
                );
                assert_eq!(resumed.code, ExitCode::Success, "{what}: {resumed:?}");
            }
            let what = format!("{what}, and {more} more");
            assert_alike(&place.path("whole"), &place.path("out"), &what);
            hyperkill(["certify", &out]).expect(ExitCode::Success);
            fs::remove_dir_all(place.path("out")).unwrap();
        }
    }
    assert!(stopped > 10, "{stopped}");
}

/// Kills a run at random moments, resumes it, and kills it again. Checks that the completed run equals an uninterrupted run. Returns the
/// number of times for each state of a killed run.
fn killed_at_random(seed: u64, kills: usize) -> BTreeMap<String, usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/smv/beverage/model.smv");
    let text: &'static str = fs::read_to_string(model).unwrap().leak();
    let kind: Kind = ("model.smv", text, &["--tests", "local", "--jobs", "2"]);
    let place = Place::with(kind.0, kind.1);
    let start = Instant::now();
    let program = |args: &[String]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperkill"));
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let ended = program(&running(&place, &kind, "whole")).wait().unwrap();
    assert!(ended.success());
    let took = start.elapsed();
    // `run` begins anew and moves the existing folder; `resume` goes on with it.
    let mut resumes = false;
    let mut states = BTreeMap::<String, usize>::new();
    for done in 0..kills {
        let what = format!("seed {seed}, kill {done}");
        let args = match resumes {
            true => vec!["resume".to_owned(), place.arg("out")],
            false => running(&place, &kind, "out"),
        };
        let mut child = program(&args);
        let part: f64 = rng.random();
        std::thread::sleep(Duration::from_secs_f64(took.as_secs_f64() * part * 1.1));
        // A third of the runs get an interrupt that they can handle.
        if rng.random_range(0..3) == 0 && cfg!(unix) {
            let interrupt = ["-INT", &child.id().to_string()];
            let _ = Command::new("kill")
                .args(interrupt)
                .stderr(Stdio::null())
                .status();
        } else {
            child.kill().unwrap();
        }
        let ended = child.wait().unwrap();
        let state = match ended.code() {
            Some(code) => format!("ended with {code}"),
            None => {
                let files = ["asked.json", "journal.jsonl", "suite.json", "outcomes.json"];
                let there = files.map(|name| usize::from(place.path("out").join(name).exists()));
                format!("killed with {there:?}")
            }
        };
        *states.entry(state).or_default() += 1;
        // Some resumed processes are killed as well.
        resumes = !resumes && rng.random_bool(0.5) && place.path("out/asked.json").exists();
        if resumes {
            continue;
        }
        let resumed = hyperkill(["resume", &place.arg("out")]);
        if !is_too_early(&resumed) {
            assert_eq!(resumed.code, ExitCode::Success, "{what}: {resumed:?}");
            assert_alike(&place.path("whole"), &place.path("out"), &what);
        }
    }
    states
}

#[test]
fn a_run_that_was_killed_at_random_moments_and_resumed_is_one_that_never_stopped() {
    println!("{:?}", killed_at_random(1, 10));
}

#[test]
#[ignore = "slow tier"]
fn a_run_that_was_killed_at_a_hundred_random_moments_is_one_that_never_stopped() {
    println!("{:?}", killed_at_random(2, cases(100)));
}

#[test]
fn the_model_may_be_gone_and_the_folder_elsewhere_when_a_run_goes_on() {
    let place = killed_after(6);
    fs::remove_file(place.path("lock.smv")).unwrap();
    fs::create_dir(place.path("far")).unwrap();
    fs::rename(place.path("out"), place.path("far/there")).unwrap();
    hyperkill(["resume", &place.arg("far/there")]).expect(ExitCode::Success);
    assert_alike(&place.path("whole"), &place.path("far/there"), "elsewhere");
}

/// Makes a folder read-only; returns whether this user is then refused.
fn is_closed(folder: &Path, closed: bool) -> bool {
    let mut permissions = fs::metadata(folder).unwrap().permissions();
    permissions.set_readonly(closed);
    fs::set_permissions(folder, permissions).unwrap();
    let probe = folder.join("probe");
    let is_closed = fs::write(&probe, "").is_err();
    let _ = fs::remove_file(probe);
    is_closed
}

#[test]
fn a_folder_that_cannot_be_written_is_named_and_left() {
    let place = killed_after(6);
    let before = contents(&place.path("out"));
    let out = place.arg("out");
    // `/proc` refuses every user, including root.
    if Path::new("/proc/self").exists() {
        let args = ["run", &place.arg("lock.smv"), "-o", "/proc/hyperkill.out"];
        let ran = hyperkill(args).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("/proc/hyperkill.out"), "{ran:?}");
    }
    if is_closed(&place.path("out"), true) {
        for command in ["resume", "run"] {
            let model = place.arg("lock.smv");
            let run = ["run", &model, "-o", &out];
            let ran = match command {
                "run" => hyperkill(run),
                _ => hyperkill(["resume", &out]),
            };
            let ran = ran.expect(ExitCode::Usage);
            assert!(ran.stderr.contains(&out), "{ran:?}");
            assert!(contents(&place.path("out")) == before, "{command}");
        }
    }
    is_closed(&place.path("out"), false);
    hyperkill(["resume", &out]).expect(ExitCode::Success);
    assert_alike(&place.path("whole"), &place.path("out"), "opened again");
}

#[test]
fn the_folder_of_a_check_goes_on_as_one() {
    let place = Place::with("x.aag", TOGGLE);
    let out = place.arg("whole");
    let args = [
        "check",
        &place.arg("x.aag"),
        "-o",
        &out,
        "--property",
        "phi2",
        "--seed",
        "4",
    ];
    hyperkill(args).expect(ExitCode::Success);
    let other = place.path("out");
    for (name, bytes) in contents(&place.path("whole")) {
        fs::create_dir_all(other.join(&name).parent().unwrap()).unwrap();
        fs::write(other.join(&name), bytes).unwrap();
    }
    let journal = fs::read_to_string(other.join("journal.jsonl")).unwrap();
    let first: Vec<&str> = journal.split_inclusive('\n').take(2).collect();
    fs::write(other.join("journal.jsonl"), first.concat()).unwrap();
    let lock = fs::read_to_string(other.join("lock.json")).unwrap();
    fs::write(other.join("lock.json"), lock.replace("finished", "failed")).unwrap();
    hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Success);
    assert_alike(&place.path("whole"), &other, "check");
}

#[test]
fn a_finished_run_is_left_as_it_is() {
    let place = whole(&KINDS[0]);
    let before = contents(&place.path("whole"));
    let ran = hyperkill(["resume", &place.arg("whole")]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("is finished"), "{ran:?}");
    assert!(contents(&place.path("whole")) == before);
}

/// A run of the lock after a kill; its journal has this number of lines.
fn killed_after(lines: usize) -> Place {
    let place = whole(&KINDS[0]);
    let out = place.path("out");
    for (name, bytes) in contents(&place.path("whole")) {
        fs::create_dir_all(out.join(&name).parent().unwrap()).unwrap();
        fs::write(out.join(&name), bytes).unwrap();
    }
    for name in [
        "digests.json",
        "timings.json",
        "outcomes.json",
        "suite.json",
    ] {
        fs::remove_file(out.join(name)).unwrap();
    }
    fs::remove_dir_all(out.join("tests")).unwrap();
    let lock = fs::read_to_string(out.join("lock.json")).unwrap();
    fs::write(out.join("lock.json"), lock.replace("finished", "running")).unwrap();
    let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap();
    let kept: Vec<&str> = journal.split_inclusive('\n').take(lines).collect();
    fs::write(out.join("journal.jsonl"), kept.concat()).unwrap();
    place
}

#[test]
fn nothing_is_decided_twice() {
    let place = killed_after(6);
    let before = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let ran = hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("6 of "), "{ran:?}");
    let after = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    assert!(after.starts_with(&before), "{after}");
    let ids: Vec<Value> = (after.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["result"]["mutant"].clone())
        .collect();
    let different: BTreeSet<String> = ids.iter().map(Value::to_string).collect();
    assert_eq!(ids.len(), different.len());
    assert_alike(&place.path("whole"), &place.path("out"), "after six lines");
}

#[test]
fn a_journal_that_was_cut_off_loses_one_line_and_a_spoilt_one_is_refused_and_left() {
    let place = killed_after(6);
    let (journal, out) = (place.path("out/journal.jsonl"), place.arg("out"));
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // A spoilt line in the middle.
    let spoilt = [lines[0], "{\"result\": 1}\n", &lines[2..].concat()].concat();
    fs::write(&journal, &spoilt).unwrap();
    let before = contents(&place.path("out"));
    for command in ["resume", "status"] {
        let ran = hyperkill([command, &out]).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("line 2 of"), "{ran:?}");
        assert!(ran.stderr.contains("delete the line"), "{ran:?}");
    }
    assert!(contents(&place.path("out")) == before);
    // A spoilt end: truncated, or filled with zeros.
    for end in ["{\"result\": {\"mut", "\0\0\0\0\n", "\u{1}"] {
        let torn = [&lines[..5].concat(), end].concat();
        fs::write(&journal, &torn).unwrap();
        hyperkill(["status", &out]).expect(ExitCode::Success);
        let place = &place;
        let ran = hyperkill(["resume", &out]).expect(ExitCode::Success);
        assert!(
            ran.stderr.contains("the last line of the journal"),
            "{ran:?}"
        );
        assert_alike(&place.path("whole"), &place.path("out"), end);
        let lock = fs::read_to_string(place.path("out/lock.json")).unwrap();
        fs::write(
            place.path("out/lock.json"),
            lock.replace("finished", "running"),
        )
        .unwrap();
    }
}

#[test]
fn a_mutant_whose_evidence_did_not_get_to_the_disk_is_decided_again() {
    let place = killed_after(40);
    let certificates = contents(&place.path("out/certificates"));
    let names: Vec<&PathBuf> = certificates.keys().collect();
    let folder = place.path("out/certificates");
    fs::remove_file(folder.join(names[0])).unwrap();
    fs::write(folder.join(names[3]), "").unwrap();
    fs::write(folder.join(names[6]), &certificates[names[7]]).unwrap();
    let ran = hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("had lost its evidence"), "{ran:?}");
    assert_alike(&place.path("whole"), &place.path("out"), "without evidence");
}

#[test]
fn the_folder_of_another_version_or_another_run_is_refused_and_left() {
    let place = killed_after(6);
    let out = place.arg("out");
    let refused = |said: &str, code: ExitCode| {
        let before = contents(&place.path("out"));
        let ran = hyperkill(["resume", &out]).expect(code);
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
        assert!(contents(&place.path("out")) == before, "{said}");
    };
    let spoil = |name: &str, change: &dyn Fn(&mut Value)| {
        let path = place.path("out").join(name);
        let before = fs::read(&path).unwrap();
        let mut document: Value = serde_json::from_slice(&before).unwrap();
        change(&mut document);
        fs::write(
            &path,
            serde_json::to_string_pretty(&document).unwrap() + "\n",
        )
        .unwrap();
        (path, before)
    };
    for (name, schema) in [
        ("mutants.json", "hyperkill.mutants/9"),
        ("asked.json", "hyperkill.asked/9"),
        ("lock.json", "hyperkill.lock/2"),
    ] {
        let (path, before) = spoil(name, &|document| document["schema"] = json!(schema));
        refused(&format!("is a `{schema}`"), ExitCode::Usage);
        fs::write(path, before).unwrap();
    }
    let (path, before) = spoil("asked.json", &|asked| asked["version"] = json!("0.0.1"));
    refused("was made by hyperkill 0.0.1", ExitCode::Usage);
    fs::write(path, before).unwrap();
    let (path, before) = spoil("asked.json", &|asked| {
        let options = asked["options"].as_array_mut().unwrap();
        options.retain(|option| !option.as_str().unwrap().starts_with("--tests"));
    });
    refused("asked.json is not as the run wrote it", ExitCode::Evidence);
    fs::write(path, before).unwrap();
    let (path, before) = spoil("mutants.json", &|table| {
        table["mutants"].as_array_mut().unwrap().pop();
    });
    refused(
        "mutants.json is not as the run wrote it",
        ExitCode::Evidence,
    );
    fs::write(path, before).unwrap();
    fs::write(
        place.path("out/sources/1-lock.smv"),
        LOCK.replace("TRUE", "FALSE"),
    )
    .unwrap();
    refused("has changed since the run read it", ExitCode::Evidence);
    fs::write(place.path("out/sources/1-lock.smv"), LOCK).unwrap();
    hyperkill(["resume", &out]).expect(ExitCode::Success);
    assert_alike(&place.path("whole"), &place.path("out"), "after all");
}
