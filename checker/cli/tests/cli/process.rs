//! Tests of the program: pipes, signals, and two runs at once.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{LOCK, Place, SLOW, hyperkill, verdicts};

/// The time limit for the program.
const PATIENCE: Duration = Duration::from_secs(120);

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperkill"));
    command.stdin(Stdio::null());
    command
}

/// A program that is ended when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// The exit status, if the program ends in time.
    fn status(&mut self) -> i32 {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().expect("no signal ended it");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("still running after {PATIENCE:?}");
    }

    /// Starts a run that does not end by itself, and waits until it has decided a mutant.
    fn slow_run(place: &Place) -> Running {
        let child = program()
            .args(["run", &place.arg("slow.smv"), "--out", &place.arg("out")])
            .args(["--timeout", "none", "--jobs", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let running = Running(child);
        let start = Instant::now();
        while !is_killing(&place.path("out/journal.jsonl")) {
            assert!(start.elapsed() < PATIENCE, "nothing is decided");
            std::thread::sleep(Duration::from_millis(20));
        }
        running
    }
}

/// Whether a journal has a killed mutant, and the run goes on.
fn is_killing(path: &Path) -> bool {
    let journal = fs::read_to_string(path).unwrap_or_default();
    let mut lines = journal
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    lines.any(|line| line.contains("\"killed\""))
}

#[test]
fn translate_and_check_work_as_a_pipe() {
    let place = Place::with("lock.smv", LOCK);
    let mut translate = program()
        .args(["translate", &place.arg("lock.smv"), "-o", "-"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = program()
        .args([
            "check",
            "-",
            "--property",
            "phi1",
            "--controllable-nd",
            "--format",
            "json",
        ])
        .stdin(translate.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(translate.wait().unwrap().success());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["model"], "-");
    assert!(
        verdicts(&document)
            .values()
            .any(|verdict| verdict == "killed")
    );
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::with("lock.smv", LOCK);
    let mut child = program()
        .args(["list", &place.arg("lock.smv"), "--diff"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Dropping the reader closes the pipe with most of the output unread.
    BufReader::with_capacity(16, child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(Running(child).status(), 0);
    assert_eq!(said, "");
}

#[test]
fn a_model_may_come_from_standard_input() {
    let mut child = program()
        .args(["list", "-", "--language", "smv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(LOCK.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("-:12:"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_everything_decided() {
    let place = Place::with("slow.smv", SLOW);
    let mut running = Running::slow_run(&place);
    let interrupted = Command::new("kill")
        .args(["-INT", &running.0.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(running.status(), 130);
    let mut text = String::new();
    let stdout = running.0.stdout.take().unwrap();
    BufReader::new(stdout).read_to_string(&mut text).unwrap();
    assert!(text.contains("interrupted"), "{text}");
    assert!(text.contains("next: hyperkill resume"), "{text}");
    assert_eq!(place.json("out/lock.json")["state"], "interrupted");
    let outcomes = place.json("out/outcomes.json");
    assert_eq!(outcomes["interrupted"], true);
    let results = outcomes["results"].as_array().unwrap();
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    for line in journal.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert!(results.contains(&entry["result"]), "{line}");
        assert_ne!(entry["result"]["reason"], "interrupted");
    }
    let open = results.iter().filter(|r| r["reason"] == "interrupted");
    assert!(open.count() > 0, "something was open");
    // Open mutants count for the score, in `status` too, and decided mutants have evidence.
    let out = place.arg("out");
    let status = hyperkill(["status", &out, "--format", "json"]);
    let status = status.expect(hyperkill::ExitCode::Success).json();
    assert_eq!(status["summary"], outcomes["summary"]);
    hyperkill(["certify", &out]).expect(hyperkill::ExitCode::Success);
    // Later runs are possible.
    let args = [
        "run",
        &place.arg("slow.smv"),
        "--out",
        &place.arg("out"),
        "--sample",
        "1",
    ];
    let again = hyperkill(args.into_iter().chain(["--timeout", "1s"]));
    assert!(matches!(again.code.status(), 0 | 3), "{again:?}");
}

/// Starts a command that waits forever for its model.
fn waiting(args: &[&str]) -> Running {
    let child = program()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    Running(child.unwrap())
}

impl Running {
    /// The exit status and the text on standard error.
    fn end(&mut self) -> (i32, String) {
        let status = self.status();
        let mut said = String::new();
        let mut stderr = self.0.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        (status, said)
    }
}

#[cfg(unix)]
#[test]
fn reading_a_model_ends_when_it_is_interrupted() {
    for (command, signal) in [("translate", "-INT"), ("check", "-INT"), ("run", "-TERM")] {
        let language: &[&str] = match command {
            "check" => &[],
            _ => &["--language", "smv"],
        };
        let mut running = waiting(&[&[command, "-"], language].concat());
        // Before the program handles signals, the default action would end it.
        std::thread::sleep(Duration::from_millis(500));
        let id = running.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
        let (status, said) = running.end();
        assert_eq!(status, 130, "{command}: {said}");
        assert!(said.contains("interrupted while"), "{command}: {said}");
    }
}

#[test]
fn reading_a_model_ends_when_the_time_for_everything_is_over() {
    let args = ["run", "-", "--language", "smv", "--total-timeout", "100ms"];
    let (status, said) = waiting(&args).end();
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("--total-timeout"), "{said}");
}

#[test]
fn a_killed_run_leaves_a_journal_that_can_be_read_and_no_lock() {
    let place = Place::with("slow.smv", SLOW);
    let mut running = Running::slow_run(&place);
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    let status = hyperkill(["status", &place.arg("out"), "--format", "json"]);
    let status = status.expect(hyperkill::ExitCode::Success).json();
    assert_eq!(status["state"], "running");
    let said = hyperkill(["status", &place.arg("out")]).text();
    assert!(
        said.contains(": killed; ") && said.contains("next: hyperkill resume"),
        "{said}"
    );
    assert!(status["decided"].as_u64().unwrap() >= 1, "{status}");
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let mut entries = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let killed = entries
        .find(|entry| entry["result"]["verdict"] == "killed")
        .unwrap();
    let id = killed["result"]["mutant"].as_str().unwrap();
    let shown = hyperkill(["show", id, &place.arg("out")]);
    assert!(shown.text().contains("verdict"), "{shown:?}");
    let args = [
        "run",
        &place.arg("slow.smv"),
        "--out",
        &place.arg("out"),
        "--mutant",
        id,
    ];
    let again = hyperkill(args);
    assert_eq!(again.code.status(), 0, "{again:?}");
    assert!(place.path("out.old/journal.jsonl").is_file());
}

#[test]
fn a_second_run_does_not_take_the_folder_of_the_first() {
    let place = Place::with("slow.smv", SLOW);
    let running = Running::slow_run(&place);
    let second = hyperkill(["run", &place.arg("slow.smv"), "--out", &place.arg("out")]);
    assert_eq!(second.code.status(), 1);
    let first = format!("process {}", running.0.id());
    assert!(second.stderr.contains(&first), "{}", second.stderr);
    let resumed = hyperkill(["resume", &place.arg("out")]);
    assert_eq!(resumed.code.status(), 1);
    assert!(resumed.stderr.contains(&first), "{}", resumed.stderr);
    assert!(!place.path("out.old").exists());
}
