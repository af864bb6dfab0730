//! Uppaal models: runs, tests at rational times, and evidence that is checked without zones.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::corruption::forge;
use crate::support::{Place, hyperkill, hyperkill_on, verdicts};

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

/// The pairs of a proof, at any depth of its certificate.
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
    // A list decides no mutant.
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
    // Each of the 9 mutants of first order has about 9 mutants itself: a constant may become too small for CXS, or large enough.
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
    // CSV has no form for these tests. A suite without its time windows does not certify.
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
    assert!(
        wrong.stderr.contains("all mutants as a circuit"),
        "{wrong:?}"
    );
}

/// A door that may close by itself. It is small, so that all pairs of changes can be counted by hand. Every mutant can wait, so each is a
/// model.
const DOOR: &str = "<nta><declaration>chan push, click;</declaration><template><name>Door</name><declaration>clock x;</declaration>\
    <location id=\"a\"><name>Shut</name></location><location id=\"b\"><name>Open</name>\
    </location><init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"synchronisation\">push?</label>\
    <label kind=\"assignment\">x = 0</label></transition><transition controllable=\"false\"><source ref=\"b\"/><target ref=\"a\"/>\
    <label kind=\"guard\">x &gt;= 2</label><label kind=\"synchronisation\">click!</label></transition></template>\
    <system>system Door;</system></nta>";

/// The number of listed mutants by operator.
fn listed(model: &str, more: &[&str]) -> BTreeMap<String, usize> {
    let arguments = ["list", model, "--format", "json"];
    let listed = hyperkill(arguments.iter().chain(more)).expect(ExitCode::Success);
    let mut counts = BTreeMap::new();
    for mutant in listed.json()["mutants"].as_array().unwrap() {
        let operator = mutant["operator"].as_str().unwrap().to_owned();
        *counts.entry(operator).or_default() += 1;
    }
    counts
}

#[test]
fn pairs_of_changes_are_all_that_each_mutant_has_as_a_model_of_its_own() {
    let place = Place::with("door.xml", DOOR);
    let (model, folder) = (place.arg("door.xml"), place.arg("firsts"));
    let first = ["list", &model, "--format", "json", "--emit", &folder];
    let first = hyperkill(first).expect(ExitCode::Success).json();
    let operators: BTreeMap<String, String> = (first["mutants"].as_array().unwrap().iter())
        .map(|mutant| {
            let field = |name: &str| mutant[name].as_str().unwrap().to_owned();
            (field("id"), field("operator"))
        })
        .collect();
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for file in std::fs::read_dir(place.path("firsts")).unwrap().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(operator) = operators.get(name.trim_end_matches(".xml")) else {
            panic!("{name} is no mutant");
        };
        for (second, count) in listed(&file.path().to_string_lossy(), &[]) {
            *expected.entry(format!("{operator}+{second}")).or_default() += count;
        }
    }
    // Two further transitions for each pair of locations; at least one location remains.
    assert_eq!(expected["TAD+TAD"], 64);
    assert_eq!(expected["SMI+TAD"], 2);
    assert_eq!(listed(&model, &["--order", "2"]), expected);
}

#[test]
fn pairs_of_the_lamp_with_a_transition_that_is_added_second_are_listed() {
    let place = Place::with("lamp.xml", LAMP);
    let operators = ["--operator", "TMI", "--operator", "TAD", "--order", "2"];
    let pairs = listed(&place.arg("lamp.xml"), &operators);
    let expected = [
        ("TMI+TMI", 7 * 6),
        ("TMI+TAD", 7 * 72),
        ("TAD+TMI", 72 * 8),
        ("TAD+TAD", 72 * 72),
    ];
    let expected = expected.map(|(pair, count)| (pair.to_owned(), count));
    assert_eq!(pairs, BTreeMap::from(expected));
}

#[test]
fn mutants_that_cannot_be_written_are_counted_in_a_warning() {
    let place = Place::with("door.xml", DOOR);
    let model = place.arg("door.xml");
    let ran = hyperkill(["list", &model, "--operator", "CAC"]).expect(ExitCode::Success);
    // `controllable` marks outputs that the tester does not control.
    assert!(
        ran.stderr
            .contains("CAC: 1 mutant is left out of the catalogue"),
        "{ran:?}"
    );
    assert_eq!(listed(&model, &["--operator", "CAC"])["CAC"], 1);
    let ran = hyperkill(["list", &model, "--operator", "TMI"]).expect(ExitCode::Success);
    assert!(!ran.stderr.contains("left out"), "{ran:?}");
}

/// A template with these locations and transitions.
fn process(body: &str) -> String {
    format!(
        "<nta><declaration>chan a, b, c;</declaration><template><name>P</name><declaration>clock x;</declaration>{body}</template>\
         <system>system P;</system></nta>"
    )
}

#[test]
fn a_process_that_cannot_live_on_is_refused_by_every_preset() {
    let stuck = process(
        "<location id=\"l\"><label kind=\"invariant\">x &lt;= 2</label></location><init ref=\"l\"/>\
         <transition><source ref=\"l\"/><target ref=\"l\"/><label kind=\"synchronisation\">a?</label></transition>",
    );
    let place = Place::with("stuck.xml", &stuck);
    let model = place.arg("stuck.xml");
    for preset in ["strict", "definition7", "verifytga", "ecdar"] {
        let listed = hyperkill(["list", &model, "--semantics", preset]);
        let listed = listed.expect(ExitCode::InvalidModel);
        assert!(
            listed.stderr.contains("no good initial state"),
            "{listed:?}"
        );
    }
}

#[test]
fn edges_that_lead_to_one_state_are_no_choice_and_those_that_lead_to_two_are() {
    let twice = |first: &str, second: &str| {
        let edge = |update: &str| {
            format!(
                "<transition><source ref=\"l\"/><target ref=\"m\"/><label kind=\"guard\">x &lt;= 2</label>\
                 <label kind=\"synchronisation\">a?</label><label kind=\"assignment\">{update}</label></transition>"
            )
        };
        process(&format!(
            "<location id=\"l\"/><location id=\"m\"><label kind=\"invariant\">x &lt;= 9</label></location><init ref=\"l\"/>{}{}\
             <transition><source ref=\"m\"/><target ref=\"l\"/><label kind=\"synchronisation\">c!</label></transition>",
            edge(first),
            edge(second)
        ))
    };
    let place = Place::with("same.xml", twice("x = 0", "x = 0"));
    let (model, out) = (place.arg("same.xml"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    let outcomes = place.json("out/outcomes.json");
    // Without one of the two transitions the behaviour is the same.
    let listed = place.json("out/mutants.json");
    let left_out = listed["mutants"].as_array().unwrap().iter();
    let left_out = left_out.filter(|mutant| {
        let original = mutant["original"].as_str().unwrap_or_default();
        mutant["operator"] == "TMI" && original.contains("a?")
    });
    let left_out: Vec<&Value> = left_out.map(|mutant| &mutant["id"]).collect();
    let results = outcomes["results"].as_array().unwrap().iter();
    let results: Vec<&Value> = results
        .filter(|r| left_out.contains(&&r["mutant"]))
        .collect();
    assert_eq!(results.len(), 2, "{listed:#}");
    assert!(results.iter().all(|r| r["verdict"] == "equivalent"));
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let place = Place::with("two.xml", twice("x = 0", "x = 1"));
    let two = hyperkill(["list", &place.arg("two.xml")]).expect(ExitCode::InvalidModel);
    assert!(two.stderr.contains("not deterministic"), "{two:?}");
    // The update is nondeterministic unless the clock is 0 already.
    let place = Place::with("kept.xml", twice("x = 0", ""));
    let kept = hyperkill(["list", &place.arg("kept.xml")]).expect(ExitCode::InvalidModel);
    assert!(kept.stderr.contains("not deterministic"), "{kept:?}");
    let at_once = twice("x = 0", "").replace("x &lt;= 2", "x == 0");
    let place = Place::with("at-once.xml", at_once);
    hyperkill(["list", &place.arg("at-once.xml")]).expect(ExitCode::Success);
}

#[test]
fn a_process_that_is_not_deterministic_is_not_consistent() {
    // As in the Ecdar tests G9, G14 and G16: at an input, at an output, and after another output.
    let edge = |from: &str, to: &str, guard: &str, label: &str| {
        let guard = match guard {
            "" => String::new(),
            guard => format!("<label kind=\"guard\">{guard}</label>"),
        };
        format!(
            "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>{guard}<label kind=\"synchronisation\">{label}</label></transition>"
        )
    };
    let locations = "<location id=\"l\"/><location id=\"m\"/><location id=\"n\"/><location id=\"o\"/><init ref=\"l\"/>";
    let input = [
        edge("l", "m", "x &gt;= 4 &amp;&amp; x &lt;= 8", "a?"),
        edge("l", "n", "x &gt;= 2 &amp;&amp; x &lt;= 4", "a?"),
    ];
    let output = [
        edge("l", "m", "x &gt;= 4", "c!"),
        edge("l", "n", "x &lt;= 5", "c!"),
    ];
    let behind = [
        edge("l", "o", "", "c!"),
        edge("o", "m", "", "c!"),
        edge("o", "n", "", "c!"),
    ];
    let apart = [
        edge("l", "m", "x &gt; 4", "c!"),
        edge("l", "n", "x &lt;= 4", "c!"),
    ];
    let cases = [
        (&input[..], ExitCode::Failed),
        (&output, ExitCode::Failed),
        (&behind, ExitCode::Failed),
        (&apart, ExitCode::Success),
    ];
    for (edges, code) in cases {
        let text = process(&format!("{locations}{}", edges.concat()));
        let place = Place::with("p.xml", &text);
        let model = place.arg("p.xml");
        for option in ["--consistency", "--determinism"] {
            let ran = hyperkill(["verify", &model, option, "P", "--format", "json"]).expect(code);
            let reason = &ran.json()["results"][0]["reason"];
            let says = reason
                .as_str()
                .is_some_and(|why| why.contains("one state to two"));
            assert_eq!(says, code == ExitCode::Failed, "{option}: {ran:?}");
        }
    }
}

#[test]
fn what_a_process_knows_is_what_the_line_of_its_emitted_file_says() {
    // Location `n` is unreachable, and only it has `c!`.
    let text = process(
        "<location id=\"l\"/><location id=\"m\"><label kind=\"invariant\">x &lt;= 3</label></location><location id=\"n\"/><init ref=\"l\"/>\
         <transition><source ref=\"l\"/><target ref=\"m\"/><label kind=\"synchronisation\">a?</label>\
         <label kind=\"assignment\">x = 0</label></transition>\
         <transition><source ref=\"m\"/><target ref=\"l\"/><label kind=\"synchronisation\">b!</label></transition>\
         <transition><source ref=\"n\"/><target ref=\"n\"/><label kind=\"synchronisation\">c!</label></transition>",
    );
    let place = Place::with("p.xml", &text);
    let (model, out, folder) = (place.arg("p.xml"), place.arg("out"), place.arg("mutants"));
    let run = [
        "run",
        &model,
        "--out",
        &out,
        "--semantics",
        "ecdar",
        "-q",
        "-q",
    ];
    hyperkill(run.iter().chain(&["--accept", "unknown"])).expect(ExitCode::Success);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    hyperkill(["list", &model, "--emit", &folder]).expect(ExitCode::Success);
    let original = hyperkill(["list", &model, "--format", "json", "--semantics", "ecdar"]);
    let original = original.expect(ExitCode::Success).json();
    let symbols = original["signature"]["outputs"][0].to_string();
    assert!(symbols.contains('c'), "{symbols}");
    let results = place.json("out/outcomes.json");
    let (mut added, mut lacking) = (0, 0);
    for (mutant, result) in (place.json("out/mutants.json")["mutants"]
        .as_array()
        .unwrap()
        .iter())
    .zip(results["results"].as_array().unwrap())
    {
        let field = |name: &str| mutant[name].as_str().unwrap();
        let file = place.path("mutants").join(format!("{}.xml", field("id")));
        let emitted = std::fs::read_to_string(file).unwrap();
        let line = emitted.split("IO P {").nth(1).unwrap();
        match (field("operator"), field("path")) {
            // The mutant has the added input in its alphabet at every place.
            ("TAD", path) if path.ends_with('?') => {
                assert!(line.contains("added_input?"), "{line}");
                assert_eq!(result["verdict"], "killed", "{mutant:#}");
                added += 1;
            }
            ("TMI" | "SMI", path) if path.contains('n') => {
                assert!(!line.contains("c!"), "{line}");
                assert_eq!(result["reason"], "precondition", "{mutant:#}");
                lacking += 1;
            }
            _ => {}
        }
    }
    assert_eq!((added, lacking), (9, 2));
}

/// The places of all lists of a proof with at least two entries.
fn lists(document: &Value, place: &str, found: &mut Vec<String>) {
    match document {
        Value::Array(entries) => {
            // A constraint is a list of different things.
            if entries.len() > 1 && entries.iter().all(|e| e.is_array() || e.is_object()) {
                found.push(place.to_owned());
            }
            for (number, entry) in entries.iter().enumerate() {
                lists(entry, &format!("{place}/{number}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, entry) in fields {
                lists(entry, &format!("{place}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn certify_refuses_proofs_whose_lists_have_entries_twice_or_in_another_order() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &["--operator", "TMI", "--operator", "CX*"]);
    let certificates = outcomes["results"].as_array().unwrap().iter();
    let proofs = certificates
        .filter(|r| ["equivalent", "invalid"].contains(&r["verdict"].as_str().unwrap()));
    let files: Vec<String> = proofs
        .map(|result| format!("out/{}", result["certificate"].as_str().unwrap()))
        .collect();
    let (mut swapped, mut doubled) = (0, 0);
    for file in &files {
        let original = std::fs::read(place.path(file)).unwrap();
        let digests = std::fs::read(place.path("out/digests.json")).unwrap();
        let certificate = place.json(file);
        let mut found = Vec::new();
        lists(&certificate["evidence"]["own"], "/evidence/own", &mut found);
        for list in found.iter() {
            for swaps in [true, false] {
                let mut forged = certificate.clone();
                let entries = forged.pointer_mut(list).unwrap().as_array_mut().unwrap();
                match swaps {
                    true => entries.swap(0, 1),
                    false => entries.insert(0, entries[0].clone()),
                }
                *(if swaps { &mut swapped } else { &mut doubled }) += 1;
                let name = Path::new(file.strip_prefix("out/").unwrap());
                forge(&place, name, forged.to_string().as_bytes());
                let ran = hyperkill(["certify", &place.arg("out")]);
                assert_eq!(
                    ran.code,
                    ExitCode::Evidence,
                    "{file} {list} {swaps}: {ran:?}"
                );
                std::fs::write(place.path(file), &original).unwrap();
                std::fs::write(place.path("out/digests.json"), &digests).unwrap();
            }
        }
    }
    println!("{swapped} swapped, {doubled} doubled");
    assert!(swapped > 10 && doubled > 10);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
}

#[test]
fn what_guidelines_find_is_in_the_outcomes_and_on_the_page_by_operator() {
    let place = Place::with("lamp.xml", LAMP);
    let outcomes = ran(&place, &[]);
    let rows = outcomes["by_operator"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["operator"] == name).unwrap();
    // The summary prints the same.
    assert_eq!(
        *row("TAD"),
        serde_json::json!({
            "operator": "TAD", "mutants": 72, "non_subsumed": 36, "subsumed": 36, "inconsistent": 0, "unknown": 0, "violating": 36,
            "detected": 36, "ratio": 100.0
        })
    );
    assert_eq!(row("SMI")["inconsistent"], 2);
    assert_eq!(row("CXS")["ratio"], 0.0);
    assert!(row("CCN").get("ratio").is_none());
    assert_eq!(rows.len(), 6);
    let page = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    let line = "<tr><th>TAD</th><td>72</td><td>36</td><td>36</td><td>0</td><td>0</td><td>36</td><td>100 %</td></tr>";
    assert!(page.contains(line) && page.contains("<th>inconsistent</th>"));
    // The page that `report` makes of the folder is the same.
    let report = place.arg("report");
    hyperkill(["report", &place.arg("out"), "--out", &report]).expect(ExitCode::Success);
    let again = std::fs::read_to_string(place.path("report/report.html")).unwrap();
    assert!(again.contains(line));
    // `certify` checks the table.
    let name = Path::new("outcomes.json");
    let mut forged = outcomes.clone();
    forged["by_operator"][0]["violating"] = serde_json::json!(7);
    forge(&place, name, forged.to_string().as_bytes());
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Evidence);
    forged.as_object_mut().unwrap().remove("by_operator");
    forge(&place, name, forged.to_string().as_bytes());
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Evidence);
}

const CROSSING: &str = include_str!("../../../../tests/models/uppaal/crossing/model.xml");

const IN_NETWORK: [&str; 4] = ["--sut", "Train0", "--environment", "network"];

#[test]
fn other_processes_are_the_environment_of_the_one_that_is_tested() {
    let place = Place::with("crossing.xml", CROSSING);
    let (model, out) = (place.arg("crossing.xml"), place.arg("out"));
    let run = ["run", &model, "--out", &out];
    let ran = hyperkill(run.iter().chain(&IN_NETWORK)).expect(ExitCode::Success);
    let said = ran.text();
    assert!(said.contains("killed when open"), "{said}");
    let outcomes = place.json("out/outcomes.json");
    assert_eq!(outcomes["property"], "refinement in the network");
    let results = outcomes["results"].as_array().unwrap();
    assert!(count(&outcomes, "killed") > 10 && count(&outcomes, "equivalent") > 30);
    let open: Vec<&Value> = results
        .iter()
        .filter(|result| result["killed_when_open"].is_string())
        .collect();
    let summary = &outcomes["summary"];
    assert_eq!(summary["killed_when_open"], open.len());
    assert!(open.len() > 10 && open.iter().all(|result| result["verdict"] == "equivalent"));
    // Each kill of the network has a test that begins with moves of the other processes.
    let suite = place.json("out/suite.json");
    assert!(suite.to_string().contains("appr[1] by Train1.Safe->Near"));
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let shown = hyperkill(["show", open[0]["mutant"].as_str().unwrap(), &out]);
    let shown = shown.expect(ExitCode::Success);
    let shown = shown.text();
    assert!(shown.contains("in an open environment  killed"), "{shown}");
    // The run records the options.
    let asked = place.json("out/mutants.json");
    assert!(
        asked.to_string().contains("\"environment\":\"network\""),
        "{asked:#}"
    );
    let file = format!("out/{}", open[0]["certificate"].as_str().unwrap());
    let mut certificate = place.json(&file);
    certificate["evidence"]["own"]["open"]["at"] = "1000".into();
    std::fs::write(place.path(&file), certificate.to_string()).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Evidence);
}

#[test]
fn what_other_processes_do_not_fit_is_refused_by_name() {
    let place = Place::with("crossing.xml", CROSSING);
    let model = place.arg("crossing.xml");
    let refused = |more: &[&str], says: &str| {
        let all = ["list", &model];
        let all = all.iter().chain(&IN_NETWORK).chain(more);
        let refused = hyperkill(all).expect(ExitCode::Usage);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    };
    refused(
        &["--semantics", "ecdar"],
        "--semantics ecdar is about a process alone",
    );
    let circuit = ["translate", &model];
    let circuit = hyperkill(circuit.iter().chain(&IN_NETWORK)).expect(ExitCode::Usage);
    assert!(
        circuit.stderr.contains("circuits are of a process alone"),
        "{}",
        circuit.stderr
    );
    let wrong = ["list", &model, "--sut", "Gate", "--environment", "netwerk"];
    let wrong = hyperkill(wrong).expect(ExitCode::Usage);
    assert!(wrong.stderr.contains("network"), "{}", wrong.stderr);
}

#[test]
fn mutants_of_two_changes_that_tests_for_one_change_kill_are_set_aside() {
    let place = Place::with("lamp.xml", LAMP);
    let model = place.arg("lamp.xml");
    let [one, two, left] = ["one", "two", "left"].map(|name| place.arg(name));
    hyperkill(["run", &model, "-o", &one]).expect(ExitCode::Success);
    hyperkill(["run", &model, "--order", "2", "-o", &two]).expect(ExitCode::Success);
    let args = ["run", &model, "--order", "2", "--beyond", &one, "-o", &left];
    let ran = hyperkill(args).expect(ExitCode::Success);
    assert!(ran.stderr.contains("set aside"), "{ran:?}");
    hyperkill(["certify", &left]).expect(ExitCode::Success);
    let all = verdicts(&place.json("two/outcomes.json"));
    let left = verdicts(&place.json("left/outcomes.json"));
    assert!(
        left.len() < all.len() / 2,
        "{} of {}",
        left.len(),
        all.len()
    );
    for (mutant, verdict) in &all {
        match left.get(mutant) {
            Some(found) => assert_eq!(found, verdict, "{mutant}"),
            None => assert_eq!(verdict, "killed", "{mutant}"),
        }
    }
    // The run has stored the list of remaining mutants.
    let part = place.arg("part");
    let args = ["run", &model, "--order", "2", "--beyond", &one, "-o", &part];
    let stopped = hyperkill_on(Disk::with_room_for(60), args, "");
    assert_ne!(stopped.code, ExitCode::Success);
    hyperkill(["resume", &part]).expect(ExitCode::Success);
    assert_eq!(verdicts(&place.json("part/outcomes.json")), left);
    let wrong = [
        "run",
        &model,
        "--order",
        "2",
        "--totalise",
        "sink",
        "--beyond",
        &one,
    ];
    let refused = hyperkill(wrong).expect(ExitCode::Usage);
    assert!(
        refused.stderr.contains("is a run of another model"),
        "{refused:?}"
    );
}
