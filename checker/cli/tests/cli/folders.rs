//! Run folders: what is in them, and what `show` and `status` make of it.

use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{LOCK, Place, TOGGLE, contents, hyperkill};

#[test]
fn a_run_leaves_everything_that_is_promised() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let ran = hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    assert!(ran.text().contains("mutation score"), "{}", ran.text());
    assert!(ran.text().contains("hyperkill show m-"), "{}", ran.text());
    let files = contents(&place.path("out"));
    for name in [
        "mutants.json",
        "journal.jsonl",
        "outcomes.json",
        "suite.json",
        "timings.json",
        "log.txt",
        "lock.json",
        "tests/t-001.txt",
        "tests/t-001.stim",
    ] {
        assert!(
            files.contains_key(std::path::Path::new(name)),
            "{name} is missing"
        );
    }
    let table = place.json("out/mutants.json");
    for mutant in table["mutants"].as_array().unwrap() {
        let id = mutant["id"].as_str().unwrap();
        let diff = fs::read_to_string(place.path(&format!("out/diffs/{id}.diff"))).unwrap();
        assert!(
            diff.starts_with("--- a/lock.smv\n+++ b/lock.smv\n@@"),
            "{diff}"
        );
    }
    assert_eq!(place.json("out/lock.json")["state"], "finished");
    let hidden = files
        .keys()
        .filter(|name| name.to_string_lossy().contains("/."));
    assert_eq!(hidden.count(), 0, "no temporary file stays");
}

#[test]
fn the_journal_has_one_line_for_each_decided_mutant() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let mut journaled: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["result"].clone())
        .collect();
    let outcomes = place.json("out/outcomes.json");
    let mut decided: Vec<Value> = outcomes["results"].as_array().unwrap().clone();
    decided.retain(|result| result["verdict"] != "invalid");
    let key = |result: &Value| result["mutant"].as_str().unwrap().to_owned();
    journaled.sort_by_key(key);
    decided.sort_by_key(key);
    assert_eq!(journaled, decided);
}

#[test]
fn the_folder_before_becomes_old() {
    let place = Place::with("x.aag", TOGGLE);
    let (model, out) = (place.arg("x.aag"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "--mutant", "flip"]).expect(ExitCode::Success);
    hyperkill(["run", &model, "--out", &out, "--mutant", "stuck"]).expect(ExitCode::Success);
    assert_eq!(
        place.json("out.old/outcomes.json")["results"][0]["mutant"],
        "flip"
    );
    assert_eq!(
        place.json("out/outcomes.json")["results"][0]["mutant"],
        "stuck"
    );
}

#[test]
fn somebody_elses_folder_is_never_taken() {
    let place = Place::with("x.aag", TOGGLE);
    fs::create_dir(place.path("photos")).unwrap();
    fs::write(place.path("photos/cat.jpg"), "miaow").unwrap();
    let (model, photos) = (place.arg("x.aag"), place.arg("photos"));
    hyperkill(["run", &model, "--out", &photos]).expect(ExitCode::Usage);
    hyperkill(["run", &model, "--out", &model]).expect(ExitCode::Usage);
    assert_eq!(fs::read(place.path("photos/cat.jpg")).unwrap(), b"miaow");
    assert_eq!(fs::read_dir(place.path("")).unwrap().count(), 2);
}

#[test]
fn show_tells_everything_about_a_mutant() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let outcomes = place.json("out/outcomes.json");
    let results = outcomes["results"].as_array().unwrap();
    let shown = |verdict: &str| {
        let result = results.iter().find(|r| r["verdict"] == verdict).unwrap();
        let id = result["mutant"].as_str().unwrap();
        hyperkill(["show", id, &out])
            .expect(ExitCode::Success)
            .text()
    };
    let killed = shown("killed");
    for part in [
        "@@",
        "killed: definite",
        "step",
        "│",
        "◄ differs",
        "found by",
    ] {
        assert!(killed.contains(part), "{part} is not in\n{killed}");
    }
    let equivalent = shown("equivalent");
    assert!(equivalent.contains("k-induction of phi1"), "{equivalent}");
    assert!(shown("invalid").contains("invalid: "));
    assert!(shown("duplicate-of").contains("duplicate-of: m-"));
    hyperkill(["show", "m-none", &out]).expect(ExitCode::Usage);
    hyperkill(["show", "m-none", &place.arg("nowhere")]).expect(ExitCode::Usage);
}

#[test]
fn status_counts_what_the_journal_has_even_if_its_last_line_is_cut() {
    let place = Place::with("x.aag", TOGGLE);
    let (model, out) = (place.arg("x.aag"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "--accept", "unknown"]).expect(ExitCode::Success);
    let status = || hyperkill(["status", &out, "--format", "json"]).expect(ExitCode::Success);
    let all = status().json();
    assert_eq!(all["state"], "finished");
    assert_eq!(all["decided"], 4);
    let journal = fs::read(place.path("out/journal.jsonl")).unwrap();
    fs::write(
        place.path("out/journal.jsonl"),
        &journal[..journal.len() - 5],
    )
    .unwrap();
    assert_eq!(status().json()["decided"], 3);
    assert!(hyperkill(["status", &out]).text().contains("3 of 4"));
}

#[test]
fn check_writes_a_folder_only_if_asked() {
    let place = Place::with("x.aag", TOGGLE);
    let (model, out) = (place.arg("x.aag"), place.arg("out"));
    hyperkill(["check", &model]).expect(ExitCode::Success);
    assert!(!place.path("out").exists());
    hyperkill(["check", &model, "-o", &out]).expect(ExitCode::Success);
    let stimulus = fs::read_to_string(place.path("out/tests/t-001.stim")).unwrap();
    let (vectors, end) = stimulus.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(end, ".");
    assert!(
        vectors.lines().all(|line| line.len() == 2),
        "one bit per input: {stimulus}"
    );
    assert!(
        hyperkill(["show", "flip", &out])
            .text()
            .contains("◄ differs")
    );
}
