//! Prolog reads the same files and runs the semantics of \[2, Fig. 3\] (`fig3.pl`): it makes the same steps as the interpreter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hyperkill_core::sort::Value;
use hyperkill_frontend::SourceFile;
use hyperkill_guarded::interpret::{State, initial, steps};
use hyperkill_guarded::model::check;

use crate::random::{cases, system};

/// The number of states of a system that are compared, in breadth-first order.
const STATES: usize = 120;

/// For each state of a system its steps, as `fig3.pl` writes them.
type Steps = BTreeMap<String, BTreeSet<String>>;

fn spelled(state: &State) -> String {
    let values: Vec<String> = state.iter().map(Value::to_string).collect();
    format!("[{}]", values.join(","))
}

/// Returns the steps of the first [`STATES`] states of a system by the interpreter, and its initial state.
fn interpreted(text: &str) -> (Steps, String) {
    let source = SourceFile::new("m.as", text);
    let read = hyperkill_action_systems::read(&source).expect("a system");
    let model = check(&read.system).expect("a model");
    let first = initial(&model);
    let mut known: BTreeSet<State> = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([first.clone()]);
    let mut all = Steps::new();
    while let Some(state) = open.pop_front() {
        let mut lines = BTreeSet::new();
        for (offer, next) in steps(&model, &state) {
            let label = &model.action(offer.event).name.text;
            let values: Vec<String> = offer.values.iter().map(Value::to_string).collect();
            let call = match values.is_empty() {
                true => label.clone(),
                false => format!("{label}({})", values.join(",")),
            };
            lines.insert(format!("{call} {}", spelled(&next)));
            if known.len() < STATES && known.insert(next.clone()) {
                open.push_back(next);
            }
        }
        all.insert(spelled(&state), lines);
    }
    (all, spelled(&first))
}

/// Returns for each system the steps of the same states by Prolog, and the initial state. `questions` are the files and the steps of the
/// interpreter. `None` without Prolog.
fn by_prolog(questions: &[(PathBuf, &Steps)]) -> Option<Vec<(Steps, String)>> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/action_systems/fig3.pl");
    let mut child = Command::new("swipl")
        .args(["-q", "-g", "main", "-t", "halt"])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut asked = String::new();
    for (file, steps) in questions {
        let states: Vec<&str> = steps.keys().map(String::as_str).collect();
        let _ = writeln!(
            asked,
            "steps('{}', [{}]).",
            file.display(),
            states.join(", ")
        );
    }
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = child.wait_with_output().expect("what Prolog says");
    writer
        .join()
        .expect("a writer")
        .expect("all questions are read");
    assert!(output.status.success(), "{:?}", output.status);
    let said = String::from_utf8(output.stdout).expect("text");
    let empty = |(_, asked): &(PathBuf, &Steps)| {
        let states = asked.keys().map(|state| (state.clone(), BTreeSet::new()));
        (states.collect(), String::new())
    };
    let mut answers: Vec<(Steps, String)> = questions.iter().map(empty).collect();
    for line in said.lines() {
        let mut words = line.splitn(3, ' ');
        let (number, state, rest) = (words.next(), words.next(), words.next());
        let number: usize = number
            .and_then(|number| number.parse().ok())
            .expect("a number");
        let (state, rest) = state.zip(rest).unwrap_or_else(|| panic!("{line}"));
        let (steps, first) = &mut answers[number];
        match rest {
            "init" => state.clone_into(first),
            step => {
                let known = steps.get_mut(state).unwrap_or_else(|| panic!("{line}"));
                known.insert(step.to_owned());
            }
        }
    }
    Some(answers)
}

/// Checks that Prolog makes the same steps in these systems, given as files with their texts; skipped without Prolog.
fn must_agree(systems: &[(PathBuf, String)]) {
    let ours: Vec<(Steps, String)> = systems.iter().map(|(_, text)| interpreted(text)).collect();
    let questions = systems.iter().zip(&ours);
    let questions = questions.map(|((file, _), (steps, _))| (file.clone(), steps));
    let Some(theirs) = by_prolog(&questions.collect::<Vec<_>>()) else {
        let _ = std::io::stderr().write_all(
            b"SKIPPED: steps of action systems beside Prolog (swipl is not installed)\n",
        );
        return;
    };
    for (((file, text), ours), theirs) in systems.iter().zip(&ours).zip(&theirs) {
        assert_eq!(ours.1, theirs.1, "{}\n{text}", file.display());
        for (state, steps) in &ours.0 {
            assert_eq!(
                steps,
                &theirs.0[state],
                "{} in {state}\n{text}",
                file.display()
            );
        }
    }
    let steps = ours.iter().flat_map(|(steps, _)| steps.values());
    assert!(steps.map(BTreeSet::len).sum::<usize>() > 10 * systems.len());
}

#[test]
fn prolog_makes_the_same_steps_of_the_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/action-system");
    let files = [
        "car-alarm/model.as",
        "car-alarm/inputs.as",
        "lift/model.as",
        "token-ring/model.as",
        "till/model.as",
    ];
    let systems = files.map(|file| {
        let file = folder.join(file);
        let text = std::fs::read_to_string(&file).expect("a model");
        (file, text)
    });
    must_agree(&systems);
}

#[test]
fn prolog_makes_the_same_steps_of_random_systems() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let systems = (0..cases(60)).map(|seed| {
        let text = system(70_000 + seed, seed % 3 == 0);
        let file = folder.join(format!("prolog-{seed}.as"));
        std::fs::write(&file, &text).expect("a file");
        (file, text)
    });
    must_agree(&systems.collect::<Vec<_>>());
}
