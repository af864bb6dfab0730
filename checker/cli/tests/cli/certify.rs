//! `certify`: evidence of real runs checks, and foreign evidence does not.

use std::fs;
use std::path::{Path, PathBuf};

use hyperkill::ExitCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{DRINKS, LOCK, Place, TOGGLE, contents, hyperkill};

/// A circuit with a constraint that choices differ. One mutant refuses a step of the model, and one accepts more.
pub(crate) const CONSTRAINED: &str = "\
aag 13 2 4 1 7 0 1
2
4
6 2
8 8 8
10 10 10
12 12 12
24
27
14 4 2
16 10 4
18 8 3
20 19 17
22 15 9
24 6 7
26 14 13
i0 press
i1 nd:mood
l0 state
l1 mut:one
l2 mut:two
l3 mut:three
o0 lamp
";

/// The path of a model of the test suite.
pub(crate) fn model(name: &str) -> PathBuf {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/smv");
    models.join(name).join("model.smv")
}

/// Runs a model into `out` with these options, and returns the arguments that certify the run.
pub(crate) fn run(place: &Place, model: &Path, options: &[&str]) -> Vec<String> {
    let (model, out) = (model.to_string_lossy().into_owned(), place.arg("out"));
    let args = [
        "run", &model, "--out", &out, "-q", "-q", "--accept", "unknown",
    ];
    hyperkill(args.iter().chain(options)).expect(ExitCode::Success);
    vec!["certify".into(), out, "--model".into(), model]
}

fn checked(report: &Value, what: &str) -> u64 {
    let mut all = report["checked"].as_array().unwrap().iter();
    all.find(|checked| checked["what"] == what)
        .map_or(0, |checked| checked["count"].as_u64().unwrap())
}

#[test]
fn the_evidence_of_every_kind_of_run_checks() {
    let kinds: [&[&str]; 6] = [
        &["--tests", "tree"],
        &["--tests", "local", "--property", "phi3"],
        &["--tests", "global"],
        &["--tests", "global", "--controllable-nd"],
        &["--property", "phi1", "--no-minimise"],
        &["--engine", "simulation,bmc,induction,pdr,exists-forall"],
    ];
    for model in ["beverage", "traffic-light", "car-alarm", "elevator"].map(model) {
        // Larger models run only once.
        let is_small = model.to_string_lossy().contains("beverage");
        for options in kinds.iter().take(if is_small { kinds.len() } else { 1 }) {
            let place = Place::with("nothing", "");
            let mut args = run(&place, &model, options);
            args.extend(["--format".to_owned(), "json".to_owned()]);
            let report = hyperkill(&args).expect(ExitCode::Success).json();
            assert_eq!(report["faults"], json!([]));
            assert_eq!(report["open"], json!([]));
            let outcomes = place.json("out/outcomes.json");
            let results = outcomes["results"].as_array().unwrap();
            let equivalent = results.iter().filter(|r| r["verdict"] == "equivalent");
            assert_eq!(checked(&report, "equivalent"), equivalent.count() as u64);
            let tests = place.json("out/suite.json")["tests"]
                .as_array()
                .unwrap()
                .len();
            assert_eq!(checked(&report, "test"), tests as u64);
            println!("{} {options:?}: {} results", model.display(), results.len());
        }
    }
}

#[test]
fn circuits_and_their_constraints_are_certified_too() {
    for (text, options) in [
        (TOGGLE, &[][..]),
        (TOGGLE, &["--controllable-nd"]),
        (CONSTRAINED, &[]),
        (CONSTRAINED, &["--property", "phi3", "--tests", "local"]),
    ] {
        let place = Place::with("x.aag", text);
        let args = run(&place, &place.path("x.aag"), options);
        let ran = hyperkill(&args).expect(ExitCode::Success);
        assert!(ran.text().contains("all evidence checks"), "{}", ran.text());
    }
}

#[test]
fn a_certificate_is_about_the_file_that_translate_writes() {
    let place = Place::with("lock.smv", LOCK);
    run(&place, &place.path("lock.smv"), &[]);
    hyperkill([
        "translate",
        &place.arg("lock.smv"),
        "-o",
        &place.arg("lock.aig"),
    ])
    .expect(ExitCode::Success);
    let file = fs::read(place.path("lock.aig")).unwrap();
    let comment = file
        .windows(3)
        .rposition(|bytes| bytes == b"\nc\n")
        .unwrap();
    let digits = Sha256::digest(&file[..=comment]);
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut certificates = 0;
    for (name, bytes) in contents(&place.path("out/certificates")) {
        let certificate: Value = serde_json::from_slice(&bytes).unwrap();
        let name = name.display();
        assert_eq!(certificate["circuit"], format!("sha256:{digits}"), "{name}");
        certificates += 1;
    }
    assert!(certificates > 10);
}

#[test]
fn a_proof_on_disk_is_read_easily() {
    let place = Place::with("x.aag", TOGGLE);
    run(
        &place,
        &place.path("x.aag"),
        &["--mutant", "same", "--engine", "induction"],
    );
    let certificate = place.json("out/certificates/same.json");
    let same = |node: Value| json!({ "same": { "copies": [0, 1], "node": node } });
    let expected = json!({
        "schema": "hyperkill.certificate/2",
        "circuit": "sha256:e7e2a8b8269f7ae2a38ae325197301e72323c765d5648673add7c86d68bcea4f",
        "claim": "equivalent",
        "mutants": ["same"],
        "evidence": { "proof": {
            "question": { "pair": "phi1" },
            "k": 1,
            "simple_path": false,
            "facts": [
                same(json!({ "at": 3, "name": "state" })),
                same(json!({ "at": 12 })),
                same(json!({ "at": 14 })),
                same(json!({ "at": 16 })),
            ],
        } },
    });
    assert_eq!(certificate, expected);
    let outcomes = place.json("out/outcomes.json");
    let named = &outcomes["results"][0]["certificate"];
    assert_eq!(named, "certificates/same.json");
}

#[test]
fn the_model_may_have_moved_but_not_changed() {
    let place = Place::with("lock.smv", LOCK);
    let args = run(&place, &place.path("lock.smv"), &[]);
    let out = place.arg("out");
    // The record has the relative path from the run folder to the file.
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let written = place.json("out/mutants.json");
    assert_eq!(written["reading"]["files"], json!(["lock.smv"]));
    assert_eq!(written["reading"]["places"], json!(["../lock.smv"]));
    fs::rename(place.path("lock.smv"), place.path("moved.txt")).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let moved = place.arg("moved.txt");
    hyperkill(["certify", &out, "--model", &moved]).expect(ExitCode::Success);
    let lost = hyperkill(["certify", &out, "--model", &place.arg("lock.smv")]);
    let lost = lost.expect(ExitCode::Usage);
    assert!(lost.stderr.contains("is not there"), "{}", lost.stderr);
    fs::write(
        place.path("lock.smv"),
        LOCK.replace("last := 3", "last := 2"),
    )
    .unwrap();
    let changed = hyperkill(&args).expect(ExitCode::Usage);
    assert!(changed.stderr.contains("has changed"), "{}", changed.stderr);
}

#[test]
fn a_folder_without_a_finished_run_is_a_usage_error() {
    let place = Place::with("lock.smv", LOCK);
    fs::create_dir(place.path("empty")).unwrap();
    hyperkill(["certify", &place.arg("empty")]).expect(ExitCode::Usage);
    hyperkill(["certify", &place.arg("nowhere")]).expect(ExitCode::Usage);
}

#[test]
fn what_there_is_no_time_for_is_open() {
    let place = Place::with("drinks.smv", DRINKS);
    let mut args = run(&place, &place.path("drinks.smv"), &[]);
    args.extend(["--timeout".to_owned(), "0s".to_owned()]);
    let ran = hyperkill(&args).expect(ExitCode::Undecided);
    assert!(ran.text().contains("not checked"), "{}", ran.text());
}

#[test]
fn proofs_are_written_as_safety_problems_with_witness_circuits() {
    let place = Place::with("unused", "");
    let mut args = run(&place, &model("beverage"), &[]);
    let circuits = place.arg("circuits");
    args.extend(["--hwmcc".into(), circuits, "--format".into(), "json".into()]);
    let report = hyperkill(&args).expect(ExitCode::Success).json();
    let written = report["circuits"]["written"].as_u64().unwrap();
    let files = crate::support::contents(&place.path("circuits"));
    assert!(written >= 1, "{report}");
    assert_eq!(files.len() as u64, 2 * written);
    for (name, bytes) in files {
        // Both circuits are safe, the witness by one induction step. This test does not check that.
        let file = place.path("circuits").join(&name);
        let file = file.to_string_lossy();
        hyperkill(["check", &file, "-q"]).expect(ExitCode::Success);
        let name = name.to_string_lossy();
        if let Some(stem) = name.strip_suffix(".witness.aig") {
            let comment = format!("WITNESS b0 {stem}.model.aig");
            assert!(String::from_utf8_lossy(&bytes).contains(&comment), "{name}");
        }
    }
    // Without the option the report has no circuits.
    args.retain(|arg| arg != "--hwmcc" && !arg.ends_with("circuits"));
    let report = hyperkill(&args).expect(ExitCode::Success).json();
    assert_eq!(report["circuits"], Value::Null);
}

#[test]
fn a_run_that_was_killed_before_all_was_written_is_unfinished() {
    let place = Place::with("lock.smv", LOCK);
    let args = run(&place, &place.path("lock.smv"), &[]);
    let lock = place.path("out/lock.json");
    let finished = fs::read_to_string(&lock).unwrap();
    let written = [
        "digests.json",
        "timings.json",
        "outcomes.json",
        "suite.json",
    ];
    for state in ["running", "failed"] {
        let again = run(&place, &place.path("lock.smv"), &[]);
        let text = fs::read_to_string(&lock).unwrap();
        fs::write(&lock, text.replace("finished", state)).unwrap();
        // The reverse of the order in which they are written.
        for name in written {
            fs::remove_file(place.path("out").join(name)).unwrap();
            let ran = hyperkill(&again).expect(ExitCode::Usage);
            assert!(ran.stderr.contains("finished"), "{name}: {}", ran.stderr);
        }
    }
    // A run that claims to be finished must be complete.
    let again = run(&place, &place.path("lock.smv"), &[]);
    assert_ne!(fs::read_to_string(&lock).unwrap(), finished);
    fs::remove_file(place.path("out/digests.json")).unwrap();
    hyperkill(&again).expect(ExitCode::Evidence);
    assert_eq!(args, again);
}

#[test]
fn what_is_not_covered_is_said() {
    let place = Place::with("lock.smv", LOCK);
    let mut args = run(&place, &place.path("lock.smv"), &[]);
    let text = hyperkill(&args).expect(ExitCode::Success).text();
    assert!(text.contains("not covered"), "{text}");
    args.extend(["--format".to_owned(), "json".to_owned()]);
    let report = hyperkill(&args).expect(ExitCode::Success).json();
    let said = report["not_covered"].to_string();
    for word in [
        "seed",
        "found_by",
        "shortest",
        "lock.json",
        "log.txt",
        "timings",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn an_absolute_model_finds_what_it_includes_from_wherever_it_is_certified() {
    let text = "`include \"sub/body.vh\"\n";
    let place = Place::with("model.v", text);
    fs::create_dir(place.path("sub")).unwrap();
    let body =
        "module m(input clk, input a, output reg b);\n always @(posedge clk) b <= ~a;\nendmodule\n";
    fs::write(place.path("sub/body.vh"), body).unwrap();
    run(&place, &place.path("model.v"), &[]);
    let written = place.json("out/mutants.json");
    let files: Vec<&str> = (written["reading"]["sources"].as_array().unwrap().iter())
        .map(|source| source["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["model.v", "body.vh"]);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
}
