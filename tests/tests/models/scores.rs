//! Hand-written benches, scored on the mutants of three designs in Icarus Verilog: the run's own tests kill the survivors.
//!
//! Icarus is searched on the path; without it the tests pass with a printed notice.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill::{ExitCode, Io};
use hyperkill_tests::peers::Icarus;
use serde_json::Value;

use crate::benches;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Scores a command on the mutants of a run. Returns the exit status and the report.
fn score(args: &[&str]) -> (ExitCode, Value) {
    let (mut io, captured) = Io::captured("");
    let before = ["hyperkill", "--format", "json", "--jobs", "2", "score"];
    let words = before.iter().chain(args).map(OsString::from);
    let code = hyperkill::main(words, &mut io);
    let report = serde_json::from_slice(&captured.stdout.bytes());
    let report = report.unwrap_or_else(|error| panic!("{error}: {}", captured.stderr.text()));
    (code, report)
}

/// Returns a command that runs these benches on the mutant until one fails.
fn command(benches: &[&Path]) -> String {
    let one = |(number, bench): (usize, &&Path)| {
        let bench = bench.display();
        format!(
            "iverilog -g2005 -o {{folder}}/sim{number} {bench} {{mutant}} && vvp -N {{folder}}/sim{number}"
        )
    };
    let all: Vec<String> = benches.iter().enumerate().map(one).collect();
    all.join(" && ")
}

#[test]
fn survivors_of_benches_by_hand_are_killed_by_the_tests_that_are_named() {
    for design in ["fifo", "vending"] {
        survivors_are_killed(design);
    }
}

#[test]
#[ignore = "starts Icarus a hundred times"]
fn so_are_those_of_a_longer_design() {
    survivors_are_killed("uart-tx");
}

/// Scores the hand-written bench of a design. Checks that the tests of the run kill all mutants that survive it and can be killed for
/// certain.
fn survivors_are_killed(design: &str) {
    if Icarus::find("benches by hand").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(&folder.path().join("out"));
    let model = root().join(format!("models/verilog/{design}/model.v"));
    benches::hyperkill(&["run", &text(&model), "-o", &out, "--timeout", "10s"]);
    let by_hand = root().join(format!("adapters/benches/{design}.v"));
    let matrix = folder.path().join("matrix.csv");
    let script = command(&[&by_hand]);
    let args = [&out, "--matrix", &text(&matrix), "--", "sh", "-c", &script];
    let (code, report) = score(&args);
    let counts = &report["counts"];
    assert_eq!(code, ExitCode::Failed, "{report:#}");
    let survivors = |report: &Value| -> Vec<Value> {
        let mutants = report["mutants"].as_array().expect("a list").iter();
        let survivors = mutants.filter(|mutant| mutant["result"] == "survived");
        survivors.cloned().collect()
    };
    for survivor in survivors(&report) {
        assert!(survivor["place"]["line"].is_u64(), "{survivor:#}");
        assert!(survivor["operator"].is_string(), "{survivor:#}");
        if survivor["verdict"] == "killed" {
            assert!(survivor["would_kill"].is_string(), "{survivor:#}");
        }
    }
    assert!(counts["killed"].as_u64() > Some(5), "{counts}");
    // The matrix has a row for each mutant below the header.
    let rows = fs::read_to_string(&matrix).expect("a matrix");
    let mutants = report["mutants"].as_array().expect("a list").len();
    assert_eq!(rows.lines().count(), mutants + 1);

    // With the tests of the run after the hand-written ones, all definitely killable mutants are killed.
    let own = folder.path().join("bench");
    benches::hyperkill(&[
        "export",
        &out,
        "--to",
        "verilog-testbench",
        "-o",
        &text(&own),
    ]);
    let script = command(&[&by_hand, &own.join("testbench.v")]);
    let survived = survivors(&report);
    let ids = survived
        .iter()
        .map(|survivor| survivor["mutant"].as_str().expect("an id"));
    let mut args = vec![out.as_str()];
    args.extend(ids.flat_map(|id| ["--mutant", id]));
    args.extend(["--", "sh", "-c", &script]);
    let (_, report) = score(&args);
    assert_eq!(
        report["mutants"].as_array().map(Vec::len),
        Some(survived.len())
    );
    for survivor in survivors(&report) {
        assert_ne!(survivor["strength"], "definite", "{design}: {survivor:#}");
    }
}
