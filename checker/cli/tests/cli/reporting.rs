//! `report`, and the HTML page of every run.

use std::collections::BTreeMap;
use std::fs;

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::support::{DRINKS, LOCK, Place, TOGGLE, contents, hyperkill, hyperkill_on};
use crate::timed::DOOR;

/// A run of a model, and its mutation testing report.
fn reported(name: &str, text: &str, options: &[&str]) -> (Place, Value) {
    let place = Place::with(name, text);
    let (model, out) = (place.arg(name), place.arg("out"));
    let run = ["run", &model, "-o", &out, "--accept", "unknown"];
    hyperkill(run.iter().chain(options)).expect(ExitCode::Success);
    hyperkill(["report", &out, "-o", &place.arg("public")]).expect(ExitCode::Success);
    let report = place.json("public/report.json");
    (place, report)
}

/// All mutants of a report.
fn mutants(report: &Value) -> Vec<&Value> {
    let files = report["files"].as_object().unwrap().values();
    let mutants = files.flat_map(|file| file["mutants"].as_array().unwrap());
    mutants.collect()
}

#[test]
fn a_report_counts_what_the_run_has_found_in_models_of_every_kind() {
    for (name, text, options) in [
        ("lock.smv", LOCK, &["--bound", "2"][..]),
        ("drinks.smv", DRINKS, &["--tests", "tree"]),
        ("x.aag", TOGGLE, &["--nd", "mood"]),
        ("door.tfsm", DOOR, &[]),
    ] {
        let (place, report) = reported(name, text, options);
        let summary = &place.json("out/outcomes.json")["summary"];
        let number = |field: &str| summary[field].as_u64().unwrap() as usize;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for mutant in mutants(&report) {
            *counts
                .entry(mutant["status"].as_str().unwrap())
                .or_default() += 1;
        }
        let count = |status: &str| counts.get(status).copied().unwrap_or(0);
        assert_eq!(mutants(&report).len(), number("mutants"), "{name}");
        let certain = number("killed_definite") + number("killed_adaptive");
        assert_eq!(count("Killed"), certain, "{name}");
        assert_eq!(count("Pending"), number("unknown"), "{name}");
        assert_eq!(count("CompileError"), number("invalid"), "{name}");
        let proved = number("equivalent") + number("duplicate");
        assert_eq!(count("Ignored"), proved, "{name}");
        let files: Vec<&String> = report["files"].as_object().unwrap().keys().collect();
        match name.ends_with(".aag") {
            true => assert_eq!(files, ["x.aag (mutants)"]),
            // The location of every mutant is its text in the source.
            false => assert_eq!(
                (files, &report["files"][name]["source"]),
                (vec![&name.to_owned()], &Value::from(text))
            ),
        }
    }
}

#[test]
fn the_page_of_a_run_is_the_page_of_its_report_and_reports_leave_the_folder_alone() {
    let (place, _) = reported("drinks.smv", DRINKS, &[]);
    let page = fs::read(place.path("out/report.html")).unwrap();
    assert!(fs::read(place.path("public/report.html")).unwrap() == page);
    let before = contents(&place.path("out"));
    let ran = hyperkill(["report", &place.arg("out"), "-o", &place.arg("again")]);
    let ran = ran.expect(ExitCode::Success);
    for name in ["report.html", "report.json", "junit.xml"] {
        assert!(ran.stderr.contains(name), "{ran:?}");
    }
    assert!(contents(&place.path("out")) == before);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    assert!(contents(&place.path("again")) == contents(&place.path("public")));
}

#[test]
fn a_run_that_was_killed_has_a_report_of_what_it_has_decided() {
    let (place, whole) = reported("lock.smv", LOCK, &[]);
    for name in [
        "outcomes.json",
        "suite.json",
        "digests.json",
        "timings.json",
        "report.html",
    ] {
        fs::remove_file(place.path("out").join(name)).unwrap();
    }
    let lock = fs::read_to_string(place.path("out/lock.json")).unwrap();
    fs::write(
        place.path("out/lock.json"),
        lock.replace("finished", "running"),
    )
    .unwrap();
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').take(4).collect();
    fs::write(place.path("out/journal.jsonl"), lines.concat()).unwrap();
    hyperkill(["report", &place.arg("out"), "-o", &place.arg("half")]).expect(ExitCode::Success);
    let half = place.json("half/report.json");
    let open = |report: &Value| {
        let mutants = mutants(report);
        let open = mutants
            .iter()
            .filter(|mutant| mutant["status"] == "Pending");
        open.count()
    };
    assert_eq!(open(&whole), 0);
    let invalid = mutants(&half)
        .iter()
        .filter(|m| m["status"] == "CompileError")
        .count();
    assert_eq!(open(&half), mutants(&half).len() - invalid - 4);
    let page = fs::read_to_string(place.path("half/report.html")).unwrap();
    assert!(page.contains("the run goes on, or was killed"));
}

#[test]
fn annotations_go_to_standard_output_and_nothing_is_written() {
    let (place, report) = reported("drinks.smv", DRINKS, &["--bound", "2"]);
    let open = mutants(&report);
    let open = open
        .iter()
        .filter(|m| ["Survived", "Pending"].iter().any(|s| m["status"] == *s));
    let open = open.count();
    assert!(open > 0);
    let before = contents(&place.path(""));
    let said = |what: &str| {
        let args = ["report", &place.arg("out"), "--annotate", what];
        hyperkill(args).expect(ExitCode::Success)
    };
    assert_eq!(said("github").text().lines().count(), open);
    assert_eq!(said("gitlab").json().as_array().unwrap().len(), open);
    assert_eq!(
        said("sarif").json()["runs"][0]["results"]
            .as_array()
            .unwrap()
            .len(),
        open
    );
    assert!(contents(&place.path("")) == before);
    let both = [
        "report",
        &place.arg("out"),
        "--annotate",
        "sarif",
        "-o",
        "x",
    ];
    hyperkill(both).expect(ExitCode::Usage);
}

#[test]
fn what_cannot_be_reported_or_written_is_said_and_nothing_is_lost() {
    let (place, _) = reported("lock.smv", LOCK, &[]);
    let out = place.arg("out");
    let fails = |code: ExitCode, what: &str| {
        let ran = hyperkill(["report", &out, "-o", &place.arg("x")]).expect(code);
        assert!(ran.stderr.contains(what), "{ran:?}");
        assert!(!place.path("x").exists());
    };
    for (name, old, new, code, said) in [
        (
            "outcomes.json",
            "outcomes/1",
            "outcomes/9",
            ExitCode::Usage,
            "hyperkill.outcomes/9",
        ),
        (
            "sources/1-lock.smv",
            "MODULE",
            "MODULO",
            ExitCode::Evidence,
            "sources/1-lock.smv",
        ),
    ] {
        let text = fs::read_to_string(place.path("out").join(name)).unwrap();
        fs::write(place.path("out").join(name), text.replace(old, new)).unwrap();
        fails(code, said);
        fs::write(place.path("out").join(name), text).unwrap();
    }
    hyperkill(["report", &place.arg("public")]).expect(ExitCode::Usage);
    // A report that does not fit on the disk leaves the earlier one unchanged.
    let before = contents(&place.path("public"));
    for room in 0..3 {
        let args = ["report", &out, "-o", &place.arg("public")];
        let ran = hyperkill_on(Disk::with_room_for(room), args, "").expect(ExitCode::Usage);
        assert!(ran.stderr.contains("cannot be written"), "{ran:?}");
        assert!(contents(&place.path("public")) == before, "{room}");
    }
}
