//! Run folders: their contents, and the output of `show` and `status`.

use std::fs;

use clap::CommandFactory;
use hyperkill::ExitCode;
use hyperkill::args::Cli;
use serde_json::Value;

use crate::support::{LOCK, Place, TOGGLE, contents, hyperkill};

#[test]
fn the_status_of_an_interrupted_run_says_why_mutants_are_open() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let mut lock = place.json("out/lock.json");
    lock["state"] = serde_json::json!("interrupted");
    std::fs::write(place.path("out/lock.json"), lock.to_string()).unwrap();
    let journal = std::fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let first: Vec<&str> = journal.split_inclusive('\n').take(3).collect();
    std::fs::write(place.path("out/journal.jsonl"), first.concat()).unwrap();
    let ran = hyperkill(["status", &out]).expect(ExitCode::Success);
    let text = ran.text();
    let unknown = text.lines().find(|line| line.contains("unknown"));
    assert!(
        unknown.is_some_and(|line| line.contains("interrupted")),
        "{text}"
    );
    assert!(!text.contains('?'), "{text}");
}

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
        "report.html",
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
fn commands_about_a_run_take_its_folder_alike() {
    let root = Cli::command();
    let nothing = tempfile::tempdir().unwrap();
    let folder = nothing.path().to_string_lossy().into_owned();
    let missing = nothing.path().join("x").to_string_lossy().into_owned();
    for (command, more) in [
        ("show", &["m-1"][..]),
        ("status", &[]),
        ("certify", &[]),
        ("export", &["--to", "vcd", "--out", "x"]),
    ] {
        let positionals = root.find_subcommand(command).unwrap().get_positionals();
        let mut folders = positionals.filter(|arg| arg.get_id() == "dir");
        let folder_of = folders.next().unwrap();
        assert_eq!(folder_of.get_default_values(), ["hyperkill.out"]);
        assert!(!folder_of.is_required_set(), "{command}");
        for folder in [&folder, &missing] {
            let args = [command].into_iter().chain(more.iter().copied());
            let ran = hyperkill(args.chain([folder.as_str()])).expect(ExitCode::Usage);
            let text = format!("error: {folder} is not a run folder\n");
            assert!(ran.stderr.starts_with(&text), "{command}: {ran:?}");
        }
    }
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
fn files_that_no_run_wrote_stay_where_they_are_over_any_number_of_runs() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let run = |sample: &str| {
        let ran = hyperkill(["run", &model, "--out", &out, "--sample", sample]);
        ran.expect(ExitCode::Success)
    };
    run("5");
    let mine = [
        "notes.txt",
        "tests/mine.txt",
        "diffs/kept/a",
        "bench/testbench.v",
    ];
    for folder in ["out", "out.old"] {
        for name in mine {
            let file = place.path(&format!("{folder}/{name}"));
            if folder == "out" {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, name).unwrap();
            }
        }
    }
    let first = contents(&place.path("out"));
    let said = run("6");
    assert!(said.stderr.contains("no run wrote it"), "{}", said.stderr);
    assert!(said.stderr.contains("and 3 more"), "{}", said.stderr);
    let is_mine =
        |name: &std::path::Path| mine.iter().any(|mine| name == std::path::Path::new(mine));
    // The old folder has exactly the files of the first run.
    let mut of_first = first.clone();
    of_first.retain(|name, _| !is_mine(name));
    assert_eq!(contents(&place.path("out.old")), of_first);
    // A foreign file is added there.
    fs::write(place.path("out.old/also mine"), "x").unwrap();
    for sample in ["7", "8", "9"] {
        let before = contents(&place.path("out"));
        let args = ["run", &model, "--out", &out, "--sample", sample, "--force"];
        hyperkill(args).expect(ExitCode::Success);
        let now = contents(&place.path("out"));
        for name in mine {
            assert_eq!(now[std::path::Path::new(name)], name.as_bytes());
        }
        assert_eq!(now.len(), {
            let fresh = place.arg("fresh");
            let args = [
                "run", &model, "--out", &fresh, "--sample", sample, "--force",
            ];
            hyperkill(args).expect(ExitCode::Success);
            contents(&place.path("fresh")).len() + mine.len()
        });
        let mut old = contents(&place.path("out.old"));
        assert_eq!(old.remove(std::path::Path::new("also mine")).unwrap(), b"x");
        let mut expected = before;
        expected.retain(|name, _| !is_mine(name));
        assert_eq!(old, expected);
        hyperkill(["certify", &out]).expect(ExitCode::Success);
    }
}

#[test]
fn a_folder_with_somebody_elses_lock_is_never_taken() {
    let place = Place::with("x.aag", TOGGLE);
    let (model, theirs) = (place.arg("x.aag"), place.arg("project"));
    for (name, text) in [
        ("lock.json", "{}"),
        ("lock.json", "{\"schema\": \"npm\", \"pid\": 1}"),
        ("mutants.json", "[]"),
    ] {
        let _ = fs::remove_dir_all(&theirs);
        fs::create_dir(&theirs).unwrap();
        fs::write(place.path("project").join(name), text).unwrap();
        let ran = hyperkill(["run", &model, "--out", &theirs]).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("left alone"), "{ran:?}");
        assert_eq!(contents(&place.path("project")).len(), 1);
        // A run does not take or delete such a folder at `out.old` either.
        hyperkill(["run", &model, "--out", &place.arg("out")]).expect(ExitCode::Success);
        fs::rename(&theirs, place.path("out.old")).unwrap();
        hyperkill(["run", &model, "--out", &place.arg("out")]).expect(ExitCode::Usage);
        fs::rename(place.path("out.old"), &theirs).unwrap();
        fs::remove_dir_all(place.path("out")).unwrap();
    }
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

#[test]
fn the_status_of_a_run_that_goes_on_counts_everybody_as_the_run_does() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    let status = || {
        let ran = hyperkill(["status", &out, "--format", "json"]);
        ran.expect(ExitCode::Success).json()["summary"].clone()
    };
    let summary = place.json("out/outcomes.json")["summary"].clone();
    assert_eq!(status(), summary);
    // At any time the score is a range: open mutants may be killed or not.
    let bounds = |summary: &Value| {
        let certain = &summary["score"]["certain"];
        ["low", "high"].map(|side| certain[side].as_f64().unwrap())
    };
    let [score, _] = bounds(&summary);
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    for count in 0..lines.len() {
        fs::write(place.path("out/journal.jsonl"), lines[..count].concat()).unwrap();
        let now = status();
        assert_eq!(now["mutants"], summary["mutants"]);
        assert_eq!(now["unknown"], lines.len() - count, "{now}");
        let [low, high] = bounds(&now);
        assert!(
            low <= score && score <= high,
            "{score} after {count}: {now}"
        );
        assert!(count > 0 || (low == 0.0 && high == 100.0), "{now}");
    }
}
