//! Every field of every document of a run has evidence: `certify` detects a change of it, even with forged digests. Exceptions are on a
//! list of fields without evidence.
//!
//! A field is a path in a kind of file, without indices of lists. A field is changed and removed at its first occurrence; `HYPERKILL_CASES`
//! sets the number of occurrences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill::ExitCode;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::certify::{CONSTRAINED, run};
use crate::corruption::{evidence, forge};
use crate::support::{DRINKS, LOCK, Place, hyperkill};
use crate::timed::DOOR;

/// Fields that may change unnoticed, with reasons. `certify` and the page on certificates list them.
const FREE: [(&str, &str, &str); 34] = [
    ("outcomes.json", "seed", "nothing shows it"),
    ("timings.json", "jobs", "times are no evidence"),
    ("timings.json", "total_seconds", "times are no evidence"),
    ("timings.json", "rounds", "times are no evidence"),
    ("timings.json", "parts", "times are no evidence"),
    ("timings.json", "threads", "times are no evidence"),
    ("timings.json", "mutants[].seconds", "times are no evidence"),
    ("timings.json", "mutants[].parts", "times are no evidence"),
    ("journal.jsonl", "[].seconds", "times are no evidence"),
    ("journal.jsonl", "[].round", "nothing shows it"),
    (
        "tests/*.run.json",
        "initial",
        "another run with the same inputs and outputs is as good",
    ),
    (
        "tests/*.run.json",
        "steps",
        "another run with the same inputs and outputs is as good",
    ),
    (
        "certificates/*.json",
        "evidence.kill.sole_run",
        "the kill is also shown without it; no controllable one may have it",
    ),
    (
        "certificates/*.json",
        "evidence.kill.test.initial",
        "another run is as good",
    ),
    (
        "certificates/*.json",
        "evidence.kill.test.steps",
        "another run is as good",
    ),
    (
        "certificates/*.json",
        "evidence.accepted",
        "another run is as good",
    ),
    (
        "certificates/*.json",
        "evidence.proof",
        "another proof is a proof",
    ),
    (
        "certificates/*.json",
        "evidence.both-proofs",
        "another proof is a proof",
    ),
    (
        "certificates/*.json",
        "evidence.closed-set",
        "another set is as good",
    ),
    (
        "certificates/*.json",
        "evidence.simulation",
        "another relation is as good",
    ),
    (
        "certificates/*.json",
        "evidence.own.pairs[].meets[].after",
        "another delay after which both are there is as good",
    ),
    (
        "certificates/*.json",
        "evidence.own.classes",
        "another set of classes is as good",
    ),
    (
        "certificates/*.json",
        "evidence.accepted-sets",
        "another set is as good",
    ),
    (
        "certificates/*.json",
        "evidence.estimates",
        "other sets are as good",
    ),
    (
        "certificates/*.json",
        "evidence.endless[].initial",
        "another run that comes back is as good",
    ),
    (
        "certificates/*.json",
        "evidence.endless[].steps[]",
        "another run that comes back is as good",
    ),
    (
        "certificates/*.json",
        "evidence.differing[].initial",
        "another pair of runs is as good",
    ),
    (
        "certificates/*.json",
        "evidence.differing[].steps[]",
        "another pair of runs is as good",
    ),
    (
        "certificates/*.json",
        "evidence.validity.breaches[].latches",
        "other values under which it fails are as good",
    ),
    (
        "certificates/*.json",
        "evidence.validity.breaches[].inputs",
        "other values under which it fails are as good",
    ),
    (
        "certificates/*.json",
        "evidence.validity.beginnings[].latches",
        "another first step is as good",
    ),
    (
        "certificates/*.json",
        "evidence.validity.beginnings[].inputs",
        "another first step is as good",
    ),
    (
        "reading",
        "places",
        "these runs are told where their models are",
    ),
    (
        "reading",
        "sources[].place",
        "these runs are told where their models are",
    ),
];

/// Fields of results without evidence, as long as outcomes and journal agree.
const FREE_RESULTS: [&str; 10] = [
    "engine",
    "notes",
    "shortest",
    "known_to",
    "reason",
    "definite_known_to",
    "definite_reason",
    "potential.shortest",
    "potential.known_to",
    "potential.reason",
];

/// Whether the change only removes an input that does not matter. The shorter list is still correct.
fn says_less(field: &str, leaving: bool) -> bool {
    leaving && (field.ends_with(".free") || field.ends_with(".free[]"))
}

/// A step of a path in a document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum PathStep {
    Key(String),
    At(usize),
}

pub(crate) type Way = Vec<PathStep>;

/// Collects the paths to all values of a document, including objects and lists.
pub(crate) fn ways(value: &Value, way: &mut Way, found: &mut Vec<Way>) {
    if !way.is_empty() {
        found.push(way.clone());
    }
    let parts: Vec<(PathStep, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (PathStep::Key(key.clone()), value))
            .collect(),
        Value::Array(items) => (items.iter().enumerate())
            .map(|(at, value)| (PathStep::At(at), value))
            .collect(),
        _ => return,
    };
    for (step, value) in parts {
        way.push(step);
        ways(value, way, found);
        way.pop();
    }
}

/// The path without indices of lists. Names of inputs and outputs are data of the model, not fields.
pub(crate) fn field(way: &[PathStep]) -> String {
    let mut text = String::new();
    for step in way {
        match step {
            PathStep::At(_) => text.push_str("[]"),
            PathStep::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
        }
    }
    text
}

pub(crate) fn there<'a>(value: &'a mut Value, way: &[PathStep]) -> Option<&'a mut Value> {
    way.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.get_mut(key),
        PathStep::At(at) => value.get_mut(at),
    })
}

/// Changes a value that is neither an object nor a list. A bit string stays a bit string.
pub(crate) fn change(value: &mut Value, rng: &mut ChaCha8Rng) -> bool {
    *value = match &*value {
        Value::Bool(said) => json!(!said),
        Value::Number(number) => match number.as_u64() {
            Some(number) => json!(number + 1),
            None => json!(number.as_f64().unwrap_or_default() + 1.0),
        },
        Value::String(text) if !text.is_empty() && text.chars().all(|c| "01".contains(c)) => {
            let mut bits = text.clone().into_bytes();
            let at = rng.random_range(0..bits.len());
            bits[at] ^= 1;
            json!(String::from_utf8(bits).unwrap())
        }
        Value::String(text) => json!(format!("{text}x")),
        Value::Null => json!(true),
        Value::Array(_) | Value::Object(_) => return false,
    };
    true
}

/// Removes a value, or repeats it in a list that may be longer.
pub(crate) fn leave_out(document: &mut Value, way: &[PathStep]) -> bool {
    let Some((last, before)) = way.split_last() else {
        return false;
    };
    match (there(document, before), last) {
        (Some(Value::Object(fields)), PathStep::Key(key)) => fields.remove(key).is_some(),
        (Some(Value::Array(items)), PathStep::At(at)) if *at < items.len() => {
            items.remove(*at);
            true
        }
        _ => false,
    }
}

/// The kind of document of a file.
pub(crate) fn kind(name: &Path) -> String {
    let name = name.to_string_lossy();
    match name.split_once('/') {
        Some(("tests", rest)) if rest.ends_with(".run.json") => "tests/*.run.json".to_owned(),
        Some((folder, _)) => format!("{folder}/*.json"),
        None => name.into_owned(),
    }
}

/// The documents of a run. A journal is the list of its lines.
pub(crate) fn documents(place: &Place) -> BTreeMap<PathBuf, Value> {
    let files = evidence(place).into_iter();
    let documents = files.filter_map(|(name, bytes)| {
        let text = String::from_utf8(bytes).ok()?;
        let document = match name.extension()?.to_str()? {
            "json" => serde_json::from_str(&text).unwrap(),
            "jsonl" => text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap())
                .collect(),
            _ => return None,
        };
        Some((name, document))
    });
    // A change of the digests is not a forgery of a document.
    documents
        .filter(|(name, _)| name != Path::new("digests.json"))
        .collect()
}

pub(crate) fn write(place: &Place, name: &Path, document: &Value) {
    let text = match name
        .extension()
        .is_some_and(|extension| extension == "jsonl")
    {
        true => document
            .as_array()
            .unwrap()
            .iter()
            .map(|line| format!("{line}\n"))
            .collect(),
        false => hyperkill::documents::to_text(document).unwrap(),
    };
    forge(place, name, text.as_bytes());
}

/// Runs of all kinds: deterministic models, choices, constraints, trees and undecided mutants.
fn runs() -> Vec<(Place, Vec<String>)> {
    // A few mutants for each kind of verdict keep the checks short.
    let kinds: [(&str, &str, &str, &[&str]); 7] = [
        ("lock.smv", LOCK, "12", &["--tests", "local"]),
        ("drinks.smv", DRINKS, "12", &["--tests", "tree"]),
        (
            "drinks.smv",
            DRINKS,
            "12",
            &["--tests", "global", "--property", "phi3"],
        ),
        ("x.aag", CONSTRAINED, "12", &["--tests", "local"]),
        ("lock.smv", LOCK, "8", &["--engine", "bmc", "--bound", "3"]),
        ("drinks.smv", DRINKS, "12", &["--engine", "diagrams"]),
        ("door.tfsm", DOOR, "12", &[]),
    ];
    kinds
        .into_iter()
        .map(|(name, text, sample, options)| {
            let place = Place::with(name, text);
            let options: Vec<&str> = ["--sample", sample]
                .iter()
                .chain(options)
                .copied()
                .collect();
            let args = run(&place, &place.path(name), &options);
            (place, args)
        })
        .collect()
}

/// Whether a field may change unnoticed.
fn is_free(kind: &str, field: &str) -> bool {
    let mut free = FREE.iter();
    free.any(|(of, name, _)| {
        let rest = field.strip_prefix(name);
        *of == kind && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// The number of occurrences of each field to try.
fn cases() -> usize {
    std::env::var("HYPERKILL_CASES").map_or(1, |text| text.parse().expect("a number"))
}

/// Collects unnoticed changes, and fails if a field with evidence is among them.
#[derive(Default)]
struct Tally {
    tried: usize,
    unnoticed: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

impl Tally {
    fn look(&mut self, args: &[String], what: &str, free: bool) {
        let ran = hyperkill(args);
        self.tried += 1;
        assert_ne!(ran.code, ExitCode::Internal, "{what}: {ran:?}");
        if ran.code == ExitCode::Success {
            let list = if free {
                &mut self.unnoticed
            } else {
                &mut self.wrong
            };
            list.insert(what.to_owned());
        }
    }

    fn shown(&self) -> String {
        let Tally {
            tried, unnoticed, ..
        } = self;
        format!("{tried} changes; unnoticed, and known to be: {unnoticed:#?}")
    }

    fn verdict(&self) {
        assert!(self.wrong.is_empty(), "nobody notices {:#?}", self.wrong);
    }
}

#[test]
fn no_field_of_a_document_can_say_anything_unless_no_evidence_of_it_is_kept() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut tally = Tally::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, args) in runs() {
        let digests = fs::read(place.path("out/digests.json")).unwrap();
        for (name, document) in documents(&place) {
            let original = fs::read(place.path("out").join(&name)).unwrap();
            let mut all = Vec::new();
            ways(&document, &mut Vec::new(), &mut all);
            for way in all {
                let (kind, field) = (kind(&name), field(&way));
                for leaving in [false, true] {
                    let what = format!("{kind}: {field}{}", if leaving { " left out" } else { "" });
                    if seen.get(&what).is_some_and(|count| *count >= cases()) {
                        continue;
                    }
                    let mut spoilt = document.clone();
                    let done = match leaving {
                        true => leave_out(&mut spoilt, &way),
                        false => {
                            there(&mut spoilt, &way).is_some_and(|value| change(value, &mut rng))
                        }
                    };
                    if !done {
                        continue;
                    }
                    *seen.entry(what.clone()).or_default() += 1;
                    write(&place, &name, &spoilt);
                    let unseen = is_free(&kind, &field) || says_less(&field, leaving);
                    tally.look(&args, &what, unseen);
                    fs::write(place.path("out").join(&name), &original).unwrap();
                    fs::write(place.path("out/digests.json"), &digests).unwrap();
                }
            }
        }
        hyperkill(&args).expect(ExitCode::Success);
    }
    println!("{}", tally.shown());
    tally.verdict();
}

#[test]
fn no_controllable_kill_says_anything_of_other_runs_of_the_mutant() {
    let place = Place::with("drinks.smv", DRINKS);
    let options = ["--controllable-nd", "--sample", "12"];
    let args = run(&place, &place.path("drinks.smv"), &options);
    hyperkill(&args).expect(ExitCode::Success);
    let digests = fs::read(place.path("out/digests.json")).unwrap();
    let mut changed = 0;
    for (name, document) in documents(&place) {
        let mut spoilt = document.clone();
        let Some(kill) = spoilt.pointer_mut("/evidence/kill") else {
            continue;
        };
        if kill["strength"] != "controllable" {
            continue;
        }
        assert_eq!(kill["sole_run"], json!(false));
        kill["sole_run"] = json!(true);
        let original = fs::read(place.path("out").join(&name)).unwrap();
        write(&place, &name, &spoilt);
        let ran = hyperkill(&args);
        assert_ne!(ran.code, ExitCode::Success, "{}", name.display());
        fs::write(place.path("out").join(&name), &original).unwrap();
        fs::write(place.path("out/digests.json"), &digests).unwrap();
        changed += 1;
    }
    assert!(changed > 0);
}

/// The places of a statement that several documents repeat: their names, and the paths in them.
fn repeated(name: &str) -> Vec<(&'static str, Vec<PathStep>)> {
    let key = |text: &str| PathStep::Key(text.to_owned());
    match name {
        "model" => vec![
            ("mutants.json", vec![key("model")]),
            ("outcomes.json", vec![key("model")]),
            ("suite.json", vec![key("model")]),
        ],
        "reading" => vec![
            ("mutants.json", vec![key("reading")]),
            ("suite.json", vec![key("model"), key("reading")]),
        ],
        _ => vec![
            ("mutants.json", vec![key("signature")]),
            ("suite.json", vec![key("signature")]),
        ],
    }
}

#[test]
fn what_several_documents_say_is_no_truer_where_all_of_them_are_changed() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut tally = Tally::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, args) in runs() {
        let documents = documents(&place);
        let files = evidence(&place);
        let restore = || {
            for (name, bytes) in &files {
                fs::write(place.path("out").join(name), bytes).unwrap();
            }
        };
        for name in ["model", "reading", "signature"] {
            let places = repeated(name);
            let mut first = documents[Path::new(places[0].0)].clone();
            let said = there(&mut first, &places[0].1).unwrap().clone();
            let mut all = Vec::new();
            ways(&said, &mut Vec::new(), &mut all);
            for way in all {
                let field = field(&way);
                let what = format!("{name}: {field} everywhere");
                let mut changed = said.clone();
                let done = there(&mut changed, &way).is_some_and(|value| change(value, &mut rng));
                if !done || seen.get(&what).is_some_and(|count| *count >= cases()) {
                    continue;
                }
                *seen.entry(what.clone()).or_default() += 1;
                let value = there(&mut changed, &way).unwrap().clone();
                for (file, before) in &places {
                    let mut document = documents[Path::new(file)].clone();
                    let whole: Way = before.iter().chain(&way).cloned().collect();
                    if let Some(slot) = there(&mut document, &whole) {
                        *slot = value.clone();
                    }
                    write(&place, Path::new(file), &document);
                }
                tally.look(&args, &what, is_free(name, &field));
                restore();
            }
        }
        forge_results(&place, &args, &documents, &mut seen, &mut tally, &mut rng);
        restore();
        hyperkill(&args).expect(ExitCode::Success);
    }
    println!("{}", tally.shown());
    tally.verdict();
}

/// Changes each field of results, in the outcomes and in the journal.
fn forge_results(
    place: &Place,
    args: &[String],
    documents: &BTreeMap<PathBuf, Value>,
    seen: &mut BTreeMap<String, usize>,
    tally: &mut Tally,
    rng: &mut ChaCha8Rng,
) {
    let (outcomes, journal) = (Path::new("outcomes.json"), Path::new("journal.jsonl"));
    let results = documents[outcomes]["results"].as_array().unwrap();
    for (at, result) in results.iter().enumerate() {
        let lines = documents[journal].as_array().unwrap();
        let line = lines
            .iter()
            .position(|line| line["result"]["mutant"] == result["mutant"]);
        let mut all = Vec::new();
        ways(result, &mut Vec::new(), &mut all);
        for way in all {
            let field = field(&way);
            for leaving in [false, true] {
                let what = format!(
                    "result: {field}{} in outcomes and journal, {}",
                    if leaving { " left out" } else { "" },
                    result["verdict"]
                );
                if seen.get(&what).is_some_and(|count| *count >= cases()) {
                    continue;
                }
                let mut changed = result.clone();
                let done = match leaving {
                    true => leave_out(&mut changed, &way),
                    false => there(&mut changed, &way).is_some_and(|value| change(value, rng)),
                };
                if !done {
                    continue;
                }
                *seen.entry(what.clone()).or_default() += 1;
                let mut forged = documents[outcomes].clone();
                forged["results"][at] = changed.clone();
                write(place, outcomes, &forged);
                let mut forged = documents[journal].clone();
                if let Some(line) = line {
                    forged[line]["result"] = changed;
                }
                write(place, journal, &forged);
                let free = FREE_RESULTS.iter().any(|free| {
                    let rest = field.strip_prefix(free);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
                });
                tally.look(args, &what, free || says_less(&field, leaving));
                for name in [outcomes, journal] {
                    write(place, name, &documents[name]);
                }
            }
        }
    }
}
