//! Machines with known verdicts: the running example of [1], a protocol with timeouts, timeouts of thousands.

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_core::time::Time;
use hyperkill_core::verdict::{Reason, Strength, Verdict};
use hyperkill_frontend::FrontendOptions;

use crate::machines::Read;

/// The running example of [1].
const RUNNING: &str = "machine running {
  input a, b;  output x, y;
  state s1 { a / x -> s1;  b / x -> s2;  after 4 -> s4 }
  state s2 { b / x -> s2;  a / x -> s3;  after never }
  state s3 { a / x -> s3;  b / x -> s4;  after 5 -> s2 }
  state s4 { a / y -> s1;  b / x -> s4 }
}
faults {
  s4.a / y -> s2;  s3.a / y -> s3;  s3.b / x -> s3;  s1.after: 3;  s3.after: 8 -> s1
}";

fn step(at: &str, input: &str, output: &str) -> Step {
    let value = |name: &str, value: &str| (name.to_owned(), Value::Symbol(value.to_owned()));
    Step {
        at: Some(at.parse().expect("a time")),
        inputs: vec![value("input", input)],
        outputs: vec![value("output", output)],
        ..Step::default()
    }
}

fn spelled(test: &[Step]) -> String {
    let symbol = |values: &[(String, Value)]| {
        values
            .first()
            .map_or("-".to_owned(), |(_, v)| v.to_string())
    };
    let steps = test.iter().map(|step| {
        let at = step.at.unwrap_or(Time::ZERO);
        format!("{at} {}/{}", symbol(&step.inputs), symbol(&step.outputs))
    });
    steps.collect::<Vec<_>>().join(", ")
}

/// Returns the id of the mutant with this path and this replacement; panics if there is none.
fn at<'a>(read: &'a Read, path: &str, replacement: &str) -> &'a MutantId {
    let mut mutants = read.model.mutations.iter().map(|m| &m.mutant);
    let found = mutants.find(|m| m.path == path && m.replacement == replacement);
    &found
        .unwrap_or_else(|| panic!("no {replacement} at {path}: {:?}", read.model.mutations))
        .id
}

#[test]
fn every_single_fault_of_the_running_example_is_killed_by_a_shortest_test() {
    let read = Read::new(RUNNING, None);
    let budget = Budget::unlimited();
    let expected = [
        // t16: 3 units are over before b.
        ("running/s1.after", "3", "3 a/x", "3 a/y"),
        (
            "running/s3.a",
            "y",
            "0 b/x, 0 a/x, 0 a/x",
            "0 b/x, 0 a/x, 0 a/y",
        ),
        (
            "running/s3.b",
            "s3",
            "0 b/x, 0 a/x, 0 b/x, 0 a/y",
            "0 b/x, 0 a/x, 0 b/x, 0 a/x",
        ),
        (
            "running/s3.after",
            "8 -> s1",
            "0 b/x, 0 a/x, 12 a/x",
            "0 b/x, 0 a/x, 12 a/y",
        ),
        ("running/s4.a", "s2", "4 a/y, 8 a/y", "4 a/y, 8 a/x"),
    ];
    assert_eq!(read.model.mutations.len(), expected.len());
    for (path, replacement, model_run, mutant_run) in expected {
        let id = at(&read, path, replacement);
        let verdict = read.decider.decide(id, None, &budget);
        assert_eq!(read.rechecker.recheck(id, &verdict, &budget), Ok(()));
        let Verdict::Killed(kill) = verdict else {
            panic!("{path}: {verdict:?}");
        };
        assert!(kill.shortest && kill.sole_run && kill.strength == Strength::Definite);
        let runs = (spelled(&kill.model_run), spelled(&kill.mutant_run));
        assert_eq!(
            runs,
            (model_run.to_owned(), mutant_run.to_owned()),
            "{path}"
        );
    }
}

#[test]
fn tests_with_fractions_of_units_are_answered_as_the_paper_says() {
    let read = Read::new(RUNNING, None);
    let budget = Budget::unlimited();
    let test = |last: &str| {
        let times = [("3.5", "b", "x"), ("4.5", "a", "x"), ("17", "a", last)];
        times.map(|(at, input, output)| step(at, input, output))
    };
    // The timeouts of s1 and s3 after 3 and 8 are noticed; the other faults are not on the way.
    let killed = ["running/s1.after", "running/s3.after"];
    for mutation in &read.model.mutations {
        let mutant = &mutation.mutant;
        let kills = read.decider.kills(&test("x"), &mutant.id);
        let is_killed = killed.contains(&mutant.path.as_str());
        assert_eq!(
            kills,
            is_killed.then_some(Strength::Definite),
            "{}",
            mutant.path
        );
        let strength = Strength::Definite;
        let checked = read
            .rechecker
            .recheck_kill(&test("x"), &mutant.id, strength, &budget);
        assert_eq!(checked.is_ok(), is_killed, "{checked:?}");
        // The machine answers x, not y.
        assert_eq!(read.decider.kills(&test("y"), &mutant.id), None);
        let checked = read
            .rechecker
            .recheck_kill(&test("y"), &mutant.id, strength, &budget);
        let why = checked.unwrap_err().to_string();
        assert_eq!(why, "the model does not answer as the test expects");
    }
}

#[test]
fn a_timeout_comes_before_an_input_of_the_same_moment() {
    let read = Read::new(RUNNING, None);
    let id = at(&read, "running/s1.after", "3");
    let kills = |at: &str, output: &str| {
        let test = [step(at, "a", output)];
        let budget = Budget::unlimited();
        let kills = read.decider.kills(&test, id).is_some();
        let checked = read
            .rechecker
            .recheck_kill(&test, id, Strength::Definite, &budget);
        assert_eq!(kills, checked.is_ok(), "{at}");
        kills
    };
    // Between 3 and 4 only the mutant has gone on.
    assert!(!kills("2.999", "x") && kills("3", "x") && kills("3.999", "x"));
    assert!(!kills("4", "y") && !kills("4", "x"));
}

fn verdicts(text: &str) -> Vec<String> {
    let read = Read::with(text, &FrontendOptions::default(), None);
    let budget = Budget::unlimited();
    let found = read.model.mutations.iter().map(|mutation| {
        let id = &mutation.mutant.id;
        let verdict = read.decider.decide(id, None, &budget);
        assert_eq!(
            read.rechecker.recheck(id, &verdict, &budget),
            Ok(()),
            "{id}"
        );
        let test = verdict
            .kill()
            .map_or(String::new(), |kill| spelled(&kill.model_run));
        format!("{} {}", verdict.word(), test)
    });
    found.collect()
}

#[test]
fn the_models_of_the_repository_are_decided_and_their_evidence_holds() {
    let kettle = include_str!("../../../../../tests/models/timed-fsm/kettle/model.tfsm");
    let download = include_str!("../../../../../tests/models/timed-fsm/download/model.tfsm");
    for (text, killed, equivalent) in [(kettle, 84, 0), (download, 91, 0)] {
        let found = verdicts(text);
        let count = |word: &str| found.iter().filter(|v| v.starts_with(word)).count();
        assert_eq!(
            (count("killed"), count("equivalent")),
            (killed, equivalent),
            "{found:#?}"
        );
    }
}

#[test]
fn long_timeouts_are_compared_without_waiting() {
    let text = "machine rounds {
      input a;  output x, y;
      state A { a / x -> A;  after 2999 -> B }
      state B { a / x -> A;  after 1 -> C }
      state C { a / x -> A;  after 2999 -> D }
      state D { a / y -> A;  after 1 -> A }
    }
    faults { D.after: 2;  A.after: 2998;  C.after: 3000 }";
    let found = verdicts(text);
    assert_eq!(
        found,
        ["killed 5998 a/x", "killed 5999 a/y", "killed 6000 a/x"]
    );
    let equal = text.replace("a / y", "a / x");
    let found = verdicts(&equal);
    assert!(found.iter().all(|v| v == "equivalent "), "{found:?}");
    let longest = text.replace("2999", "4294967295");
    let found = verdicts(&longest);
    assert!(found.iter().all(|v| v.starts_with("killed ")), "{found:?}");
}

#[test]
fn circles_that_drift_apart_by_a_unit_each_round_are_told_apart_where_they_first_can_be() {
    // The machine is in P2 in the last unit of every 3000, the mutant in Q in the first of every 3001: first at once in round 2999.
    let text = "machine drift {
      input go, a;  output x, y;
      state S  { go / x -> P }
      state P  { after 2999 -> P2 }
      state P2 { a / y -> S;  after 1 -> P }
      state Q  { a / x -> S;  after 1 -> Q2 }
      state Q2 { a / y -> S;  after 3000 -> Q }
    }
    faults { S.go / x -> Q }";
    assert_eq!(verdicts(text), ["killed 0 go/x, 8999999 a/y"]);
    // In rounds of the same length they are never at once.
    let same = text.replace("after 3000 -> Q", "after 2999 -> Q");
    assert_eq!(verdicts(&same), ["equivalent "]);
}

#[test]
fn what_a_mutant_does_where_the_machine_says_nothing_is_never_asked() {
    let text = "machine partial {
      input a, b;  output x, y;
      state S { a / x -> T }
      state T { a / x -> S;  b / y -> S }
    }
    faults { S.b / y -> S;  T.b: transfer;  S.a: transfer }";
    // A mutant without an answer fails, since the test gives an input that the machine answers.
    assert_eq!(
        verdicts(text),
        [
            "equivalent ",
            "killed 0 a/x, 0 b/y",
            "killed 0 a/x, 0 b/y, 0 a/x, 0 b/y"
        ]
    );
}

#[test]
fn a_spent_budget_ends_the_search_with_what_is_known() {
    let read = Read::new(RUNNING, None);
    let id = at(&read, "running/s3.b", "s3");
    let verdict = read.decider.decide(id, None, &Budget::spent());
    let reason = Reason::Interrupted;
    assert_eq!(
        verdict,
        Verdict::Unknown {
            known_to: 0,
            reason
        }
    );
}
