//! Timed machines with outputs that depend on delays, and circuits for the question whether a mutant survives a suite.

use std::fs;

use hyperkill::ExitCode;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{Place, hyperkill};
use crate::timed::as_its_circuit_does;

/// A lock that opens on a second push within a time window.
const LOCK: &str = "\
machine lock {
  input push, pull;
  output click, open, beep;
  time s
  state Idle { push / click -> Once;  pull / beep -> Idle }
  state Once { push in [0,1] / beep -> Idle;  push in (1,3) / open -> Idle;  push in [3,never) / beep -> Idle;
    pull / beep -> Once;  after 5 -> Idle }
}
";

/// A random machine that is complete for inputs and delays. With `fine`, guards may be closed above.
fn total(seed: u64, fine: bool) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let states = rng.random_range(2..=3);
    let mut text = String::from("machine m { input a, b; output x, y;\n");
    for state in 0..states {
        text += &format!("state s{state} {{ ");
        for input in ["a", "b"] {
            let (first, second) = (rng.random_range(0..2), rng.random_range(1..=2));
            let target = |rng: &mut ChaCha8Rng| rng.random_range(0..states);
            let (one, two) = (target(&mut rng), target(&mut rng));
            let outputs = ["x", "y"];
            if rng.random_bool(0.5) {
                text += &format!("{input} / {} -> s{one}; ", outputs[first]);
                continue;
            }
            let (end, begin) = match fine && rng.random_bool(0.5) {
                true => ("]", "("),
                false => (")", "["),
            };
            text += &format!(
                "{input} in [0,{second}{end} / {} -> s{one}; ",
                outputs[first]
            );
            let other = outputs[1 - first];
            text += &format!("{input} in {begin}{second},never) / {other} -> s{two}; ");
        }
        if rng.random_bool(0.6) {
            let (after, target) = (rng.random_range(1..=4), rng.random_range(0..states));
            text += &format!("after {after} -> s{target}");
        }
        text += " }\n";
    }
    text + "}\n"
}

#[test]
fn guards_are_run_certified_and_written_and_tests_may_be_between_units() {
    let place = Place::with("lock.tfsm", LOCK);
    let (lock, out) = (place.arg("lock.tfsm"), place.arg("out"));
    hyperkill(["run", &lock, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    let outcomes = place.json("out/outcomes.json");
    assert_eq!(outcomes["domain"]["complete"], "proved", "{outcomes}");
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let suite = place.json("out/suite.json").to_string();
    assert!(suite.contains("/2\""), "{suite}");
    let csv = place.arg("csv");
    hyperkill(["export", &out, "--to", "csv", "-o", &csv]).expect(ExitCode::Success);
    // No system answers within a nanosecond.
    let echo = r#"while read -r line; do echo '{"output":"beep"}'; done"#;
    let tester = ["exec", &out, "--time-scale", "1ns", "--", "sh", "-c", echo];
    let late = hyperkill(tester).expect(ExitCode::Undecided);
    assert!(late.stderr.contains("no clock meets"), "{late:?}");
    assert!(late.text().contains("inconclusive"), "{late:?}");
    for form in ["tfsm", "dot"] {
        let (written, again) = (place.arg(&format!("l.{form}")), place.arg("again"));
        hyperkill(["translate", &lock, "--to", form, "-o", &written]).expect(if form == "dot" {
            ExitCode::Usage
        } else {
            ExitCode::Success
        });
        if form == "tfsm" {
            hyperkill(["run", &written, "--out", &again, "-q", "-q"]).expect(ExitCode::Success);
            let domain = &place.json("again/outcomes.json")["domain"];
            assert_eq!(domain["mutants"], outcomes["domain"]["mutants"]);
        }
    }
}

#[test]
fn tests_that_no_clock_is_exact_enough_for_are_left_out() {
    let sharp = "machine sharp { input a; output x, y; time s
        state S { a in [0,2) / x -> S;  a in [2,2] / y -> S;  a in (2,never) / x -> S } }";
    let place = Place::with("sharp.tfsm", sharp);
    let (model, out) = (place.arg("sharp.tfsm"), place.arg("out"));
    hyperkill(["run", &model, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    let refused = hyperkill(["exec", &out, "--", "true"]).expect(ExitCode::Usage);
    assert!(
        refused.stderr.contains("at that very moment"),
        "{refused:?}"
    );
}

#[test]
fn a_suite_that_misses_a_bound_is_refuted_with_what_the_guard_does_there() {
    let faults = "faults { Once.push: narrowed, widened }";
    let place = Place::with("lock.tfsm", format!("{LOCK}{faults}"));
    let (lock, out) = (place.arg("lock.tfsm"), place.arg("out"));
    hyperkill(["run", &lock, "--out", &out, "-q", "-q"]).expect(ExitCode::Success);
    let mut suite = place.json("out/suite.json");
    suite["tests"].as_array_mut().unwrap().pop();
    fs::write(place.path("fewer.json"), suite.to_string()).unwrap();
    let fewer = place.arg("fewer.json");
    let refuted = hyperkill(["verify", &lock, "--suite", &fewer]).expect(ExitCode::Failed);
    assert!(refuted.text().contains("Once"), "{refuted:?}");
}

#[test]
fn the_circuit_of_a_machine_with_guards_decides_as_the_exact_procedure_does() {
    let text = |seed: u64| total(seed, seed.is_multiple_of(2));
    let counts = (0..4).map(|seed| as_its_circuit_does(&text(seed), seed));
    let counts: Vec<[usize; 2]> = counts.collect();
    let [killed, equivalent] = [0, 1].map(|k| counts.iter().map(|count| count[k]).sum::<usize>());
    println!("{killed} killed, {equivalent} equivalent");
    assert!(killed > 50 && equivalent > 2);
}

/// The same machine with a few faults.
fn with_faults(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xfa);
    let mut text = total(seed, seed.is_multiple_of(2));
    text += "faults { ";
    for _ in 0..rng.random_range(1..=2) {
        let input = ["a", "b"][rng.random_range(0..2)];
        text += &match rng.random_range(0..4) {
            0 => format!("*.{input}: transfer; "),
            1 => format!("s0.{input} in [1,3) / * -> s1; "),
            2 => format!("*.after: {}, never; ", rng.random_range(1..=5)),
            _ => format!("*.{input}: output; "),
        };
    }
    text + "}\n"
}

#[test]
fn a_circuit_says_whether_a_mutant_survives_a_suite_as_the_exact_procedure_does() {
    let (mut complete, mut open, mut late) = (0, 0, 0);
    for seed in 0..12 {
        let text = with_faults(seed);
        let place = Place::with("m.tfsm", &text);
        let (machine, out) = (place.arg("m.tfsm"), place.arg("out"));
        hyperkill(["run", &machine, "-o", &out, "-q", "-q"]).expect(ExitCode::Success);
        let whole = place.json("out/suite.json");
        let count = whole["tests"].as_array().unwrap().len();
        for without in [count, 0] {
            let mut suite = whole.clone();
            if without < count {
                suite["tests"].as_array_mut().unwrap().remove(without);
            }
            fs::write(place.path("suite.json"), suite.to_string()).unwrap();
            let (suite, circuit) = (place.arg("suite.json"), place.arg("m.aig"));
            let exact = hyperkill(["verify", &machine, "--suite", &suite]).code;
            let written = [
                "translate",
                &machine,
                "--suite",
                &suite,
                "-q",
                "-o",
                &circuit,
            ];
            hyperkill(written).expect(ExitCode::Success);
            let discrete = hyperkill(["verify", &circuit, "--timeout", "3s"]).code;
            // Some circuits exceed the time limit, and then stay undecided.
            if discrete == ExitCode::Undecided {
                late += 1;
                continue;
            }
            assert_eq!(exact, discrete, "seed {seed} without {without}\n{text}");
            complete += usize::from(exact == ExitCode::Success);
            open += usize::from(exact == ExitCode::Failed);
        }
    }
    println!("{complete} complete, {open} not, {late} not in time");
    assert!(complete > 4 && open > 4);
}
