//! Timed machines, a language that decides its mutants itself: runs, timed tests, and evidence in the language's own form.

use std::collections::BTreeMap;
use std::fs;

use hyperkill::ExitCode;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::support::{LOCK, Place, contents, hyperkill, verdicts};

/// A door that closes after a while, with two indistinguishable states.
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
    // A transition to Gaping in place of Wide is equivalent; all other changes are killed.
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

/// Runs the door with a domain of faults in a file, and returns the result for the domain.
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
    // Four targets, two outputs, three new timeouts and the original one: 4 · 2 · 4 - 1.
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
    // The suite is complete for its own domain, but not for this larger one.
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
        (&door, "chaos:many:5", "not a domain of faults"),
        (&door, "chaos:1000000:5", "can be kept"),
        (&lock, "chaos:9:5", "has no domains of faults"),
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
        &["run", &door, "--out", &out, "--external", "x {model}"],
        &["run", &door, "--out", &out, "--nd", "x"],
        &["check", &door],
        &["verify", "--specs", &door],
        &["verify", "--totality", &door],
    ] {
        let refused = hyperkill(args).expect(ExitCode::Usage);
        let said = &refused.stderr;
        let why = [
            "procedure of their own",
            "which symbols are inputs",
            "no circuit",
        ];
        assert!(why.iter().any(|why| said.contains(why)), "{args:?}: {said}");
    }
    assert!(!place.path("out").exists());
}

#[test]
fn tests_with_times_are_written_in_no_form_without() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    for form in ["smv", "verilog-testbench", "cocotb", "sva"] {
        let bench = place.arg("bench");
        let refused = hyperkill(["export", &place.arg("out"), "--to", form, "-o", &bench]);
        let refused = refused.expect(ExitCode::Usage);
        assert!(refused.stderr.contains("have times"), "{refused:?}");
        assert!(!place.path("bench").exists());
    }
}

#[test]
fn tables_and_waveforms_have_the_times_of_tests() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    let suite = place.json("out/suite.json");
    let tests = suite["tests"].as_array().unwrap();
    let written = place.arg("written");
    for form in ["csv", "vcd"] {
        let args = ["export", &place.arg("out"), "--to", form, "-o", &written];
        hyperkill(args).expect(ExitCode::Success);
    }
    let table = fs::read_to_string(place.path("written/tests.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("at,delay,input,output"));
    let steps = |test: &Value| test["steps"].as_array().unwrap().clone();
    let rows = tests.iter().map(|test| {
        let rows = steps(test).into_iter().map(|step| {
            let (input, output) = (&step["inputs"]["input"], &step["outputs"]["output"]);
            let names = [input, output].map(|name| name.as_str().unwrap());
            format!("{},{},{}", step["at"], step["delay"], names.join(","))
        });
        rows.collect::<Vec<String>>().join("\n")
    });
    let expected = rows.collect::<Vec<String>>().join("\n\n");
    assert_eq!(lines.collect::<Vec<&str>>().join("\n"), expected);
    for test in tests {
        let name = format!("written/{}.vcd", test["id"].as_str().unwrap());
        let text = fs::read_to_string(place.path(&name)).unwrap();
        // A unit is a second. At most nine inputs are at one time, so a tenth of a second separates them.
        assert!(text.contains("$timescale 100 ms $end"), "{text}");
        let stamps = text.lines().filter_map(|line| line.strip_prefix('#'));
        let stamps: Vec<u64> = stamps.map(|stamp| stamp.parse().unwrap()).collect();
        assert!(stamps.is_sorted_by(|one, other| one < other), "{text}");
        let whole = stamps[..stamps.len() - 1].iter().map(|stamp| stamp / 10);
        let said = steps(test)
            .into_iter()
            .map(|step| step["at"].as_u64().unwrap());
        assert!(whole.eq(said), "{text}");
    }
}

/// A lamp without timeouts and with an unknown unit: a system need not wait for its tests.
const LAMP: &str = "machine lamp { input press, look; output on, off; time blinks
  state Dark { press / on -> Bright; look / off -> Dark }
  state Bright { press / off -> Dark; look / on -> Bright } }";

/// The same lamp as a shell script; `$1` is its answer to a second press.
const SHELL: &str = concat!(
    "lamp=off; while read line; do case \"$line\" in ",
    "*press*) case $lamp in off) lamp=on;; *) lamp=off;; esac;; esac; ",
    r#"echo "{\"output\":\"${1:-$lamp}\"}"; done"#
);

#[test]
fn tests_with_times_are_run_as_soon_as_it_is_known_how_long_a_unit_lasts() {
    let place = Place::with("lamp.tfsm", LAMP);
    let (model, out) = (place.arg("lamp.tfsm"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out, "-q", "-q"]).expect(ExitCode::Success);
    let exec = |options: &[&str], answer: &str| {
        let before = ["exec", &out].into_iter().chain(options.iter().copied());
        hyperkill(before.chain(["--", "sh", "-c", SHELL, "lamp", answer]))
    };
    let refused = exec(&[], "").expect(ExitCode::Usage);
    assert!(refused.stderr.contains("`blinks`"), "{refused:?}");
    // All delays are 0, so each answer has an hour.
    let passed = exec(&["--time-scale", "1h", "--format", "json"], "").expect(ExitCode::Success);
    assert_eq!(passed.json()["tests"]["fail"], 0);
    assert!(passed.stderr.contains("a unit lasts 1h"), "{passed:?}");
    let junit = place.arg("junit.xml");
    let failed = exec(&["--time-scale", "1h", "--junit", &junit], "on");
    let failed = failed.expect(ExitCode::Failed);
    assert!(failed.text().contains("expected output=off"), "{failed:?}");
    assert!(fs::read_to_string(&junit).unwrap().contains("<failure"));
}

/// A random machine with timeouts that is complete for inputs in every state.
fn total(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let states = rng.random_range(2..=4);
    let mut text = String::from("machine m { input a, b; output x, y;\n");
    for state in 0..states {
        text += &format!("state s{state} {{ ");
        for input in ["a", "b"] {
            let output = ["x", "y"][rng.random_range(0..2)];
            let target = rng.random_range(0..states);
            text += &format!("{input} / {output} -> s{target}; ");
        }
        if rng.random_bool(0.7) {
            let (after, target) = (rng.random_range(1..=5), rng.random_range(0..states));
            text += &format!("after {after} -> s{target}");
        }
        text += " }\n";
    }
    text + "}\n"
}

/// Decides the mutants of a machine exactly, and by its circuit; both must agree. Returns the numbers of killed and equivalent mutants.
pub(crate) fn as_its_circuit_does(text: &str, seed: u64) -> [usize; 2] {
    let place = Place::with("m.tfsm", text);
    let (machine, circuit) = (place.arg("m.tfsm"), place.arg("m.aag"));
    hyperkill(["translate", &machine, "-q", "-o", &circuit]).expect(ExitCode::Success);
    let outcomes = |model: &str, out: &str| {
        let folder = place.arg(out);
        hyperkill(["run", model, "-o", &folder, "-q", "-q"]).expect(ExitCode::Success);
        place.json(&format!("{out}/outcomes.json"))
    };
    let (exact, discrete) = (outcomes(&machine, "exact"), outcomes(&circuit, "discrete"));
    let alike: BTreeMap<&str, &str> = (discrete["results"].as_array().unwrap().iter())
        .filter_map(|result| Some((result["mutant"].as_str()?, result["of"].as_str()?)))
        .collect();
    let (exact, discrete) = (verdicts(&exact), verdicts(&discrete));
    assert_eq!(exact.len(), discrete.len());
    for (mutant, verdict) in &exact {
        let mut other = mutant.as_str();
        // A duplicate has the verdict of the mutant with the same circuit.
        while let Some(like) = alike.get(other) {
            other = like;
        }
        assert_eq!(*verdict, discrete[other], "seed {seed}, {mutant}\n{text}");
    }
    let count = |word: &str| exact.values().filter(|verdict| *verdict == word).count();
    [count("killed"), count("equivalent")]
}

#[test]
fn the_circuit_in_discrete_time_decides_every_mutant_as_the_exact_procedure_does() {
    let counts = (0..4).map(|seed| as_its_circuit_does(&total(seed), seed));
    let counts: Vec<[usize; 2]> = counts.collect();
    let [killed, equivalent] = [0, 1].map(|k| counts.iter().map(|count| count[k]).sum::<usize>());
    println!("{killed} killed, {equivalent} equivalent");
    assert!(killed > 50 && equivalent > 2);
}

#[test]
fn what_a_machine_says_nothing_about_is_no_circuit_and_may_be_an_error() {
    let gap = "machine gap { input a, b; output x; state S { a / x -> S } }";
    let place = Place::with("gap.tfsm", gap);
    let (model, out) = (place.arg("gap.tfsm"), place.arg("out"));
    let says = "state `S` has no answer to `b`";
    let refused = hyperkill(["translate", &model]).expect(ExitCode::InvalidModel);
    assert!(refused.stderr.contains(says), "{refused:?}");
    let refused = hyperkill(["run", &model, "--undefined", "error", "-o", &out]);
    let refused = refused.expect(ExitCode::InvalidModel);
    assert!(refused.stderr.contains(says), "{refused:?}");
    assert!(!place.path("out").exists());
    let options = ["--undefined", "ignore", "-o", &out, "-q", "-q"];
    hyperkill(["run", &model].into_iter().chain(options)).expect(ExitCode::Success);
}

#[test]
fn a_classic_suite_is_one_to_begin_with_and_its_size_is_said() {
    let place = Place::with("lamp.tfsm", LAMP);
    let (model, out) = (place.arg("lamp.tfsm"), place.arg("out"));
    let run = |options: &[&str]| {
        let before = ["run", &model, "-o", &out, "--domain", "chaos:2:0"];
        hyperkill(before.into_iter().chain(options.iter().copied()))
    };
    for method in ["w", "wp", "hsi", "h", "spy"] {
        let ran = run(&["--method", method]).expect(ExitCode::Success);
        let said = format!("method {method}: ");
        assert!(ran.stderr.contains(&said), "{ran:?}");
        assert_eq!(
            place.json("out/outcomes.json")["domain"]["complete"],
            "proved"
        );
    }
    let gap = "machine gap { input a, b; output x; state S { a / x -> S } }";
    fs::write(place.path("lamp.tfsm"), gap).unwrap();
    let refused = run(&["--method", "h"]).expect(ExitCode::Usage);
    assert!(refused.stderr.contains("--method h"), "{refused:?}");
}

#[test]
fn a_classic_suite_that_is_not_found_in_time_leaves_a_folder_with_verdicts() {
    let place = Place::with("lamp.tfsm", LAMP);
    let (model, out) = (place.arg("lamp.tfsm"), place.arg("out"));
    let limits = ["--method", "w", "--timeout", "0s"];
    let run = ["run", &model, "-o", &out, "--domain", "chaos:2:0"];
    let ran = hyperkill(run.into_iter().chain(limits)).expect(ExitCode::Undecided);
    assert!(ran.stderr.contains("--method w: "), "{ran:?}");
    let outcomes = place.json("out/outcomes.json");
    assert_eq!(outcomes["domain"]["complete"], "unknown");
    let results = outcomes["results"].as_array().unwrap();
    assert!(!results.is_empty());
}

#[test]
fn the_proof_of_a_complete_suite_is_written_for_other_checkers() {
    let place = Place::with("door.tfsm", DOOR);
    ran(&place);
    let (model, suite) = (place.arg("door.tfsm"), place.arg("out/suite.json"));
    let folder = place.arg("proof");
    let verify = ["verify", &model, "--suite", &suite, "--proof", &folder];
    hyperkill(verify).expect(ExitCode::Success);
    let clauses = fs::read_to_string(place.path("proof/complete.cnf")).unwrap();
    assert!(
        clauses.contains("is Shut: open / ok -> Ajar\n"),
        "{clauses}"
    );
    assert!(clauses.lines().any(|line| line.starts_with("p cnf ")));
    let steps = fs::read_to_string(place.path("proof/complete.lrat")).unwrap();
    assert!(steps.lines().last().unwrap().contains(" 0 "), "{steps}");
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
