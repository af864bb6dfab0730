//! Models with states that have no successor, or none for some input.

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill};

/// Counts up on request, cannot count down from 0, and has no successor of 3.
const COUNTER: &str = "\
MODULE main
VAR x : 0..3;
IVAR up : boolean;
INIT x = 0
TRANS x < 3 & (up -> next(x) = x + 1)
TRANS !up -> next(x) = x - 1
";

#[test]
fn a_deadlock_is_shown_as_a_run_by_names_and_values() {
    let place = Place::with("counter.smv", COUNTER);
    let file = place.arg("counter.smv");
    let ran = hyperkill(["verify", "--totality", &file]);
    let errors = ran.expect(ExitCode::Failed).stderr.clone();
    for part in [
        "counter.smv:5:1",
        "a state can be reached that no step leaves",
        "step 0: x = 0, up = TRUE, next.x = 1",
        "step 3: x = 3",
        "refuses the input up = FALSE",
    ] {
        assert!(errors.contains(part), "{part} is not in\n{errors}");
    }
    let ran = hyperkill(["verify", "--totality", &file, "--format", "json"]);
    let report = ran.expect(ExitCode::Failed).json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results[0]["property"], "deadlock-free");
    assert_eq!(results[0]["steps"], 3);
    assert_eq!(results[0]["run"][3]["x"], 3);
    assert_eq!(results[1]["property"], "input-enabled");
    assert_eq!(results[1]["refused"]["up"], "FALSE");
}

#[test]
fn a_model_of_assignments_is_total() {
    let place = Place::with(
        "plain.smv",
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := !x;\n",
    );
    let ran = hyperkill(["verify", "--totality", &place.arg("plain.smv")]);
    ran.expect(ExitCode::Success);
}

#[test]
fn a_run_warns_of_a_deadlock_and_a_completed_one_has_none() {
    let place = Place::with("counter.smv", COUNTER);
    let file = place.arg("counter.smv");
    let warning = "no step leaves";
    let out = place.arg("plain.out");
    let ran = hyperkill(["run", &file, "-o", &out]);
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let out = place.arg("complete.out");
    let ran = hyperkill(["run", &file, "--complete", "-o", &out, "--format", "json"]);
    assert!(!ran.stderr.contains(warning), "{}", ran.stderr);
    let outcomes = ran.expect(ExitCode::Success).json();
    let results = outcomes["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_ne!(result["verdict"], "refuses-input", "{result}");
        assert_ne!(result["input_enabled"], false, "{result}");
    }
    let shown = results.iter().find_map(|result| {
        let steps = result["test"]["steps"].as_array()?;
        steps.first()?["outputs"].get("hyperkill-ignored").cloned()
    });
    assert!(shown.is_some());
    hyperkill(["certify", &out, "--model", &file]).expect(ExitCode::Success);
}

#[test]
fn a_mutant_without_an_initial_state_is_invalid() {
    let place = Place::with(
        "model.smv",
        "MODULE main\nVAR x : 0..3;\nINIT x = 0\nINVAR x < 1\nTRANS next(x) = x\n",
    );
    let ran = hyperkill(["list", &place.arg("model.smv"), "--format", "json"]);
    let table = ran.expect(ExitCode::Success).json();
    let mutants = table["mutants"].as_array().unwrap();
    let reason = |text: &str| {
        let is_it = |m: &&serde_json::Value| m["replacement"] == text;
        mutants.iter().find(is_it).unwrap()["reason"].clone()
    };
    assert_eq!(reason("x > 1"), "it has no initial state");
    assert_eq!(reason("x <= 1"), serde_json::Value::Null);
}
