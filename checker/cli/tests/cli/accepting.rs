//! `--accept-file`: accepted mutants count neither for the gate nor for the exit status; all others count.

use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{DRINKS, Place, Ran, contents, hyperkill};

/// A run with undecided mutants, and with mutants that are only killed potentially.
fn place() -> Place {
    Place::with("drinks.smv", DRINKS)
}

fn run(place: &Place, out: &str, more: &[&str]) -> Ran {
    let (model, out) = (place.arg("drinks.smv"), place.arg(out));
    let args = [
        "run", &model, "-o", &out, "--bound", "2", "--tests", "local", "--force",
    ];
    hyperkill(args.iter().chain(more))
}

/// The open mutants as `show` prints them. These lines can serve as a baseline.
fn open(place: &Place, out: &str) -> String {
    let args = ["show", &place.arg(out), "-q", "-q", "--verdict"];
    let args = args.iter().chain(&["survived"]);
    hyperkill(args).expect(ExitCode::Success).text()
}

fn write(place: &Place, text: &str) -> String {
    fs::write(place.path("known.txt"), text).unwrap();
    place.arg("known.txt")
}

#[test]
fn a_run_whose_open_mutants_are_all_accepted_passes_every_gate_and_no_other_does() {
    let place = place();
    run(&place, "out", &[]).expect(ExitCode::Undecided);
    run(&place, "out", &["--fail-under", "100"]).expect(ExitCode::Failed);
    let open = open(&place, "out");
    let lines: Vec<&str> = open.lines().collect();
    assert!(lines.len() > 3, "{open}");
    let all = write(&place, &format!("# all of them\n{open}\n"));
    let ran = run(
        &place,
        "out",
        &["--accept-file", &all, "--fail-under", "100"],
    );
    let ran = ran.expect(ExitCode::Success);
    let said = format!("{} open mutants accepted", lines.len());
    assert!(ran.stderr.contains(&said), "{ran:?}");
    // Every entry is needed.
    for left_out in 0..lines.len() {
        let mut others = lines.clone();
        others.remove(left_out);
        let file = write(&place, &others.join("\n"));
        let ran = run(
            &place,
            "out",
            &["--accept-file", &file, "--fail-under", "100"],
        );
        ran.expect(ExitCode::Failed);
    }
    // The documents do not depend on accepted mutants.
    run(&place, "plain", &[]).expect(ExitCode::Undecided);
    for name in ["outcomes.json", "suite.json", "mutants.json"] {
        let read = |out: &str| fs::read(place.path(out).join(name)).unwrap();
        assert!(read("out") == read("plain"), "{name}");
    }
}

#[test]
fn what_is_killed_or_gone_need_not_be_accepted_and_is_named() {
    let place = place();
    run(&place, "out", &[]).expect(ExitCode::Undecided);
    let killed = [
        "show",
        &place.arg("out"),
        "--verdict",
        "definite",
        "--format",
        "json",
    ];
    let killed = hyperkill(killed).expect(ExitCode::Success).json();
    let killed = killed["mutants"][0]["mutant"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = write(
        &place,
        &format!("{killed} once open\nm-0000000000 of an old line\n"),
    );
    let ran = run(
        &place,
        "out",
        &["--accept-file", &file, "--fail-under", "100"],
    );
    let ran = ran.expect(ExitCode::Failed);
    for id in [&killed, "m-0000000000"] {
        assert!(ran.stderr.contains(id), "{ran:?}");
    }
    assert!(ran.stderr.contains("0 open mutants accepted"), "{ran:?}");
    // Entries outside of the selection may still be needed.
    let others = ["--accept-file", &file, "--exclude", &killed];
    let ran = run(&place, "out", &others).expect(ExitCode::Undecided);
    assert!(!ran.stderr.contains(&killed), "{ran:?}");
    let twice = write(&place, "m-1\nm-1\n");
    let ran = run(&place, "out", &["--accept-file", &twice]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("known.txt:2"), "{ran:?}");
    run(&place, "out", &["--accept-file", &place.arg("nowhere")]).expect(ExitCode::Usage);
}

#[test]
fn reports_show_what_is_accepted_and_the_folder_needs_no_file_for_that() {
    let place = place();
    run(&place, "out", &[]).expect(ExitCode::Undecided);
    let open = open(&place, "out");
    let first = open.split_whitespace().next().unwrap();
    let file = write(&place, &format!("{first} hidden by the filter\n"));
    run(&place, "out", &["--accept-file", &file]).expect(ExitCode::Undecided);
    let page = fs::read(place.path("out/report.html")).unwrap();
    fs::remove_file(file).unwrap();
    hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Undecided);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    hyperkill(["report", &place.arg("out"), "-o", &place.arg("public")]).expect(ExitCode::Success);
    assert!(contents(&place.path("public"))[std::path::Path::new("report.html")] == page);
    let report = place.json("public/report.json");
    let mutants = report["files"]["drinks.smv"]["mutants"].as_array().unwrap();
    let accepted: Vec<&Value> = mutants.iter().filter(|m| m["id"] == *first).collect();
    assert_eq!(accepted[0]["status"], "Ignored");
    let reason = accepted[0]["statusReason"].as_str().unwrap();
    assert!(
        reason.starts_with("accepted (hidden by the filter): "),
        "{reason}"
    );
    let said = ["report", &place.arg("out"), "--annotate", "github"];
    let said = hyperkill(said).expect(ExitCode::Success).text();
    assert_eq!(said.lines().count(), open.lines().count() - 1);
    assert!(!said.contains(first), "{said}");
}
