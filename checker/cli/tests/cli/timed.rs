//! Timed machines, the first language that decides its mutants itself: runs, tests with moments, and evidence that only it understands.

use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{LOCK, Place, contents, hyperkill};

/// A door that falls shut after a while, and two states that nobody can tell apart.
pub(crate) const DOOR: &str = "\
machine door {
  input open, push;
  output ok, beep;
  time s
  state Shut { open / ok -> Ajar;  push / beep -> Shut }
  state Ajar { open / ok -> Ajar;  push / ok -> Wide;  after 30 -> Shut }
  state Wide { open / ok -> Ajar;  push / ok -> Gaping;  after 60 -> Ajar }
  state Gaping { open / ok -> Ajar;  push / ok -> Wide;  after 60 -> Ajar }
}
faults { Ajar.push: transfer;  Shut.open: output;  Ajar.after: 29, 31, never }
";

fn ran(place: &Place) -> Value {
    let model = place.arg("door.tfsm");
    let out = place.arg("out");
    hyperkill(["run", &model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    place.json("out/outcomes.json")
}

#[test]
fn a_run_decides_every_mutant_and_its_evidence_checks() {
    let place = Place::with("door.tfsm", DOOR);
    let outcomes = ran(&place);
    let results = outcomes["results"].as_array().unwrap();
    let count = |verdict: &str| results.iter().filter(|r| r["verdict"] == verdict).count();
    // To Gaping instead of Wide nothing can be told; all other changes show.
    assert_eq!(
        (count("killed"), count("equivalent")),
        (6, 1),
        "{results:#?}"
    );
    assert_eq!(outcomes["property"], "conformance");
    assert_eq!(outcomes["original"], "deterministic");
    let certified = hyperkill(["certify", &place.arg("out"), "--format", "json"]);
    let certified = certified.expect(ExitCode::Success);
    let report = certified.json();
    let counted = |what: &str| {
        let mut checked = report["checked"].as_array().unwrap().iter();
        checked
            .find(|row| row["what"] == what)
            .map(|row| row["count"].as_u64().unwrap())
    };
    assert_eq!(counted("definite kill"), Some(6));
    assert_eq!(counted("equivalent"), Some(1));
}

/// The door with faults in a file of their own, and how many mutants with any number of them there are.
fn with_domain(place: &Place, domain: &str) -> Value {
    let text = DOOR.split("faults").next().unwrap();
    fs::write(place.path("door.tfsm"), text).unwrap();
    let faults = "faults { Ajar.push: any;  Wide.after: 30, never;  Shut.open: output }";
    fs::write(place.path("faults.tfsm"), faults).unwrap();
    let (model, out) = (place.arg("door.tfsm"), place.arg("out"));
    let args = ["run", &model, "--out", &out, "--domain", domain, "-q", "-q"];
    hyperkill(args).expect(ExitCode::Success);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    place.json("out/outcomes.json")["domain"].clone()
}

#[test]
fn a_suite_is_complete_for_all_mutants_with_any_number_of_faults() {
    let place = Place::with("door.tfsm", DOOR);
    let outcomes = ran(&place);
    // Four targets, two outputs, three timeouts and the one there is: 4 · 2 · 4 - 1.
    let domain = &outcomes["domain"];
    assert_eq!(domain["mutants"], "31");
    assert_eq!(domain["complete"], "proved");
    let place = Place::with("door.tfsm", DOOR);
    let domain = with_domain(&place, &place.arg("faults.tfsm"));
    // 8 answers, 3 timeouts, 2 outputs.
    assert_eq!(domain["mutants"], "47");
    let domain = with_domain(&place, "chaos:4:1");
    assert_eq!(domain["transitions"], 8 * 7 + 7 + 3 * 8);
    assert_eq!(domain["complete"], "proved");
}

#[test]
fn verify_says_whether_a_suite_is_complete_or_shows_who_survives() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    let (door, suite) = (place.arg("door.tfsm"), place.arg("out/suite.json"));
    let proved = hyperkill(["verify", &door, "--suite", &suite]).expect(ExitCode::Success);
    assert!(proved.text().contains("31 mutants"), "{proved:?}");
    // What the suite is complete for is less than everything.
    let args = ["verify", &door, "--suite", &suite, "--domain", "chaos:4:60"];
    let args = args.into_iter().chain(["--format", "json"]);
    let report = hyperkill(args).expect(ExitCode::Failed).json();
    assert_eq!(report["domain"]["complete"], "refuted");
    let survivor = &report["survivor"];
    assert!(!survivor["choices"].as_array().unwrap().is_empty());
    let last = survivor["test"].as_array().unwrap().last().unwrap().clone();
    assert_ne!(last["outputs"], last["mutant_outputs"], "{last}");
    let mut none = place.json("out/suite.json");
    none["tests"].as_array_mut().unwrap().clear();
    fs::write(place.path("none.json"), none.to_string()).unwrap();
    let none = hyperkill(["verify", &door, "--suite", &place.arg("none.json")]);
    let none = none.expect(ExitCode::Failed);
    assert!(none.text().contains("the test it needs"), "{none:?}");
    // Circuits have no domains.
    fs::write(place.path("lock.smv"), LOCK).unwrap();
    hyperkill(["verify", &place.arg("lock.smv"), "--suite", &suite]).expect(ExitCode::Usage);
}

#[test]
fn machines_are_written_as_text_and_as_graphs_that_say_the_same() {
    let place = Place::with("door.tfsm", DOOR);
    let door = place.arg("door.tfsm");
    let counted = |model: &str| {
        let out = place.arg("written");
        hyperkill(["run", model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
        place.json("written/outcomes.json")["domain"].clone()
    };
    let before = counted(&door);
    for form in ["tfsm", "dot"] {
        let again = place.arg(&format!("again.{form}"));
        hyperkill(["translate", &door, "--to", form, "-o", &again]).expect(ExitCode::Success);
        let written = counted(&again);
        for what in ["mutants", "transitions", "places", "complete"] {
            assert_eq!(written[what], before[what], "{form}: {what}");
        }
    }
    let slash = DOOR.replace("beep", "\"be/ep\"");
    fs::write(place.path("slash.tfsm"), slash).unwrap();
    let slash = place.arg("slash.tfsm");
    let refused = hyperkill(["translate", &slash, "--to", "dot"]).expect(ExitCode::Usage);
    assert!(refused.stderr.contains("be/ep"), "{refused:?}");
    fs::write(place.path("lock.smv"), LOCK).unwrap();
    hyperkill(["translate", &place.arg("lock.smv"), "--to", "dot"]).expect(ExitCode::Usage);
}

#[test]
fn a_domain_of_faults_that_is_none_is_refused() {
    let place = Place::with("door.tfsm", DOOR);
    fs::write(place.path("lock.smv"), LOCK).unwrap();
    let [door, lock] = ["door.tfsm", "lock.smv"].map(|name| place.arg(name));
    for (model, domain, why) in [
        (&door, "chaos:3:5", "has 4 states"),
        (&door, "chaos:many:5", "no domain of faults"),
        (&door, "chaos:1000000:5", "can be kept"),
        (&lock, "chaos:9:5", "have no domains of faults"),
    ] {
        let refused = hyperkill(["list", model, "--domain", domain]);
        let said = refused.stderr.clone();
        assert_ne!(refused.code, ExitCode::Success, "{domain}");
        assert!(said.contains(why), "{domain}: {said}");
    }
}

#[test]
fn of_some_mutants_nothing_is_said_of_the_domain() {
    let place = Place::with("door.tfsm", DOOR);
    let args = [
        "run",
        &place.arg("door.tfsm"),
        "--out",
        &place.arg("out"),
        "--sample",
        "2",
    ];
    hyperkill(args).expect(ExitCode::Success);
    assert!(place.json("out/outcomes.json").get("domain").is_none());
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
    let args = [
        "run",
        &place.arg("door.tfsm"),
        "--out",
        &place.arg("out"),
        "--bound",
        "9",
    ];
    hyperkill(args).expect(ExitCode::Undecided);
    let domain = place.json("out/outcomes.json")["domain"].clone();
    assert_eq!(
        (&domain["complete"], &domain["reason"]),
        (&"unknown".into(), &"bound".into())
    );
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
}

#[test]
fn tests_say_when_each_step_happens() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    let suite = place.json("out/suite.json");
    let mut late = 0;
    for test in suite["tests"].as_array().unwrap() {
        let mut before = 0;
        for step in test["steps"].as_array().unwrap() {
            let [at, delay] = ["at", "delay"].map(|key| step[key].as_u64().unwrap());
            assert_eq!(at, before + delay, "{test:#}");
            before = at;
            late += usize::from(delay >= 29);
        }
    }
    assert!(late > 0, "the timeouts are not tested: {suite:#}");
    let files = contents(&place.path("out/tests"));
    assert!(files.keys().all(|name| name.extension().unwrap() == "txt"));
    let shown = files
        .values()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(
        shown.clone().all(|text| text.contains("delay")),
        "{:#?}",
        shown.collect::<Vec<_>>()
    );
}

#[test]
fn results_do_not_depend_on_the_number_of_jobs() {
    let outcomes = |jobs: &str| {
        let place = Place::with("door.tfsm", DOOR);
        let args = [
            "run",
            &place.arg("door.tfsm"),
            "--out",
            &place.arg("out"),
            "--jobs",
            jobs,
        ];
        hyperkill(args).expect(ExitCode::Success);
        ["outcomes.json", "suite.json"].map(|name| fs::read(place.path("out").join(name)).unwrap())
    };
    assert_eq!(outcomes("1"), outcomes("3"));
}

#[test]
fn list_and_show_take_timed_machines() {
    let place = Place::with("door.tfsm", DOOR);
    let listed = hyperkill(["list", &place.arg("door.tfsm"), "--diff"]);
    let listed = listed.expect(ExitCode::Success);
    assert!(listed.text().contains("after 29"), "{listed:?}");
    let outcomes = ran(&place);
    let id = outcomes["results"][0]["mutant"].as_str().unwrap();
    let shown = hyperkill(["show", id, &place.arg("out")]).expect(ExitCode::Success);
    assert!(shown.text().contains("conformance"), "{shown:?}");
    assert!(!shown.text().contains("not settled"), "{shown:?}");
}

#[test]
fn what_is_for_circuits_is_refused_with_a_word_on_why() {
    let place = Place::with("door.tfsm", DOOR);
    fs::write(place.path("lock.smv"), LOCK).unwrap();
    let door = place.arg("door.tfsm");
    let out = place.arg("out");
    for args in [
        &["run", &door, "--out", &out, "--property", "phi2"][..],
        &["run", &door, "--out", &out, "--tests", "tree"],
        &["run", &door, "--out", &out, "--engine", "bmc"],
        &["run", &door, "--out", &out, "--explain"],
        &["run", &door, "--out", &out, "--nd", "x"],
        &["check", &door],
        &["translate", &door],
        &["verify", "--specs", &door],
        &["verify", "--totality", &door],
    ] {
        let refused = hyperkill(args).expect(ExitCode::Usage);
        let said = &refused.stderr;
        let why = ["procedure of their own", "are none", "no circuit"];
        assert!(why.iter().any(|why| said.contains(why)), "{args:?}: {said}");
    }
    assert!(!place.path("out").exists());
}

#[test]
fn tests_with_times_are_written_in_no_form_without() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    for form in ["vcd", "smv", "verilog-testbench"] {
        let bench = place.arg("bench");
        let refused = hyperkill(["export", &place.arg("out"), "--to", form, "-o", &bench]);
        let refused = refused.expect(ExitCode::Usage);
        assert!(refused.stderr.contains("have times"), "{refused:?}");
        assert!(!place.path("bench").exists());
    }
}

#[test]
fn a_run_without_time_leaves_everything_open() {
    let place = Place::with("door.tfsm", DOOR);
    let args = [
        "run",
        &place.arg("door.tfsm"),
        "--out",
        &place.arg("out"),
        "--timeout",
        "0s",
    ];
    let ran = hyperkill(args);
    let outcomes = place.json("out/outcomes.json");
    for result in outcomes["results"].as_array().unwrap() {
        assert_eq!(
            (&result["verdict"], &result["reason"]),
            (&"unknown".into(), &"time".into())
        );
    }
    ran.expect(ExitCode::Undecided);
    hyperkill(["certify", &place.arg("out")]).expect(ExitCode::Success);
}
