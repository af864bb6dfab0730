//! Uppaal models: runs, tests at rational times, and evidence that is checked without zones.

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{Place, hyperkill};

const LAMP: &str = include_str!("../../../../tests/models/uppaal/lamp/model.xml");

fn ran(place: &Place, more: &[&str]) -> Value {
    let (model, out) = (place.arg("lamp.xml"), place.arg("out"));
    let arguments = ["run", &model, "--out", &out, "-q", "-q"];
    hyperkill(arguments.iter().chain(more)).expect(ExitCode::Success);
    place.json("out/outcomes.json")
}

fn count(outcomes: &Value, verdict: &str) -> usize {
    let results = outcomes["results"].as_array().unwrap();
    results.iter().filter(|r| r["verdict"] == verdict).count()
}

/// The pairs of a proof, wherever its certificate has them.
fn pairs(document: &mut Value) -> Option<&mut Vec<Value>> {
    match document {
        Value::Object(fields) => match fields.contains_key("pairs") {
            true => fields.get_mut("pairs")?.as_array_mut(),
            false => fields.values_mut().find_map(pairs),
        },
        _ => None,
    }
}

#[test]
fn a_run_decides_every_mutant_of_a_process_and_its_evidence_checks() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &[]);
    assert_eq!(outcomes["property"], "refinement");
    let all = outcomes["results"].as_array().unwrap().len();
    let settled: usize = ["killed", "equivalent", "invalid"]
        .iter()
        .map(|word| count(&outcomes, word))
        .sum();
    assert_eq!(settled, all);
    assert!(count(&outcomes, "killed") > 20 && count(&outcomes, "equivalent") > 20);
    let certified = hyperkill(["certify", &place.arg("out"), "--format", "json"]);
    let report = certified.expect(ExitCode::Success).json();
    assert!(
        !report["checked"].as_array().unwrap().is_empty(),
        "{report:#}"
    );
}

#[test]
fn certify_refuses_a_proof_that_lacks_a_pair() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &["--operator", "CXL"]);
    let results = outcomes["results"].as_array().unwrap();
    let proved = results
        .iter()
        .find(|r| r["verdict"] == "equivalent")
        .unwrap();
    let file = format!("out/{}", proved["certificate"].as_str().unwrap());
    let mut certificate = place.json(&file);
    pairs(&mut certificate).unwrap().pop();
    std::fs::write(place.path(&file), certificate.to_string()).unwrap();
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Evidence);
}

#[test]
fn what_refinement_means_is_an_option_that_the_run_remembers() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &["--semantics", "verifytga", "--operator", "TAD"]);
    assert_eq!(outcomes["property"], "refinement (verifytga)");
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    let strict = ran(&place, &["--operator", "TAD"]);
    assert!(count(&strict, "killed") > count(&outcomes, "killed"));
    let model = place.arg("lamp.xml");
    let wrong = hyperkill(["list", &model, "--semantics", "verifytg"]).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("verifytga"), "{wrong:?}");
    let wrong = hyperkill(["list", &model, "--sut", "Lamb"]).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("Lamp"), "{wrong:?}");
}

#[test]
fn projects_of_ecdar_are_read_from_their_components() {
    let component = r#"{ "name": "Door", "declarations": "clock x;",
      "locations": [ { "id": "L0", "invariant": "", "type": "INITIAL" }, { "id": "L1", "invariant": "x<=2", "type": "NORMAL" } ],
      "edges": [ { "sourceLocation": "L0", "targetLocation": "L1", "status": "INPUT", "update": "x=0", "sync": "push" },
                 { "sourceLocation": "L1", "targetLocation": "L0", "status": "OUTPUT", "guard": "x>=1", "sync": "click" } ] }"#;
    let place = Place::with("Door.json", component);
    let (model, out) = (place.arg("Door.json"), place.arg("out"));
    hyperkill([
        "run",
        &model,
        "--language",
        "ecdar",
        "--out",
        &out,
        "-q",
        "-q",
    ])
    .expect(ExitCode::Success);
    assert!(count(&place.json("out/outcomes.json"), "killed") > 3);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

#[test]
fn a_mutant_that_cannot_live_on_has_evidence_that_is_checked() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &["--operator", "TMI"]);
    let results = outcomes["results"].as_array().unwrap();
    let mut invalid = results.iter().filter(|r| r["verdict"] == "invalid");
    let inconsistent = invalid.next().unwrap();
    assert!(
        inconsistent["reason"]
            .as_str()
            .unwrap()
            .starts_with("inconsistent")
    );
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    let file = format!("out/{}", inconsistent["certificate"].as_str().unwrap());
    let mut certificate = place.json(&file);
    let ranks = &mut certificate["evidence"]["own"]["lost"];
    ranks.as_array_mut().unwrap().pop();
    std::fs::write(place.path(&file), certificate.to_string()).unwrap();
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Evidence);
    // Nothing is decided by listing.
    let listed = hyperkill(["list", &place.arg("lamp.xml"), "--format", "json"]);
    let listed = listed.expect(ExitCode::Success).json();
    assert!(
        listed["mutants"]
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["status"] != "invalid"),
        "{listed:#}"
    );
}

#[test]
fn a_process_is_completed_and_mutants_are_mutated_before_a_run_that_checks() {
    let place = Place::with("lamp.xml", LAMP);
    let all = ["--totalise", "sink", "--order", "2", "--operator", "CX*"];
    let outcomes = ran(&place, &all);
    // 9 mutants of first order, and about as many of each: a constant may become too small for CXS, or large enough.
    let results = outcomes["results"].as_array().unwrap().len();
    assert!((78..=90).contains(&results), "{results}");
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    let model = place.arg("lamp.xml");
    let wrong = hyperkill(["list", &model, "--order", "3"]).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("--order 3"), "{wrong:?}");
    let wrong = hyperkill(["list", &model, "--totalise", "sunk"]).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("sink"), "{wrong:?}");
}

const DOORS: &str = include_str!("../../../../tests/models/uppaal/doors/model.xml");

#[test]
fn questions_about_processes_are_answered_with_traces_and_those_of_the_file_without_asking() {
    let place = Place::with("doors.xml", DOORS);
    let model = place.arg("doors.xml");
    let own = hyperkill(["verify", &model]).expect(ExitCode::Success);
    assert!(
        String::from_utf8_lossy(&own.stdout).contains("refinement: Quick <= Slow  holds"),
        "{own:?}"
    );
    let ask = |option: &str, query: &str| {
        hyperkill(["verify", &model, option, query, "--format", "json"])
    };
    let report = ask("--refinement", "Slow <= Quick")
        .expect(ExitCode::Failed)
        .json();
    assert_eq!(report["results"][0]["truth"], "fails");
    assert_eq!(report["results"][0]["test"].as_array().unwrap().len(), 2);
    ask("--refinement", "Quick && Slow <= Quick").expect(ExitCode::Success);
    ask("--consistency", "Slow").expect(ExitCode::Success);
    ask("--consistency", "Stuck").expect(ExitCode::Failed);
    ask("--determinism", "Quick").expect(ExitCode::Success);
    ask("--refinement", "Stuck <= Slow").expect(ExitCode::Failed);
    let wrong = ask("--refinement", "Quick // Slow <= Slow").expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("quotients"), "{wrong:?}");
    ask("--refinement", "Nobody <= Slow").expect(ExitCode::Usage);
    let lamp = Place::with("lamp.xml", LAMP);
    hyperkill(["verify", &lamp.arg("lamp.xml")]).expect(ExitCode::Usage);
}

#[test]
fn emitted_mutants_say_what_are_inputs_and_outputs_and_are_read_as_they_were() {
    let place = Place::with("lamp.xml", LAMP);
    let (model, folder) = (place.arg("lamp.xml"), place.arg("mutants"));
    let emit = ["list", &model, "--operator", "TAD", "--emit", &folder];
    hyperkill(emit).expect(ExitCode::Success);
    let files = std::fs::read_dir(place.path("mutants")).unwrap().flatten();
    let files: Vec<_> = files.map(|file| file.path()).collect();
    assert_eq!(files.len(), 72);
    for file in files.iter().step_by(12) {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(
            text.contains("IO Lamp { ") && text.contains("press?"),
            "{text}"
        );
        hyperkill(["list", &file.to_string_lossy()]).expect(ExitCode::Success);
    }
}

#[test]
fn tests_say_what_may_come_while_one_waits_and_are_written_as_testers_beside_the_model() {
    let place = Place::with("lamp.xml", LAMP);
    ran(&place, &["--operator", "CX*"]);
    let suite = place.json("out/suite.json");
    let tests = suite["tests"].as_array().unwrap();
    assert!(tests.iter().all(|test| test["kind"] == "timed"));
    let steps = tests
        .iter()
        .flat_map(|test| test["steps"].as_array().unwrap());
    let windows = steps.map(|step| step["windows"].as_array().unwrap().len());
    assert!(windows.sum::<usize>() > 0, "{suite:#}");
    let (out, testers) = (place.arg("out"), place.arg("testers"));
    hyperkill(["export", &out, "--to", "uppaal", "-o", &testers]).expect(ExitCode::Success);
    let file = place.path("testers/t-001.xml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("A[] not Tester.FAIL") && text.contains("system Lamp, Tester;"),
        "{text}"
    );
    let file = file.to_string_lossy();
    hyperkill(["list", &file, "--sut", "Lamp"]).expect(ExitCode::Success);
    // Windows are evidence.
    let wrong = hyperkill(["export", &out, "--to", "csv", "-o", &testers]).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("--to uppaal"), "{wrong:?}");
    let mut suite = suite;
    let steps = suite["tests"][0]["steps"].as_array_mut().unwrap();
    for step in steps {
        step["windows"] = serde_json::json!([]);
    }
    std::fs::write(place.path("out/suite.json"), suite.to_string()).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Evidence);
}

#[test]
fn models_in_the_textual_format_are_run_and_certified() {
    let text = "clock x; chan press, ring; process Bell() { state Idle, Rung { x <= 5 }; init Idle; \
                trans Idle -> Rung { sync press?; assign x = 0; }, Rung -> Idle { guard x >= 2; sync ring!; }; } system Bell;";
    let place = Place::with("bell.xta", text);
    let (model, out) = (place.arg("bell.xta"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    assert!(count(&place.json("out/outcomes.json"), "killed") > 3);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let broken = Place::with("bell.xta", text.replace("x <= 5", "x <= y").as_str());
    let wrong = hyperkill(["list", &broken.arg("bell.xta")]).expect(ExitCode::InvalidModel);
    assert!(wrong.stderr.contains("bell.xta:1:"), "{wrong:?}");
}

#[test]
fn all_mutants_are_written_into_one_file_and_as_a_feature_model() {
    let place = Place::with("lamp.xml", LAMP);
    let (model, folder, file) = (
        place.arg("lamp.xml"),
        place.arg("all"),
        place.arg("lamp.uvl"),
    );
    let emit = [
        "list",
        &model,
        "--operator",
        "CX*",
        "--emit",
        &folder,
        "--featured",
    ];
    hyperkill(emit).expect(ExitCode::Success);
    let text = std::fs::read_to_string(place.path("all/featured.xml")).unwrap();
    assert!(
        text.contains("const int MUTANT = 0;") && text.contains("MUTANT != 4"),
        "{text}"
    );
    hyperkill(["list", &place.arg("all/featured.xml")]).expect(ExitCode::Success);
    hyperkill(["translate", &model, "--to", "uvl", "--out", &file]).expect(ExitCode::Success);
    let text = std::fs::read_to_string(place.path("lamp.uvl")).unwrap();
    assert!(text.starts_with("features\n\t\"Lamp\"\n"), "{text}");
    assert_eq!(text.matches("{path ").count(), 96);
    assert_eq!(text.matches("// G").count(), 42);
    let wrong = hyperkill(["translate", &model, "--to", "dot", "--out", &file]);
    assert!(wrong.expect(ExitCode::Usage).stderr.contains("uvl"));
    let smv = Place::with(
        "m.smv",
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := !x;\n",
    );
    let emit = ["list", &smv.arg("m.smv"), "--emit", &folder, "--featured"];
    let wrong = hyperkill(emit).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("one file"), "{wrong:?}");
}
