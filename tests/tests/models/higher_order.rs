//! Second-order mutants in `translate`, `list` and `run --order`: each equals the text with both edits. Mutants that are left out are
//! invalid or killed by first-order tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hyperkill::{ExitCode, Io};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::{NamesDecide, conditional_mutant, read};
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_frontend::apply;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// A model that counts pushes up to a limit, and drains. Some changes leave the range, and some pairs of changes do so although each
/// alone is valid.
const TANK: &str = "\
MODULE main
DEFINE full := level >= 4;
VAR
  push : boolean;
  drain : boolean;
  level : 0..5;
  warm : boolean;
ASSIGN
  init(level) := 0;
  next(level) := case
    push & !full : level + 1;
    drain & level > 1 : level - 1;
    TRUE : level;
  esac;
  init(warm) := FALSE;
  next(warm) := warm & !drain | level > 2 & push;
";
const OPERATORS: [&str; 6] = [
    "--operator",
    "ROR",
    "--operator",
    "ICR",
    "--operator",
    "LOR",
];

/// Runs a command. Returns its exit status, standard output and standard error.
fn command(args: &[&str]) -> (ExitCode, String, String) {
    let (mut io, captured) = Io::captured("");
    let words = ["hyperkill"].iter().chain(args).map(OsString::from);
    let code = hyperkill::main(words, &mut io);
    (code, captured.stdout.text(), captured.stderr.text())
}

fn circuit(file: &Path) -> ConditionalMutant {
    let bytes = fs::read(file).expect("a file");
    conditional_mutant(read(&bytes).expect("a circuit"), &NamesDecide).expect("roles")
}

/// Returns the ids of the changes in each mutant, by its id, from the comments of a file.
fn parts(file: &Path) -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(file).expect("a file");
    let lines = text.lines().filter_map(|line| {
        let (id, changes) = line.strip_prefix("mutant ")?.split_once(" changes ")?;
        Some((
            id.to_owned(),
            changes.split(' ').map(str::to_owned).collect(),
        ))
    });
    lines.collect()
}

/// Returns the model's text with all of these changes, which are ids of mutants.
fn edited(mutants: &BTreeMap<String, Mutant>, changes: &[String]) -> String {
    let mut changes: Vec<&Mutant> = changes.iter().map(|id| &mutants[id]).collect();
    // The later place is replaced first, so that the earlier one stays valid.
    changes.sort_by_key(|mutant| std::cmp::Reverse((mutant.place.start, mutant.place.end)));
    let mut text = TANK.to_owned();
    for mutant in changes {
        text = apply(&text, mutant).expect("the original is there");
    }
    text
}

#[test]
fn mutants_of_two_changes_are_the_text_with_both_edits_and_those_left_out_are_no_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (tank, pairs, one) = (place("tank.smv"), place("pairs.aag"), place("one.aag"));
    fs::write(&tank, TANK).expect("a file");
    let translate = |args: &[&str]| {
        let all: Vec<&str> = ["translate", &tank]
            .iter()
            .chain(&OPERATORS)
            .chain(args)
            .copied()
            .collect();
        let (code, _, said) = command(&all);
        assert_eq!(code, ExitCode::Success, "{said}");
        said
    };
    translate(&["-o", &one]);
    let said = translate(&["--order", "2", "-o", &pairs]);
    let single = circuit(Path::new(&one));
    let combined = circuit(Path::new(&pairs));
    let mutants = single
        .mutants
        .iter()
        .map(|mutant| (mutant.id.0.clone(), mutant.clone()));
    let mutants: BTreeMap<String, Mutant> = mutants.collect();
    let parts = parts(Path::new(&pairs));
    assert_eq!(parts.len(), combined.selectors.len(), "{said}");
    // All pairs of disjoint places, and no others.
    let mut left_out: Vec<Vec<String>> = Vec::new();
    let written: BTreeSet<&Vec<String>> = parts.values().collect();
    let selectors = || single.selectors.iter().map(|selector| &selector.id.0);
    for (number, a) in selectors().enumerate() {
        for b in selectors().skip(number + 1) {
            let (p, q) = (&mutants[a].place, &mutants[b].place);
            let apart = p.end <= q.start || q.end <= p.start;
            let pair = vec![a.clone(), b.clone()];
            assert!(apart || !written.contains(&pair), "{pair:?} overlap");
            if apart && !written.contains(&pair) {
                left_out.push(pair);
            }
        }
    }
    assert!(parts.len() > 100 && !left_out.is_empty(), "{said}");
    assert!(
        said.contains(&format!(
            "{} of those looked at are no models",
            left_out.len()
        )),
        "{said}"
    );
    let source = place("edited.smv");
    for pair in &left_out {
        fs::write(&source, edited(&mutants, pair)).expect("a file");
        let (code, _, _) = command(&["list", &source]);
        assert_eq!(code, ExitCode::InvalidModel, "{pair:?}");
    }
    let seed = 7;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (number, selector) in combined.selector_ids().enumerate().step_by(7) {
        let id = &combined.selectors[number].id.0;
        fs::write(&source, edited(&mutants, &parts[id])).expect("a file");
        let file = place("edited.aag");
        let (code, _, said) = command(&["translate", &source, "--operator", "BCR", "-o", &file]);
        assert_eq!(code, ExitCode::Success, "{said}");
        let edited = circuit(Path::new(&file));
        for _ in 0..5 {
            let steps: Vec<Vec<bool>> = (0..12).map(|_| vec![rng.random(), rng.random()]).collect();
            let shown = |model: &ConditionalMutant, variant| {
                let width = model.aig.inputs().len();
                let steps = steps.iter().map(|step| {
                    let mut bits = vec![false; width];
                    for (port, &value) in model.inputs.iter().zip(step) {
                        bits[port.bits[0]] = value;
                    }
                    bits
                });
                let run = Stimulus {
                    initial: vec![false; model.aig.latches().len()].into(),
                    steps: steps.collect(),
                };
                replay(model, variant, &run).expect("it fits").outputs
            };
            assert_eq!(
                shown(&combined, Variant::Mutant(selector)),
                shown(&edited, Variant::Original),
                "seed {seed}, {id}: {:?}",
                parts[id]
            );
        }
    }
}

/// Returns the verdict on each mutant of a file, by id.
fn verdicts(file: &str) -> BTreeMap<String, String> {
    let (_, printed, said) = command(&["check", file, "--format", "json"]);
    let report: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {said}"));
    let results = report["results"].as_array().expect("a list").iter();
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    results
        .map(|result| (word(&result["mutant"]), word(&result["verdict"])))
        .collect()
}

#[test]
fn mutants_that_tests_for_one_change_kill_are_set_aside_and_samples_are_parts_of_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (tank, out) = (place("tank.smv"), place("out"));
    fs::write(&tank, TANK).expect("a file");
    let run = [&["run", tank.as_str(), "-o", &out], &OPERATORS[..]].concat();
    let (code, _, said) = command(&run);
    assert_eq!(code, ExitCode::Success, "{said}");
    let written = |name: &str, args: &[&str]| -> BTreeSet<String> {
        let file = place(name);
        let all = [
            &["translate", tank.as_str(), "-o", &file],
            &OPERATORS[..],
            args,
        ]
        .concat();
        let (code, _, said) = command(&all);
        assert_eq!(code, ExitCode::Success, "{said}");
        parts(Path::new(&file)).into_keys().collect()
    };
    let all = written("all.aag", &["--order", "2"]);
    let sample = written("sample.aag", &["--order", "2:40"]);
    assert!(sample.len() <= 40 && sample.len() > 20 && sample.is_subset(&all));
    let beyond = written("beyond.aag", &["--order", "2", "--beyond", &out]);
    assert!(
        beyond.is_subset(&all) && beyond.len() < all.len() / 2,
        "{}",
        beyond.len()
    );
    let verdicts = verdicts(&place("all.aag"));
    let mut killed = 0;
    for id in &all {
        match verdicts[id].as_str() {
            "killed" => killed += 1,
            // No test kills an equivalent mutant.
            "equivalent" => assert!(beyond.contains(id), "{id} is set aside"),
            "duplicate-of" => {}
            other => panic!("{id}: {other}"),
        }
    }
    assert!(killed > 50, "{verdicts:?}");
    // Third-order mutants, in a sample.
    let three = written("three.aag", &["--order", "3:25"]);
    assert!(three.len() <= 25 && three.len() > 10, "{}", three.len());
}

/// Returns the arguments `start`, those that select the operators, and `end`.
fn with<'a>(start: &[&'a str], end: &[&'a str]) -> Vec<&'a str> {
    [start, &OPERATORS[..], end].concat()
}

/// Returns the model's text with the changes that a table of mutants lists.
fn with_changes(changes: &Value) -> String {
    let changes = changes.as_array().expect("several changes");
    assert!(changes.len() > 1, "{changes:?}");
    let mut text = TANK.to_owned();
    for change in changes.iter().rev() {
        let at = |field: &str| change[field].as_u64().expect("a byte") as usize;
        let place = at("start")..at("end");
        let [old, new] = ["original", "replacement"].map(|f| change[f].as_str().expect("a text"));
        assert_eq!(&text[place.clone()], old);
        text.replace_range(place, new);
    }
    text
}

#[test]
fn a_run_of_mutants_of_two_changes_is_a_run_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (tank, file, out) = (place("tank.smv"), place("pairs.aag"), place("out"));
    fs::write(&tank, TANK).expect("a file");
    let order = ["--order", "2:60"];
    let (_, listed, _) = command(&with(&["list", &tank, "--format", "json"], &[]));
    let listed: Value = serde_json::from_str(&listed).expect("a list");
    let (code, _, said) = command(&with(&["translate", &tank, "-o", &file], &order));
    assert_eq!(code, ExitCode::Success, "{said}");
    let expected = verdicts(&file);
    let (code, printed, said) = command(&with(&["run", &tank, "-o", &out], &order));
    assert_eq!(code, ExitCode::Success, "{said}");
    assert!(printed.contains("definite kills"), "{printed}");
    let document = |name: &str| -> Value {
        let text = fs::read_to_string(Path::new(&out).join(name)).expect("a document");
        serde_json::from_str(&text).expect("JSON")
    };
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let found = document("outcomes.json");
    let found = found["results"].as_array().expect("a list").iter();
    let found = found.map(|result| (word(&result["mutant"]), word(&result["verdict"])));
    let found: BTreeMap<String, String> =
        found.filter(|(_, verdict)| verdict != "invalid").collect();
    assert_eq!(found, expected);
    // The folder does not depend on the model's place.
    fs::rename(&tank, place("elsewhere.smv")).expect("it moves");
    let (code, printed, said) = command(&["certify", &out]);
    assert_eq!(code, ExitCode::Success, "{printed}{said}");
    let (code, _, said) = command(&["resume", &out]);
    assert_eq!(code, ExitCode::Success, "{said}");
    let (code, printed, said) = command(&["show", &out, "--verdict", "killed"]);
    assert_eq!(code, ExitCode::Success, "{said}");
    assert!(printed.contains(" ⇒ "), "{printed}");
    fs::rename(place("elsewhere.smv"), &tank).expect("it moves");
    // Each mutant equals the text with both edits, under the operators of both.
    let emitted = place("emitted");
    let (code, _, said) = command(&with(&["list", &tank, "--emit", &emitted], &order));
    assert_eq!(code, ExitCode::Success, "{said}");
    let single = listed["mutants"].as_array().expect("a list").iter();
    let single = single.map(|mutant| (word(&mutant["id"]), word(&mutant["operator"])));
    let single: BTreeMap<String, String> = single.collect();
    let one = place("one.aag");
    let (code, _, said) = command(&with(&["translate", &tank, "-o", &one], &[]));
    assert_eq!(code, ExitCode::Success, "{said}");
    let mutants = circuit(Path::new(&one)).mutants;
    let mutants = mutants
        .into_iter()
        .map(|mutant| (mutant.id.0.clone(), mutant));
    let mutants: BTreeMap<String, Mutant> = mutants.collect();
    let parts = parts(Path::new(&file));
    let table = document("mutants.json");
    let mut compared = 0;
    for mutant in table["mutants"].as_array().expect("a list") {
        let id = word(&mutant["id"]);
        let Some(parts) = parts.get(&id) else {
            assert_eq!(mutant["status"], "invalid");
            continue;
        };
        let text = fs::read_to_string(Path::new(&emitted).join(format!("{id}.smv")));
        let text = text.expect("a mutant");
        assert_eq!(text, edited(&mutants, parts), "{id}");
        assert_eq!(text, with_changes(&mutant["changes"]), "{id}");
        let mut operators: Vec<&str> = parts.iter().map(|part| single[part].as_str()).collect();
        let named = word(&mutant["operator"]);
        let mut named: Vec<&str> = named.split('+').collect();
        operators.sort_unstable();
        named.sort_unstable();
        assert_eq!(named, operators, "{id}");
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
    // An edit beside the changes needs no new decisions; another sample is another run.
    let edit = TANK.replace("warm & !drain", "warm &  !drain");
    fs::write(&tank, edit).expect("a file");
    let again = place("again");
    let run = with(&["run", &tank, "-o", &again, "--from", &out], &order);
    let (code, _, said) = command(&run);
    assert_eq!(code, ExitCode::Success, "{said}");
    let carried = said.split_once("carried over from ").map(|(_, rest)| rest);
    assert!(
        carried.is_some_and(|rest| !rest.contains(": 0 verdicts")),
        "{said}"
    );
}

#[test]
fn a_run_beyond_another_has_the_mutants_that_its_tests_leave() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (tank, first, second) = (place("tank.smv"), place("first"), place("second"));
    fs::write(&tank, TANK).expect("a file");
    let ran = |args: &[&str]| {
        let (code, _, said) = command(&with(&["run", &tank], args));
        assert_eq!(code, ExitCode::Success, "{said}");
        said
    };
    ran(&["-o", &first]);
    let beyond = ["-o", &second, "--order", "2:400", "--beyond", &first];
    let said = ran(&beyond);
    assert!(said.contains("tests for mutants of one change"), "{said}");
    let file = place("beyond.aag");
    let translate = ["translate", &tank, "-o", &file];
    let (code, _, said) = command(&with(&translate, &beyond[2..]));
    assert_eq!(code, ExitCode::Success, "{said}");
    let text = fs::read_to_string(Path::new(&second).join("outcomes.json")).expect("outcomes");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let found = found["results"].as_array().expect("a list").iter();
    let found = found.filter(|result| result["verdict"] != "invalid");
    let found = found.map(|result| result["mutant"].as_str().expect("an id").to_owned());
    let expected: BTreeSet<String> = verdicts(&file).into_keys().collect();
    assert_eq!(found.collect::<BTreeSet<String>>(), expected);
    let (code, printed, said) = command(&["certify", &second]);
    assert_eq!(code, ExitCode::Success, "{printed}{said}");
}
