//! `--memory`: a mutant that exceeds the limit is undecided, with the reason.

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{LOCK, Place, TOGGLE, hyperkill};

fn check(place: &Place, memory: &str, more: &[&str]) -> crate::support::Ran {
    let file = place.arg("x.aag");
    let args = ["check", &file, "--format", "json", "--memory", memory];
    hyperkill(args.into_iter().chain(more.iter().copied()))
}

#[test]
fn mutants_that_do_not_fit_are_unknown_for_want_of_memory() {
    let place = Place::with("x.aag", TOGGLE);
    // The process itself uses more.
    let report = check(&place, "1K", &[]).expect(ExitCode::Undecided).json();
    let results = report["results"].as_array().unwrap();
    let open: Vec<&Value> = results
        .iter()
        .filter(|r| r["verdict"] == "unknown")
        .collect();
    assert!(!open.is_empty(), "{report}");
    assert!(
        open.iter().all(|result| result["reason"] == "memory"),
        "{report}"
    );
    check(&place, "1K", &["--accept", "unknown"]).expect(ExitCode::Success);
}

#[test]
fn enough_memory_changes_no_byte() {
    let place = Place::with("x.aag", TOGGLE);
    let free = check(&place, "none", &[]).expect(ExitCode::Success);
    let enough = check(&place, "1000G", &[]).expect(ExitCode::Success);
    assert_eq!(free.text(), enough.text());
}

#[test]
fn plain_safety_is_limited_too() {
    let place = Place::with("x.aag", "aag 3 1 1 0 1 1\n2\n4 6\n4\n6 5 3\n");
    let report = check(&place, "1K", &[]).expect(ExitCode::Undecided).json();
    assert_eq!(report["results"][0]["reason"], "memory", "{report}");
    check(&place, "1000G", &[]).expect(ExitCode::Failed);
}

#[test]
fn a_run_without_memory_writes_its_folder() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let run = hyperkill(["run", &model, "--out", &out, "--memory", "1K"]);
    let run = run.expect(ExitCode::Undecided);
    assert!(run.text().contains("memory"), "{}", run.text());
    let document = place.json("out/outcomes.json");
    let results = document["results"].as_array().unwrap();
    let open: Vec<&Value> = results
        .iter()
        .filter(|r| r["verdict"] == "unknown")
        .collect();
    // A kill by simulation needs no solver.
    assert!(!open.is_empty(), "{document}");
    assert!(
        open.iter().all(|result| result["reason"] == "memory"),
        "{document}"
    );
    hyperkill(["certify", &out, "--model", &model]).expect(ExitCode::Success);
}

#[test]
fn sizes_are_explained_to_those_who_mistype_them() {
    let place = Place::with("x.aag", TOGGLE);
    let ran = check(&place, "much", &[]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("`512M`"), "{}", ran.stderr);
    let ran = check(&place, "1", &[]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("`1G`"), "{}", ran.stderr);
}

#[test]
fn absurd_numbers_in_the_file_beside_a_model_are_errors_that_name_it() {
    let place = Place::with("lock.smv", LOCK);
    let model = place.arg("lock.smv");
    for (text, option, advice) in [
        ("jobs = 100000000", "--jobs", "at most 1024"),
        ("memory = 1", "--memory", "`1G`"),
    ] {
        std::fs::write(place.path("hyperkill.toml"), text).unwrap();
        let ran = hyperkill(["run", &model, "--out", &place.arg("out")]).expect(ExitCode::Usage);
        for part in ["hyperkill.toml", option, advice] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert!(!place.path("out").exists());
    }
    let ran = hyperkill(["list", &model, "--jobs", "1025"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("at most 1024"), "{}", ran.stderr);
}
