//! Verdicts, exit statuses and tests, from the command line to the documents.

use hyperkill::ExitCode;
use serde_json::{Value, json};

use crate::support::{LOCK, Place, SLOW, TOGGLE, hyperkill, hyperkill_with, verdicts};

#[test]
fn check_writes_the_documented_json_in_the_documented_order() {
    let place = Place::with("x.aag", TOGGLE);
    let args = [
        "check",
        &place.arg("x.aag"),
        "--mutant",
        "flip",
        "--format",
        "json",
    ];
    let ran = hyperkill(args).expect(ExitCode::Success);
    let document = ran.json();
    assert_eq!(document["schema"], "hyperkill.check/1");
    assert_eq!(document["model"], "x.aag");
    assert_eq!(document["seed"], 0);
    let result = &document["results"][0];
    assert_eq!(result["mutant"], "flip");
    assert_eq!(result["property"], "phi1");
    assert_eq!(result["verdict"], "killed");
    assert_eq!(result["strength"], "definite");
    assert_eq!(result["steps"], 1);
    assert_eq!(result["replayed"], true);
    assert_eq!(result["input_enabled"], true);
    assert_eq!(result["test"]["kind"], "linear");
    let step = &result["test"]["steps"][0];
    assert_eq!(step["outputs"], json!({"lamp": 0, "never": 0}));
    assert_eq!(step["mutant_outputs"], json!({"lamp": 1, "never": 0}));
    assert_eq!(
        step["inputs"].as_object().unwrap().len(),
        1,
        "choices are no inputs"
    );
    let text = ran.text();
    let keys = [
        "\"mutant\"",
        "\"property\"",
        "\"verdict\"",
        "\"strength\"",
        "\"steps\"",
        "\"engine\"",
        "\"replayed\"",
        "\"input_enabled\"",
        "\"test\"",
        "\"inputs\"",
        "\"outputs\"",
        "\"lamp\"",
        "\"never\"",
        "\"mutant_outputs\"",
    ];
    let places: Vec<usize> = keys.iter().map(|key| text.find(key).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?} in\n{text}");
}

#[test]
fn killed_and_equivalent_both_end_well() {
    let place = Place::with("x.aag", TOGGLE);
    let args = [
        "check",
        &place.arg("x.aag"),
        "--property",
        "phi1",
        "--format",
        "json",
    ];
    let document = hyperkill(args).expect(ExitCode::Success).json();
    let found = verdicts(&document);
    assert_eq!(found["flip"], "killed");
    assert_eq!(found["stuck"], "killed");
    assert_eq!(found["same"], "equivalent");
    let same = &document["results"][2];
    assert_eq!(same["evidence"]["kind"], "k-induction");
    assert!(same.get("test").is_none());
}

#[test]
fn undecided_mutants_mean_exit_status_3_unless_they_are_accepted() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    let args = ["check", &file, "--engine", "simulation", "--format", "json"];
    let ran = hyperkill(args).expect(ExitCode::Undecided);
    let document = ran.json();
    assert_eq!(verdicts(&document)["same"], "unknown");
    assert_eq!(document["results"][2]["reason"], "engines");
    assert_eq!(document["results"][2]["known_to"], 0);
    let score = &document["summary"]["score"]["certain"];
    assert!(score["low"].as_f64() < score["high"].as_f64(), "{score}");
    let accepted = args.into_iter().chain(["--accept", "unknown"]);
    hyperkill(accepted).expect(ExitCode::Success);
}

#[test]
fn a_score_under_the_gate_means_exit_status_2() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    let check = |more: &[&str]| {
        let args = ["check", &file].into_iter().chain(more.iter().copied());
        hyperkill(args)
    };
    // Undecided mutants count as not killed. A failed gate precedes them in the exit status.
    let ran = check(&["--engine", "simulation", "--fail-under", "100"]).expect(ExitCode::Failed);
    assert!(ran.stderr.contains("under 100 %"), "{}", ran.stderr);
    check(&[
        "--fail-under",
        "100",
        "--mutant",
        "flip",
        "--mutant",
        "same",
    ])
    .expect(ExitCode::Success);
    check(&["--fail-under", "100", "--mutant", "same"]).expect(ExitCode::Success);
}

#[test]
fn a_formula_that_is_phi1_is_asked_as_phi1() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    let formula = "exists a. exists b. G (mut[b] & !mut[a] & I[b] = I[a]) & F O[a] != O[b]";
    let by_name = hyperkill(["check", &file, "--property", "phi1", "--format", "json"]);
    let by_text = hyperkill(["check", &file, "--formula", formula, "--format", "json"]);
    std::fs::write(place.path("f.hltl"), formula).unwrap();
    let by_file = hyperkill([
        "check",
        &file,
        "--formula-file",
        &place.arg("f.hltl"),
        "--format",
        "json",
    ]);
    assert_eq!(by_name.text(), by_text.text());
    assert_eq!(by_name.text(), by_file.text());
}

#[test]
fn other_formulas_hold_fail_or_are_refused_with_what_does_not_fit() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    let check = |formula: &str, more: &[&str]| {
        let mut args = vec!["verify", &file, "--formula", formula];
        args.extend(more);
        hyperkill(args)
    };
    let holds = check(
        "forall p. exists q. G !mut[p] -> G (!mut[q] & I[q] = I[p] & O[q] = O[p])",
        &["--mutant", "flip"],
    );
    let holds = holds.expect(ExitCode::Success);
    assert!(holds.text().contains("holds"), "{}", holds.text());
    let refines = "forall p. exists q. G mut[p] -> G (!mut[q] & I[q] = I[p] & O[q] = O[p])";
    let fails = check(refines, &["--mutant", "flip", "--format", "json"]);
    let fails = fails.expect(ExitCode::Failed);
    let report: serde_json::Value = serde_json::from_str(&fails.text()).unwrap();
    assert_eq!(report["schema"], "hyperkill.check/1");
    let result = &report["results"][0];
    assert_eq!(result["verdict"], "fails");
    assert_eq!(result["mutant"], "flip");
    assert_eq!(result["traces"][0]["of"], "mutant");
    check(refines, &["--mutant", "same"]).expect(ExitCode::Success);
    // Both at once: the exit status is the worse one.
    check(refines, &[]).expect(ExitCode::Failed);
    let refused = check("exists a. G (mut[a] & X nobody[a])", &[]);
    let refused = refused.expect(ExitCode::Usage);
    let said = "column 25: the model has no signal `nobody`";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    let refused = check(refines, &["--controllable-nd"]);
    let refused = refused.expect(ExitCode::Usage);
    assert!(
        refused.stderr.contains("--controllable-nd"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_run_sets_aside_what_is_no_mutant_and_says_why() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let document = place.json("out/outcomes.json");
    let results = document["results"].as_array().unwrap();
    let of =
        |word: &str| -> Vec<&Value> { results.iter().filter(|r| r["verdict"] == word).collect() };
    assert!(of("killed").len() > 10);
    assert!(!of("equivalent").is_empty());
    assert!(
        of("invalid")
            .iter()
            .all(|r| !r["reason"].as_str().unwrap().is_empty())
    );
    assert!(!of("invalid").is_empty());
    for duplicate in of("duplicate-of") {
        let of = duplicate["of"].as_str().unwrap();
        assert!(results.iter().any(|r| r["mutant"] == of));
    }
    assert!(of("unknown").is_empty());
    let summary = &document["summary"];
    assert_eq!(summary["mutants"], results.len());
    assert_eq!(summary["invalid"], of("invalid").len());
}

#[test]
fn every_killed_mutant_has_a_test_in_the_suite_and_no_test_is_a_prefix_of_another() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    for minimise in [&["--no-minimise"][..], &[]] {
        let args = ["run", &model, "--out", &out].into_iter();
        hyperkill(args.chain(minimise.iter().copied())).expect(ExitCode::Success);
        let suite = place.json("out/suite.json");
        let tests = suite["tests"].as_array().unwrap();
        let killed_by_suite: Vec<&Value> = tests
            .iter()
            .flat_map(|test| test["kills"].as_array().unwrap())
            .map(|kill| &kill["mutant"])
            .collect();
        let outcomes = place.json("out/outcomes.json");
        for result in outcomes["results"].as_array().unwrap() {
            let is_killed = result["verdict"] == "killed";
            assert_eq!(
                killed_by_suite.contains(&&result["mutant"]),
                is_killed,
                "{result}"
            );
        }
        let steps: Vec<&Vec<Value>> = tests
            .iter()
            .map(|test| test["steps"].as_array().unwrap())
            .collect();
        for (i, a) in steps.iter().enumerate() {
            for (j, b) in steps.iter().enumerate() {
                assert!(
                    i == j || !b.starts_with(a),
                    "test {i} is a prefix of test {j}"
                );
            }
        }
    }
}

#[test]
fn a_translated_model_gets_the_verdicts_of_the_run() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out]).expect(ExitCode::Success);
    let mut by_run = verdicts(&place.json("out/outcomes.json"));
    by_run.retain(|_, verdict| verdict != "invalid");
    for format in ["--ascii", "--binary"] {
        let circuit = hyperkill(["translate", &model, format])
            .expect(ExitCode::Success)
            .stdout;
        let ran = hyperkill_with(["check", "-", "--format", "json"], circuit);
        let document = ran.expect(ExitCode::Success).json();
        assert_eq!(verdicts(&document), by_run);
        let killed = document["results"].as_array().unwrap().iter();
        let killed = killed.filter(|r| r["verdict"] == "killed");
        for result in killed {
            let key = &result["test"]["steps"][0]["inputs"]["key"];
            let key = key.as_str().unwrap();
            assert!(
                ["none", "good", "bad"].contains(&key),
                "values are spelled as in the model"
            );
        }
    }
}

#[test]
fn one_mutant_can_be_translated_alone_behind_the_latch_mut() {
    let place = Place::with("lock.smv", LOCK);
    let model = place.arg("lock.smv");
    let list = hyperkill(["list", &model, "--format", "json"]).json();
    let mutants = list["mutants"].as_array().unwrap();
    let live = mutants.iter().find(|m| m["status"] == "live").unwrap();
    let id = live["id"].as_str().unwrap();
    let circuit = hyperkill(["translate", &model, "--mutant", id, "--ascii"]);
    let circuit = circuit.expect(ExitCode::Success).text();
    assert!(
        circuit.lines().any(|line| line.ends_with(" mut")),
        "{circuit}"
    );
    assert!(!circuit.contains(" mut:"), "{circuit}");
    let document = hyperkill_with(["check", "-", "--format", "json"], circuit).json();
    assert_eq!(document["results"].as_array().unwrap().len(), 1);
    assert_eq!(document["results"][0]["mutant"], "mut");
    let invalid = mutants.iter().find(|m| m["status"] == "invalid").unwrap();
    let id = invalid["id"].as_str().unwrap();
    hyperkill(["translate", &model, "--mutant", id]).expect(ExitCode::Usage);
}

#[test]
fn a_circuit_without_mutants_is_said_to_have_none() {
    let circuit = "aag 3 1 1 1 1\n2\n4 6\n6\n6 5 2\n";
    let ran = hyperkill_with(["check", "-"], circuit).expect(ExitCode::Failed);
    assert!(ran.stderr.contains("no mutants"), "{}", ran.stderr);
    assert_eq!(ran.text(), "o0  fails  run of 1 step\n");
    // A circuit with a choice has outputs to observe, so this output is not a bad state.
    let circuit = "aag 3 1 1 1 1\n2\n4 6\n6\n6 5 2\ni0 nd:x\n";
    let ran = hyperkill_with(["-v", "check", "-"], circuit).expect(ExitCode::Success);
    assert!(
        ran.stderr.contains("1 inputs, 1 latches, 1 gates"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("no mutants"), "{}", ran.stderr);
    let document = hyperkill_with(["check", "-", "--format", "json"], circuit).json();
    assert_eq!(document["results"], json!([]));
}

#[test]
fn roles_can_be_given_for_circuits_of_other_tools() {
    // Without names. `in0` is read by the output; `latch1` keeps its value and is uninitialised.
    let circuit = "aag 5 2 1 1 2\n2\n4\n6 6 6\n10\n8 6 4\n10 9 2\n";
    let args = [
        "check", "-", "--mut", "latch0", "--nd", "in1", "--format", "json",
    ];
    let document = hyperkill_with(args, circuit)
        .expect(ExitCode::Success)
        .json();
    let result = &document["results"][0];
    assert_eq!(result["mutant"], "latch0");
    assert_eq!(
        result["strength"], "potential",
        "the choice in1 hides the mutant: {result}"
    );
    let args = ["check", "-", "--mut", "latch0", "--format", "json"];
    let document = hyperkill_with(args, circuit)
        .expect(ExitCode::Success)
        .json();
    assert_eq!(document["results"][0]["strength"], "definite");
}

#[test]
fn the_summary_of_a_check_reads_like_this() {
    let place = Place::with("x.aag", TOGGLE);
    let file = place.arg("x.aag");
    let ran = hyperkill(["check", &file, "--engine", "simulation"]).expect(ExitCode::Undecided);
    let expected = "\
flip   killed   definite, 1 step, shortest         simulation
stuck  killed   definite, 2 steps                  simulation
same   unknown  engines, no test of up to 0 steps
maybe  killed   potential, 1 step, shortest        simulation

x.aag: 4 mutants, deterministic model, question phi1

  killed       3  a test tells them from the model
    definite   2  the mutant cannot pass
    potential  1  the mutant may show it, or not
  unknown      1  engines 1

  mutation score  50.0 to 75.0 %  2 of 4, definite kills
  mutation score  75.0 to 100.0 %  3 of 4, with potential kills
  suite           1 test, 2 steps in all
  meaning         a system fails if it does not answer as the model does; no mutant that is killed definitely passes

undecided: 1 mutant
  same  engines, no test of up to 0 steps; the engines asked for have nothing more to try; `bmc` searches for longer \
  tests, `induction` and `pdr` for proofs
";
    assert_eq!(ran.text(), expected);
}

#[test]
fn inputs_that_only_one_side_accepts_are_shown_with_the_answers_of_the_other() {
    // No difference of outputs: `stubborn` refuses push; `patient` accepts pull, which the model refuses.
    let circuit = "\
aag 7 2 3 1 2 0 2
2
4
6 7 0
8 8 8
10 10 10
6
13
15
12 8 2
14 11 4
i0 push
i1 pull
l0 state
l1 mut:stubborn
l2 mut:patient
o0 lamp
";
    let place = Place::with("x.aag", circuit);
    let (file, out) = (place.arg("x.aag"), place.arg("out"));
    let args = ["check", &file, "-o", &out, "--format", "json"];
    let document = hyperkill(args).expect(ExitCode::Success).json();
    let found = verdicts(&document);
    assert_eq!(found["stubborn"], "refuses-input");
    assert_eq!(found["patient"], "equivalent");
    for (result, by, pushed) in [(0, "mutant", 1), (1, "model", 0)] {
        let result = &document["results"][result];
        assert_eq!(result["input_enabled"], false);
        let mutant = result["mutant"].as_str().unwrap();
        let refusal = json!({
            "by": by,
            "inputs": [{"push": pushed, "pull": 1 - pushed}],
            "outputs": [{"lamp": 0}],
            "certificate": format!("certificates/{mutant}+refuses.json"),
        });
        assert_eq!(result["refusal"], refusal);
        let shown = hyperkill(["show", mutant, &out]).text();
        let heading = format!("the {by} refuses the last of these inputs:\n");
        assert!(shown.contains(&heading), "{shown}");
        assert!(shown.ends_with("│  lamp=0\n"), "{shown}");
    }
    assert_eq!(document["summary"]["refuses_input"], 1);
}

#[test]
fn a_limit_on_everything_ends_a_run_and_is_the_reason_given() {
    let place = Place::with("slow.smv", SLOW);
    let (model, out) = (place.arg("slow.smv"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--total-timeout", "1s"];
    let ran = hyperkill(args).expect(ExitCode::Undecided);
    assert!(
        ran.text().contains("time, no test of up to"),
        "{}",
        ran.text()
    );
    let results = place.json("out/outcomes.json")["results"].clone();
    let open: Vec<Value> = (results.as_array().unwrap().iter())
        .filter(|result| result["verdict"] == "unknown")
        .cloned()
        .collect();
    assert!(!open.is_empty());
    assert!(
        open.iter().all(|result| result["reason"] == "time"),
        "{open:?}"
    );
}

#[test]
fn no_test_is_longer_than_the_bound() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--accept", "unknown"].into_iter();
    let args = args.chain(["--bound", "2", "--operator", "ROR"]);
    hyperkill(args).expect(ExitCode::Success);
    let document = place.json("out/outcomes.json");
    let results = document["results"].as_array().unwrap();
    let steps = results.iter().filter_map(|result| result["steps"].as_u64());
    assert_eq!(steps.max(), Some(2));
    let open = results
        .iter()
        .filter(|result| result["verdict"] == "unknown");
    let known: Vec<(&Value, u64)> =
        (open.map(|r| (&r["reason"], r["known_to"].as_u64().unwrap()))).collect();
    assert!(!known.is_empty());
    assert!(
        known
            .iter()
            .all(|(reason, to)| *reason == "bound" && *to == 2),
        "{known:?}"
    );
}
