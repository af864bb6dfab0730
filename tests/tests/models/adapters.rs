//! Suites of a nondeterministic model, run on hand-written programs: conforming programs never fail, and a bug is found.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use hyperkill::{ExitCode, Io};
use hyperkill_tests::peers::skipped;
use serde_json::Value;

use crate::benches;

/// The number of runs per test; with at least 12 tests there are a thousand runs.
const OFTEN: &str = "90";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/pump")
}

/// Returns a run folder with tests of this kind.
fn decided(kind: &str) -> tempfile::TempDir {
    let folder_of_run = tempfile::tempdir().expect("a folder");
    let model = folder().join("pump.smv");
    let (model, out) = (model.to_string_lossy(), folder_of_run.path().join("out"));
    benches::hyperkill(&["run", &model, "--tests", kind, "-o", &out.to_string_lossy()]);
    folder_of_run
}

/// Runs the suite on a program. Returns the exit status and the report.
fn executed(run: &tempfile::TempDir, options: &[&str], command: &[&str]) -> (ExitCode, Value) {
    let out = run.path().join("out");
    let out = out.to_string_lossy();
    let before = ["hyperkill", "--format", "json", "exec", &out];
    let words = before.iter().chain(options).chain(&["--"]).chain(command);
    let (mut io, captured) = Io::captured("");
    let code = hyperkill::main(words.map(OsString::from), &mut io);
    let report = serde_json::from_slice(&captured.stdout.bytes());
    let report = report.unwrap_or_else(|error| panic!("{error}: {}", captured.stderr.text()));
    (code, report)
}

#[test]
fn a_thousand_runs_of_a_conforming_pump_never_fail_and_a_bug_is_found() {
    let pump = env!("CARGO_BIN_EXE_pump");
    for kind in ["global", "tree"] {
        let run = decided(kind);
        let options = ["--reset", "--repeat", OFTEN];
        let (code, report) = executed(&run, &options, &[pump]);
        assert_eq!(code, ExitCode::Success, "{report:#}");
        assert!(
            report["runs"]["pass"].as_u64() > Some(1_000),
            "{}",
            report["runs"]
        );
        for verdict in ["fail", "inconclusive", "error"] {
            assert_eq!(report["runs"][verdict], 0, "{report:#}");
        }
        let (code, report) = executed(&run, &options, &[pump, "--bug"]);
        assert_eq!(code, ExitCode::Failed, "{report:#}");
        assert!(report["tests"]["fail"].as_u64() > Some(0));
        // One process per run gives the same result.
        let (code, _) = executed(&run, &["--jobs", "2"], &[pump]);
        assert_eq!(code, ExitCode::Success);
    }
}

#[test]
fn linear_and_local_tests_of_a_model_that_chooses_blame_the_conforming_pump() {
    let pump = env!("CARGO_BIN_EXE_pump");
    let run = decided("linear");
    let (code, report) = executed(&run, &["--reset", "--repeat", OFTEN], &[pump]);
    assert_eq!(code, ExitCode::Failed, "{report:#}");
    let run = decided("local");
    let (_, report) = executed(&run, &["--reset", "--repeat", OFTEN], &[pump]);
    assert!(
        report["runs"]["inconclusive"].as_u64() > Some(100),
        "{report:#}"
    );
}

#[test]
fn the_pump_in_python_conforms_too_and_its_bug_is_found() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3");
        return;
    }
    let run = decided("global");
    let pump = folder().join("pump.py");
    let pump = pump.to_string_lossy();
    let options = ["--reset", "--repeat", "10"];
    let (code, report) = executed(&run, &options, &["python3", &pump]);
    assert_eq!(code, ExitCode::Success, "{report:#}");
    let (code, report) = executed(&run, &options, &["python3", &pump, "--bug"]);
    assert_eq!(code, ExitCode::Failed, "{report:#}");
}

/// Returns a run folder with tests of the car alarm under these options.
fn alarm_decided(file: &str, options: &[&str]) -> tempfile::TempDir {
    let folder_of_run = tempfile::tempdir().expect("a folder");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/action-system/car-alarm");
    let model = models.join(file);
    let out = folder_of_run.path().join("out");
    let (model, out) = (model.to_string_lossy(), out.to_string_lossy());
    let mut words = vec!["run", &model, "--tests", "global", "-o", &out];
    words.extend(options);
    benches::hyperkill(&words);
    folder_of_run
}

#[test]
#[ignore = "minutes"]
fn an_alarm_that_arms_late_always_fails_and_one_that_never_sounds_only_where_silence_is_seen() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3");
        return;
    }
    let alarm = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/car-alarm/car_alarm.py");
    let alarm = alarm.to_string_lossy();
    let readings: [(&str, &[&str], &[&str], bool); 3] = [
        ("model.as", &["--observe", "outputs"], &["done"], false),
        (
            "model.as",
            &["--observe", "outputs", "--complete"],
            &["done"],
            true,
        ),
        ("inputs.as", &[], &["output", "after.Wait_time"], true),
    ];
    for (file, options, shown, silence_is_seen) in readings {
        let run = alarm_decided(file, options);
        let mut ended = Vec::new();
        for fault in [None, Some("--late"), Some("--silent")] {
            let command = ["python3", &alarm].into_iter().chain(fault);
            let command: Vec<&str> = command.chain(shown.iter().copied()).collect();
            let (code, report) = executed(&run, &["--reset", "--repeat", "4"], &command);
            assert_eq!(report["runs"]["error"], 0, "{file} {options:?}: {report:#}");
            ended.push(code);
        }
        let silent = match silence_is_seen {
            true => ExitCode::Failed,
            false => ExitCode::Success,
        };
        let expected = [ExitCode::Success, ExitCode::Failed, silent];
        assert_eq!(ended, expected, "{file} {options:?}");
    }
}

#[test]
fn a_shop_passes_the_walks_of_its_model_and_its_faults_are_found() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3");
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let model = tests.join("models/graphwalker/shop/model.json");
    let shop = tests.join("adapters/shop/shop.py");
    let (model, shop) = (model.to_string_lossy(), shop.to_string_lossy());
    let seeded = ["--two-items", "--stays-paid", "--counts-on"];
    // A shop that accepts more than the model is only found by tests that give refused inputs.
    for (complete, does_more) in [(false, ExitCode::Success), (true, ExitCode::Failed)] {
        let run = tempfile::tempdir().expect("a folder");
        let out = run.path().join("out");
        let out = out.to_string_lossy();
        let mut words = vec!["run", &model, "-o", &out];
        words.extend(complete.then_some("--complete"));
        benches::hyperkill(&words);
        let code = |fault: &[&str]| {
            let command: Vec<&str> = [&["python3", &shop], fault].concat();
            let (code, report) = executed(&run, &["--reset"], &command);
            assert_eq!(report["runs"]["error"], 0, "{fault:?}: {report:#}");
            code
        };
        assert_eq!(code(&[]), ExitCode::Success, "complete: {complete}");
        for fault in seeded {
            assert_eq!(
                code(&[fault]),
                ExitCode::Failed,
                "{fault}, complete: {complete}"
            );
        }
        assert_eq!(code(&["--four-items"]), does_more, "complete: {complete}");
    }
}

#[test]
fn altwalker_passes_a_shop_on_the_walks_of_its_model_and_finds_its_faults() {
    let walks = |faults: &str, walk: &Path| {
        let mut altwalker = Command::new("altwalker");
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/shop");
        altwalker.arg("walk").arg(tests).arg(walk);
        altwalker.env("PYTHONDONTWRITEBYTECODE", "1");
        altwalker.env("SHOP_FAULTS", faults).output()
    };
    if walks("", Path::new("no file")).is_err() {
        skipped("walks of the shop", "AltWalker is not installed");
        return;
    }
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/graphwalker/shop/model.json");
    let folder = tempfile::tempdir().expect("a folder");
    let [out, written] = ["out", "walks"].map(|name| folder.path().join(name));
    let [model, out, to] = [&model, &out, &written].map(|path| path.to_string_lossy());
    benches::hyperkill(&["run", &model, "-o", &out]);
    benches::hyperkill(&["export", &out, "--to", "altwalker", "-o", &to]);
    let files = std::fs::read_dir(&written).expect("walks");
    let files: Vec<PathBuf> = files.map(|file| file.expect("a walk").path()).collect();
    let passes = |faults: &str| {
        let walked = files.iter().map(|walk| walks(faults, walk));
        let mut walked = walked.map(|walked| walked.expect("AltWalker").status);
        walked.all(|status| status.success())
    };
    assert!(!files.is_empty() && passes(""));
    for fault in ["--two-items", "--stays-paid", "--counts-on"] {
        assert!(!passes(fault), "{fault} is not found");
    }
}

#[test]
fn a_lamp_that_dims_late_and_one_that_is_off_too_early_fail_in_the_circuit_of_the_model() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3");
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = tempfile::tempdir().expect("a folder");
    let [circuit, out] = ["lamp.aag", "out"].map(|name| run.path().join(name));
    let [circuit, out] = [circuit.to_string_lossy(), out.to_string_lossy()];
    let model = here.join("models/uppaal/lamp/model.xml");
    benches::hyperkill(&["translate", &model.to_string_lossy(), "-o", &circuit]);
    benches::hyperkill(&["check", &circuit, "--tests", "global", "-o", &out]);
    let lamp = here.join("adapters/lamp/lamp.py");
    let lamp = lamp.to_string_lossy();
    // The program's clock counts steps, so the speed of the machine does not matter.
    for (fault, expected) in [
        (None, ExitCode::Success),
        (Some("--late"), ExitCode::Failed),
        (Some("--hasty"), ExitCode::Failed),
    ] {
        let command: Vec<&str> = ["python3", &lamp].into_iter().chain(fault).collect();
        let (code, report) = executed(&run, &["--reset"], &command);
        assert_eq!(report["runs"]["error"], 0, "{fault:?}: {report:#}");
        assert_eq!(code, expected, "{fault:?}: {report:#}");
    }
}

#[test]
fn a_lamp_that_is_told_the_time_passes_and_both_its_faults_are_found() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("there is no python3");
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = tempfile::tempdir().expect("a folder");
    let model = tests.join("models/uppaal/lamp/model.xml");
    let (model, out) = (model.to_string_lossy(), run.path().join("out"));
    benches::hyperkill(&["run", &model, "-o", &out.to_string_lossy()]);
    let lamp = tests.join("adapters/lamp/clocked_lamp.py");
    let lamp = lamp.to_string_lossy();
    // With one program for all tests, and with one program per test.
    let ways: [&[&str]; 2] = [&["--virtual-time", "--reset"], &["--virtual-time"]];
    for options in ways {
        let (code, report) = executed(&run, options, &["python3", &lamp]);
        assert_eq!(code, ExitCode::Success, "{report:#}");
        for fault in ["--late", "--hasty"] {
            let (code, report) = executed(&run, options, &["python3", &lamp, fault]);
            assert_eq!(code, ExitCode::Failed, "{fault}: {report:#}");
            assert_eq!(report["runs"]["error"], 0, "{fault}: {report:#}");
            let results = report["results"].as_array().expect("results");
            let runs = results
                .iter()
                .flat_map(|test| test["runs"].as_array().expect("runs"));
            let failed = runs.filter(|run| run["verdict"] == "fail");
            let seen: Vec<&Value> = failed.map(|run| &run["seen"]).collect();
            let steps = seen.iter().flat_map(|seen| seen.as_array().expect("steps"));
            assert!(steps.clone().count() > 0 && steps.clone().all(|step| !step["at"].is_null()));
        }
    }
}
