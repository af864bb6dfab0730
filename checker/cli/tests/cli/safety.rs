//! Files without mutants: bad states, with witnesses and certificates as in the hardware model checking competition.

use hyperkill::ExitCode;
use hyperkill_core::aiger::read;
use hyperkill_core::aiger::stimulus::{Property, Witness, read_witnesses};

use crate::support::{Place, hyperkill};

/// A counter of two bits that goes 0, 1, 2, 0: b0 is reached after two steps, b1 never.
const COUNTER: &str = "\
aag 6 1 2 0 3 2
2
4 8
6 10
6
12
8 5 7
10 4 7
12 4 6
i0 unused
b0 two
b1 three
";

#[test]
fn bad_states_are_found_or_excluded_and_both_are_written_down() {
    let place = Place::with("counter.aag", COUNTER);
    let evidence = place.arg("evidence");
    let ran = hyperkill([
        "verify",
        &place.arg("counter.aag"),
        "--witness",
        &evidence,
        "--format",
        "json",
    ]);
    let report = ran.expect(ExitCode::Failed).json();
    assert_eq!(report["schema"], "hyperkill.check/1");
    let results = report["results"].as_array().unwrap();
    let verdicts: Vec<_> = results.iter().map(|r| r["verdict"].as_str()).collect();
    assert_eq!(verdicts, [Some("fails"), Some("holds")]);
    assert_eq!(results[0]["steps"], 3);
    assert_eq!(results[1]["name"], "three");

    let witness = std::fs::read(place.path("evidence/b0.witness")).unwrap();
    let witnesses = read_witnesses(&witness, 2, 1).unwrap();
    let [
        Witness::Possible {
            properties, steps, ..
        },
    ] = witnesses.as_slice()
    else {
        panic!("{witnesses:?}");
    };
    assert_eq!(properties, &[Property::Bad(0)]);
    assert_eq!(steps.len(), 3);

    // The certificate is the circuit with a stronger property, which holds by one induction step.
    let certificate = std::fs::read(place.path("evidence/b1.certificate.aig")).unwrap();
    let circuit = read(&certificate).unwrap();
    assert_eq!((circuit.inputs().len(), circuit.latches().len()), (1, 2));
    assert_eq!(circuit.bad.len(), 1);
    let again = place.arg("evidence/b1.certificate.aig");
    let again = hyperkill(["verify", &again, "--format", "json"]);
    let again = again.expect(ExitCode::Success).json();
    assert_eq!(again["results"][0]["verdict"], "holds");
}

/// Three latches without a reset, one of them without a name: the bad state `a & !b & latch2` is reached only from some first values.
const FREE: &str = "\
aag 6 1 3 0 2 1
2
4 4 4
6 2 6
8 8 8
12
10 7 4
12 10 8
i0 given
l0 a
l1 b
b0 found
";

#[test]
fn a_run_into_a_bad_state_names_the_first_values_of_latches_without_a_reset() {
    let place = Place::with("free.aag", FREE);
    let args = ["verify", &place.arg("free.aag"), "--witness"];
    hyperkill(args.iter().chain(&[&*place.arg("evidence")])).expect(ExitCode::Failed);
    let text = std::fs::read_to_string(place.path("evidence/b0.run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
    let values = |step: &serde_json::Value| step.as_i64().unwrap();
    // A stranger replays the run: `b` takes the input, the other latches keep their values.
    let first = |name: &str| values(&run["initial"][name]);
    let mut b = first("b");
    let steps = run["steps"].as_array().unwrap();
    for step in &steps[..steps.len() - 1] {
        b = values(&step["inputs"]["given"]);
    }
    assert_eq!((first("a"), b, first("latch2")), (1, 0, 1), "{text}");
}

#[test]
fn outputs_are_bad_where_a_file_knows_nothing_newer() {
    let place = Place::with("old.aag", "aag 1 1 0 2 0\n2\n2\n0\n");
    let ran = hyperkill(["verify", &place.arg("old.aag")]);
    let ran = ran.expect(ExitCode::Failed);
    assert_eq!(
        ran.text(),
        "o0  fails  run of 1 step\no1  holds  invariant of 0 clauses\n"
    );
    let ran = hyperkill(["check", &place.arg("old.aag"), "--fail-under", "9"]);
    let ran = ran.expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--fail-under"), "{}", ran.stderr);
}

/// Counts to 3, which has no successor. The invariants fail at the first state, in the last state, and nowhere.
const SPECS: &str = "\
MODULE main
VAR c : counter(2);
INVARSPEC NAME never := c.n != 0
INVARSPEC c.n < 3
INVARSPEC c.n in 0..3
INVARSPEC next(c.n) > c.n
MODULE counter(step)
VAR n : 0..7;
INIT n = 0
TRANS n < 3 & next(n) = n + 1 + toint(n = step) * 0
";

#[test]
fn invariants_of_a_model_are_checked_even_in_states_that_no_step_leaves() {
    let place = Place::with("counts.smv", SPECS);
    let file = place.arg("counts.smv");
    let ran = hyperkill(["verify", "--specs", &file, "--format", "json"]);
    let report = ran.expect(ExitCode::Failed).json();
    let results = report["results"].as_array().unwrap();
    let verdicts: Vec<_> = results
        .iter()
        .map(|r| r["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["fails", "fails", "holds", "holds"]);
    assert_eq!(results[0]["name"], "never");
    assert_eq!(results[0]["steps"], 1);
    assert_eq!(results[1]["name"], "c.n < 3");
    assert_eq!(results[1]["steps"], 4);
}

/// The first invariant holds and the second fails, as in NuSMV: an invariant that reads `go` is about steps that can be taken.
const READS_INPUT: &str = "\
MODULE main
IVAR go : boolean;
VAR s : boolean;
DEFINE both := s & go;
ASSIGN init(s) := FALSE;
TRANS next(s) = (s | go)
TRANS s -> !go
INVARSPEC !both
INVARSPEC !s
";

#[test]
fn invariants_that_read_an_input_are_about_steps_that_can_be_made() {
    let place = Place::with("reads.smv", READS_INPUT);
    let file = place.arg("reads.smv");
    let ran = hyperkill(["verify", "--specs", &file, "--format", "json"]);
    let report = ran.expect(ExitCode::Failed).json();
    let results = report["results"].as_array().unwrap();
    let verdicts = results.iter().map(|r| r["verdict"].as_str().unwrap());
    assert_eq!(verdicts.collect::<Vec<_>>(), ["holds", "fails"]);
}

#[test]
fn a_model_without_invariants_has_none_to_check() {
    let place = Place::with(
        "plain.smv",
        "MODULE main\nVAR x : boolean;\nASSIGN next(x) := !x;\n",
    );
    let ran = hyperkill(["verify", "--specs", &place.arg("plain.smv")]);
    ran.expect(ExitCode::Usage);
}

#[test]
fn an_invariant_without_a_value_is_refused_and_the_model_is_not() {
    let text =
        "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 1; next(x) := x;\nINVARSPEC 3 / x > 0\n";
    let place = Place::with("divides.smv", text);
    let file = place.arg("divides.smv");
    hyperkill(["list", &file]).expect(ExitCode::Success);
    let ran = hyperkill(["verify", "--specs", &file]).expect(ExitCode::InvalidModel);
    assert!(ran.stderr.contains("division by zero, in an INVARSPEC"));
}
