//! GraphWalker's models: compares the read machine with an independent interpreter; errors have their places.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::system::Translation;
use hyperkill_efsm::{MachineFrontend, read_models, text};
use hyperkill_frontend::conformance::{self, Subject};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{
    Diagnostic, EventOptions, Frontend, FrontendOptions, NamePredicate, SourceFile,
};
use hyperkill_guarded::fault::{Fault, OF_WALKS, with};
use hyperkill_guarded::interpret::{State, idle, initial, steps};
use hyperkill_guarded::model::{Model, check};

use crate::random::cases;
use crate::steps::compare_steps;
use crate::support::Circuit;
use crate::walker::{Js, Walker};

/// Returns the file of the GraphWalker model of a shop.
pub(crate) fn shop() -> SourceFile {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/models/graphwalker/shop/model.json");
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    SourceFile::new("shop/model.json", text)
}

fn options(complete: bool, ranges: &[(&str, (i64, i64))]) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        events: EventOptions {
            observe: Some("transition".to_owned()),
            complete,
            ranges: ranges
                .iter()
                .map(|(name, range)| ((*name).to_owned(), *range))
                .collect(),
        },
        ..FrontendOptions::default()
    }
}

fn translated(
    source: &SourceFile,
    options: &FrontendOptions,
) -> Result<Translation, Vec<Diagnostic>> {
    MachineFrontend::GraphWalker.translate(std::slice::from_ref(source), options)
}

/// Returns a random file of one or two models.
pub(crate) fn random(seed: u64) -> SourceFile {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    let rng = &mut rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let count = rng.random_range(1..=2);
    let mut models = Vec::new();
    for model in 0..count {
        let of = |global: bool, name: &str| match global {
            true => format!("global.{name}"),
            false => name.to_owned(),
        };
        let global = rng.random_bool(0.4);
        let (x, b, s) = (of(global, "x"), of(global, "b"), of(global, "s"));
        let guards = [
            format!("{x} < 3"),
            format!("{x} >= 1 && {b}"),
            format!("{b} == false || {x} != 2"),
            format!("!({x} > 1 && {b})"),
            format!("{s} == 'on'"),
            format!("{s} != \\\"off\\\" \\u0026\\u0026 {x} <= 2"),
            String::new(),
        ];
        let actions = [
            format!("{x} = 0;"),
            format!("{b} = !{b};"),
            format!("{s} = 'on'; {x} = 1;"),
            format!("{s} = 'off'"),
            format!("{x} = 3 - 1;\\n{b} = true;"),
        ];
        let mut vertices = Vec::new();
        let size = rng.random_range(2..=3);
        for vertex in 0..size {
            let mut text = format!("{{ \"id\": \"v{vertex}\", \"name\": \"v{vertex}\"");
            if rng.random_bool(0.4) {
                text += &format!(
                    ", \"sharedState\": \"{}\"",
                    ["S", "T"].choose(rng).expect("a state")
                );
            }
            if rng.random_bool(0.4) {
                text += &format!(
                    ", \"actions\": [\"{}\"]",
                    actions.choose(rng).expect("an action")
                );
            }
            if vertex > 0 && rng.random_bool(0.1) {
                text += ", \"properties\": {\"blocked\": true}";
            }
            vertices.push(text + " }");
        }
        // The guard of the first edge counts only where it is taken again.
        let first = match seed % 4 {
            2 => format!(", \"guard\": \"{x} > 1\""),
            3 => format!(", \"guard\": \"{x} > 1\", \"sourceVertexId\": \"v0\""),
            _ => String::new(),
        };
        let mut edges = vec![format!(
            "{{ \"id\": \"e0\", \"name\": \"start\", \"targetVertexId\": \"v0\"{first} }}"
        )];
        for edge in 1..=rng.random_range(2..=5) {
            let [from, to] = [rng.random_range(0..size), rng.random_range(0..size)];
            let mut text = format!(
                "{{ \"id\": \"e{edge}\", \"name\": \"{}\", \"sourceVertexId\": \"v{from}\", \"targetVertexId\": \"v{to}\"",
                ["go", "stop", "turn"].choose(rng).expect("a name")
            );
            if rng.random_bool(0.7) {
                text += &format!(", \"guard\": \"{}\"", guards.choose(rng).expect("a guard"));
            }
            let grows = rng.random_bool(0.3);
            if grows {
                text = text.replace(", \"guard\"", ", \"old\"");
                text += &format!(", \"guard\": \"{x} < 3\", \"actions\": [\"{x}++;\"]");
            } else if rng.random_bool(0.6) {
                text += &format!(
                    ", \"actions\": [\"{}\"]",
                    actions.choose(rng).expect("an action")
                );
            }
            edges.push(text + " }");
        }
        let own = format!("\"{x} = 1;\", \"{b} = true; {s} = 'off';\"");
        let start = ["e0", "v0"].choose(rng).expect("a start");
        models.push(format!(
            "{{ \"name\": \"M{model}\", \"actions\": [{own}], \"startElementId\": \"{start}\",\n \
             \"vertices\": [\n  {}\n ],\n \"edges\": [\n  {}\n ] }}",
            vertices.join(",\n  "),
            edges.join(",\n  ")
        ));
    }
    SourceFile::new(
        format!("{seed}.json"),
        format!("{{ \"models\": [\n{}\n] }}\n", models.join(",\n")),
    )
}

/// Returns the variables of a state but the location, with their values in the form of the independent interpreter.
pub(crate) fn variables(model: &Model<'_>, state: &State) -> BTreeMap<String, Js> {
    let names = model.system.variables.iter().zip(state);
    names
        .filter(|(variable, _)| variable.name.text != "location")
        .map(|(variable, value)| {
            let value = match value {
                Value::Int(value) => Js::Number(*value),
                value if *value == Value::bool(true) => Js::Bool(true),
                value if *value == Value::bool(false) => Js::Bool(false),
                Value::Symbol(text) => Js::Text(text.clone()),
            };
            (variable.name.text.clone(), value)
        })
        .collect()
}

/// Checks that both interpreters make the same steps in all states that a file reaches. Returns the number of steps.
fn compare_walks(source: &SourceFile) -> usize {
    let system = read_models(source, &[]).unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let model = check(&system).unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let walker = Walker::new(&source.text);
    let start = (walker.start(), initial(&model));
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut compared = 0;
    let shown = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    while let Some((place, state)) = open.pop_front() {
        assert_eq!(
            variables(&model, &state),
            place.variables,
            "{}",
            source.text
        );
        let theirs = walker.steps(&place);
        let ours = steps(&model, &state);
        let cell = model.system.variables.len() + 1;
        let mut by_shown: BTreeMap<(String, String, BTreeMap<String, Js>), Vec<State>> =
            BTreeMap::new();
        for (occurrence, next) in ours {
            let event = model.action(occurrence.event).name.text.clone();
            let key = (
                event,
                shown(&next[cell].to_string()),
                variables(&model, &next),
            );
            by_shown.entry(key).or_default().push(idle(&model, &next));
        }
        let expected: BTreeSet<_> = (theirs.iter())
            .map(|(event, vertex, next)| (event.clone(), vertex.clone(), next.variables.clone()))
            .collect();
        let found: BTreeSet<_> = by_shown.keys().cloned().collect();
        assert_eq!(found, expected, "at {place:?} of\n{}", source.text);
        compared += expected.len();
        for (event, vertex, next) in theirs {
            let key = (event, vertex, next.variables.clone());
            for state in &by_shown[&key] {
                let location = &state[model.system.location.expect("locations")];
                let model_name = format!("M{}.", next.model);
                // Names of locations say their models where names alone do not.
                if location.to_string().starts_with('M')
                    && !location.to_string().starts_with(&model_name)
                {
                    continue;
                }
                let pair = (next.clone(), state.clone());
                if seen.insert(pair.clone()) {
                    open.push_back(pair);
                }
            }
        }
    }
    compared
}

#[test]
fn walks_are_those_of_an_interpreter_of_its_own() {
    let mut compared = compare_walks(&shop());
    for seed in 0..cases(300) {
        compared += compare_walks(&random(seed));
    }
    println!("{compared} steps");
    assert!(compared > 1500, "{compared}");
}

/// Returns the ranges of a model's integers. A mutant alone may have others, or none; its circuit has those of the model.
fn ranges_of(translation: &Translation) -> Vec<(String, (i64, i64))> {
    let states = translation.system.states.iter();
    states
        .filter_map(|variable| match variable.sort {
            Sort::Range { low, high } => Some((variable.name.clone(), (low, high))),
            _ => None,
        })
        .collect()
}

/// Checks the circuit of a file, and those of every `stride`-th of its mutants, against the interpreter. Returns the number of compared
/// steps.
fn compare_circuits(
    source: &SourceFile,
    complete: bool,
    ranges: &[(&str, (i64, i64))],
    stride: usize,
) -> usize {
    let options = options(complete, ranges);
    let translation =
        translated(source, &options).unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let ranges = ranges_of(&translation);
    let of_text = |file: &str, variant: Variant, what: &str| {
        let system = read_models(&SourceFile::new("m", file), &ranges);
        let system = system.unwrap_or_else(|e| panic!("{what}: {e:#?}"));
        let model = check(&system).unwrap_or_else(|e| panic!("{what}: {e:#?}"));
        let is_mutant = variant != Variant::Original;
        let circuit = Circuit::new(&translation, variant);
        compare_steps(&model, &circuit, (is_mutant, complete), what)
    };
    let mut compared = of_text(&source.text, Variant::Original, &source.text);
    for (index, (mutant, reason)) in translation.catalogue.iter().enumerate().step_by(stride) {
        assert_eq!(*reason, None, "{mutant:?}");
        let mutated = apply(&source.text, mutant).expect("a place of the text");
        let what = format!("{mutant:?} of\n{}", source.text);
        compared += of_text(&mutated, Variant::Mutant(SelectorId(index)), &what);
    }
    compared
}

#[test]
fn models_and_mutants_do_what_the_interpreter_says() {
    let mut compared = compare_circuits(&shop(), true, &[], 3);
    for seed in 0..cases(20) {
        compared += compare_circuits(&random(seed), seed % 2 == 0, &[], 7);
    }
    println!("{compared} steps");
    assert!(compared > 2000, "{compared}");
}

/// A counter without a bound.
const COUNTER: &str = r#"{ "models": [ { "name": "M", "startElementId": "v", "actions": ["n = 0;"],
  "vertices": [ { "id": "v", "name": "v" } ],
  "edges": [ { "id": "e", "name": "more", "sourceVertexId": "v", "targetVertexId": "v", "actions": ["n++;"] },
             { "id": "f", "name": "less", "guard": "n > 0", "sourceVertexId": "v", "targetVertexId": "v",
               "actions": ["n = n - 1;"] } ] } ] }"#;

/// A run that leaves a range has no further step, which is no refusal.
fn leaving_ends_runs() {
    let source = SourceFile::new("m.json", COUNTER);
    let options = options(true, &[("n", (0, 2))]);
    let translation = translated(&source, &options).expect("a model");
    let circuit = Circuit::new(&translation, Variant::Original);
    let shown = |n: i64| {
        let symbol = |text: &str| Value::Symbol(text.to_owned());
        let here = [
            ("n".to_owned(), Value::Int(n)),
            ("location".to_owned(), symbol("v")),
        ];
        circuit.shown(&here, &[("event", symbol("more"))]).len()
    };
    assert_eq!([shown(1), shown(2)], [1, 0]);
}

#[test]
fn ranges_are_given_or_proved_and_runs_end_where_they_are_left() {
    leaving_ends_runs();
    let source = SourceFile::new("m.json", COUNTER);
    let errors = read_models(&source, &[]).expect_err("no bounds");
    let error = &errors[0];
    assert_eq!(error.message, "`n` has no bounds");
    assert_eq!(error.span.map(|span| span.of(COUNTER)), Some("n++"));
    assert!(
        error
            .help
            .as_ref()
            .is_some_and(|help| help.contains("--range n=0..9"))
    );
    let limited = COUNTER.replace(
        "\"name\": \"more\"",
        "\"name\": \"more\", \"guard\": \"n <= 41 && true\"",
    );
    let system = read_models(&SourceFile::new("m.json", limited), &[]).expect("bounds");
    // One value more on both sides, for mutants.
    let domain = hyperkill_guarded::tree::Domain::Range { low: -1, high: 43 };
    assert_eq!(system.variables[0].domain, domain);
}

#[test]
fn every_planted_fault_is_noticed() {
    let is_noticed = |fault| {
        let look = || {
            with(Some(fault), || {
                leaving_ends_runs();
                assert!(
                    refused(MIXED).1.contains("global"),
                    "a local name in a global script"
                );
                for seed in 0..60 {
                    compare_walks(&random(seed));
                    compare_circuits(&random(seed), true, &[], 5);
                }
            });
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)).is_err()
    };
    for fault in OF_WALKS {
        assert!(is_noticed(fault), "{fault:?}");
    }
    let nothing = with(None::<Fault>, || refused(MIXED).1.contains("global"));
    assert!(nothing);
}

/// A script that mentions both contexts.
const MIXED: &str = r#"{ "models": [ { "name": "M", "startElementId": "v", "actions": ["x = 0;", "global.y = 0;"],
  "vertices": [ { "id": "v" } ],
  "edges": [ { "id": "e", "sourceVertexId": "v", "targetVertexId": "v", "guard": "global.y < 1 && x < 1" } ] } ] }"#;

/// Returns the first error of a file: the text at its place, its message and its help.
pub(crate) fn refused(file: &str) -> (String, String, String) {
    let source = SourceFile::new("m.json", file);
    match translated(&source, &FrontendOptions::default()) {
        Ok(_) => (String::new(), String::new(), String::new()),
        Err(errors) => {
            let error = errors.into_iter().next().expect("an error");
            let place = error.span.map_or("", |span| span.of(file)).to_owned();
            (place, error.message, error.help.unwrap_or_default())
        }
    }
}

/// Returns a file with this guard and this action, as they stand in JSON.
pub(crate) fn file(guard: &str, action: &str) -> String {
    format!(
        r#"{{ "models": [ {{ "name": "M", "startElementId": "e0", "actions": ["x = 0; b = true;", "s = 'on';"],
  "vertices": [ {{ "id": "v0", "name": "v_A" }}, {{ "id": "v1" }} ],
  "edges": [ {{ "id": "e0", "targetVertexId": "v0" }},
             {{ "id": "e1", "sourceVertexId": "v0", "targetVertexId": "v1", "guard": "{guard}", "actions": ["{action}"] }} ] }} ] }}"#
    )
}

#[test]
fn errors_in_scripts_are_at_their_places_in_the_file() {
    for (guard, action, place, message) in [
        ("x < y", "", "y", "`y` has no value at first"),
        (
            "x",
            "",
            "x",
            "a guard is true or false, but this is a number",
        ),
        (
            "b == 1",
            "",
            "1",
            "a truth value is expected, but this is a number",
        ),
        ("x < 1.5", "", "1.5", ""),
        (
            "x / 2 == 1",
            "",
            "/",
            "`/` stands where the end of the guard is expected",
        ),
        ("x++ < 3", "", "++", "a guard with an effect"),
        ("x = 3", "", "=", "a guard with an effect"),
        (
            "size(x) > 1",
            "",
            "(",
            "`(` stands where the end of the guard is expected",
        ),
        (
            "x < 3 ? b : b",
            "",
            "?",
            "`?` stands where the end of the guard is expected",
        ),
        (
            r#"s == \"on\" && x < 1 &"#,
            "",
            "&",
            "`&` means nothing here",
        ),
        (
            "b",
            "x = 'on'",
            "'on'",
            "`x` is a number, but this is a symbol",
        ),
        ("b", "log(x)", "(", "`(` stands where `=` is expected"),
        (
            "b",
            "x = 1 b = true",
            "b",
            "`b` stands where `;` is expected",
        ),
        (
            "b",
            r#"s = \"a\\nb\""#,
            r#"\"a\\nb\""#,
            "a string with an escape",
        ),
        ("b", "if (x) x = 1", "x", ""),
    ] {
        let text = file(guard, action);
        let (found, said, _) = refused(&text);
        assert!(!said.is_empty(), "{guard} / {action} is read");
        if !message.is_empty() {
            assert_eq!(
                (found.as_str(), said.as_str()),
                (place, message),
                "{guard} / {action}"
            );
        }
    }
    assert_eq!(refused(&file("b && x < 3 && s == 'on'", "s = 'off'")).1, "");
}

#[test]
fn variables_may_get_their_values_on_the_way_if_every_way_gives_them_one() {
    let text =
        file("b && x < 3", "").replace("\"actions\": [\"x = 0; b = true;\", \"s = 'on';\"],", "");
    let start = "\"id\": \"e0\", \"targetVertexId\": \"v0\"";
    let unset = refused(&text);
    assert_eq!(
        (unset.0.as_str(), unset.1.as_str()),
        ("b", "`b` has no value at first")
    );
    let set = text.replace(
        start,
        &format!("{start}, \"actions\": [\"x = 2; b = true;\"]"),
    );
    let source = SourceFile::new("m.json", set.clone());
    let translation = translated(&source, &options(false, &[])).expect("a model");
    let all = translation.catalogue.iter();
    let rejected: Vec<&str> = all
        .filter(|(_, reason)| reason.is_some())
        .map(|(mutant, _)| mutant.original.as_str())
        .collect();
    assert_eq!(rejected, ["x = 2", "b = true"]);
    let end = "\"id\": \"e1\", ";
    let late = text
        .replace(
            end,
            &format!("{end}\"actions\": [\"x = 2; b = true;\"], \"old\": "),
        )
        .replace("\"old\": \"sourceVertexId\"", "\"sourceVertexId\"");
    let late = late.replace(", \"actions\": [\"\"]", "");
    assert_eq!(
        refused(&late).1,
        "`b` may be read here before it has a value",
        "{late}"
    );
}

#[test]
fn errors_of_files_are_at_their_places() {
    let good = file("b", "");
    for (from, to, place, message) in [
        (
            "\"targetVertexId\": \"v1\"",
            "\"targetVertexId\": \"v2\"",
            "\"v2\"",
            "the model has no vertex with the id `v2`",
        ),
        (
            "\"targetVertexId\": \"v1\", ",
            "",
            "",
            "an edge that leads nowhere",
        ),
        (
            "\"id\": \"v1\"",
            "\"id\": \"v0\"",
            "\"v0\"",
            "a second element has the id `v0`",
        ),
        (
            "\"startElementId\": \"e0\", ",
            "",
            "",
            "no model has a start element",
        ),
        (
            "\"startElementId\": \"e0\"",
            "\"startElementId\": \"e9\"",
            "\"e9\"",
            "the model has no element with the id `e9` that is not blocked",
        ),
        ("\"models\"", "\"modules\"", "", "there are no models"),
        ("\"id\": \"e1\"", "\"id\": 1", "1", "a string is expected"),
        ("\"id\": \"e1\", ", "", "{", "an element without an id"),
        ("] } ] }", "", "", ""),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let (found, said, _) = refused(&text);
        assert!(!said.is_empty(), "{to} is read");
        if !message.is_empty() {
            assert_eq!(said, message, "{to}");
        }
        if !place.is_empty() {
            assert_eq!(found, place, "{to}");
        }
    }
    let deep = format!(
        "{{ \"models\": {}{} }}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    assert!(!refused(&deep).1.is_empty());
    let long = file(&format!("b{}", " && b".repeat(5_000)), "");
    assert!(refused(&long).1.is_empty(), "{:?}", refused(&long));
    let deep = file(&format!("{}b{}", "(".repeat(5_000), ")".repeat(5_000)), "");
    assert!(refused(&deep).1.contains("nested more than"));
    let megabyte = "b = true; ".repeat(100_000);
    let (found, said, _) = refused(&file("b", &format!("{megabyte}f();")));
    assert_eq!(
        (found.as_str(), said.as_str()),
        ("(", "`(` stands where `=` is expected")
    );
}

#[test]
fn files_hold_what_every_front_end_must() {
    let mut alone = 0;
    let files = (0..6).map(random).chain([shop()]);
    for source in files {
        let mut options = options(true, &[]);
        // The strings and ranges of a mutant alone may be others: vertices are the same.
        options.events.observe = Some("outputs".to_owned());
        options.events.ranges = ranges_of(&translated(&source, &options).expect("a model"));
        let subject = Subject {
            frontend: &MachineFrontend::GraphWalker,
            sources: std::slice::from_ref(&source),
            options: &options,
            sample: 40,
            damaged: 100,
        };
        let seen = conformance::check(&subject);
        let seen = seen.unwrap_or_else(|wrong| {
            panic!("{}:\n{}\n{}", source.name, wrong.join("\n"), source.text)
        });
        println!("{}: {seen:?}", source.name);
        assert!(seen.mutants > 0 && seen.refused > 20, "{seen:?}");
        alone += seen.alone;
    }
    assert!(alone > 50, "{alone}");
}

#[test]
fn what_is_written_as_a_machine_does_the_same() {
    for source in (0..40).map(random).chain([shop()]) {
        let system = read_models(&source, &[]).expect("a model");
        let model = check(&system).expect("a model");
        let written = text(&model);
        let read = hyperkill_efsm::read(&SourceFile::new("m.efsm", written.clone()));
        let read = read.unwrap_or_else(|e| panic!("{e:#?}\n{written}"));
        let again = check(&read.system).unwrap_or_else(|e| panic!("{e:#?}\n{written}"));
        assert_eq!(text(&again), written);
        let mut seen = BTreeSet::new();
        let mut open = vec![(initial(&model), initial(&again))];
        while let Some((one, other)) = open.pop() {
            let all =
                |model: &Model<'_>, state: &State| -> BTreeSet<(String, Vec<(String, String)>)> {
                    let found = steps(model, state).into_iter();
                    found
                        .map(|(occurrence, next)| {
                            let cells = (0..model.cells() - 1)
                                .map(|cell| (model.name(cell).to_owned(), next[cell].to_string()));
                            let mut cells: Vec<(String, String)> = cells.collect();
                            cells.sort();
                            (model.action(occurrence.event).name.text.clone(), cells)
                        })
                        .collect()
                };
            assert_eq!(all(&model, &one), all(&again, &other), "{written}");
            if !seen.insert(one.clone()) || seen.len() > 60 {
                continue;
            }
            let theirs = steps(&again, &other);
            for (occurrence, next) in steps(&model, &one) {
                let key = |model: &Model<'_>, state: &State| {
                    let count = model.system.variables.len();
                    let mut cells: Vec<(String, String)> = (0..count)
                        .map(|cell| (model.name(cell).to_owned(), state[cell].to_string()))
                        .collect();
                    cells.sort();
                    cells
                };
                let event = &model.action(occurrence.event).name.text;
                let found = theirs.iter().find(|(o, n)| {
                    again.action(o.event).name.text == *event
                        && key(&again, n) == key(&model, &next)
                });
                let (_, found) = found.expect("the same step");
                open.push((idle(&model, &next), idle(&again, found)));
            }
        }
    }
}

/// Adds all files in JSON below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        match path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            true => files.push(path),
            false => collect(&path, files),
        }
    }
}

#[test]
fn public_models_are_read_or_refused_at_their_places_with_what_to_do() {
    let Some(folder) = std::env::var_os("HYPERKILL_MODELS").map(PathBuf::from) else {
        eprintln!("SKIPPED: HYPERKILL_MODELS names no folder of public models");
        return;
    };
    let mut files = Vec::new();
    collect(&folder.join("graphwalker"), &mut files);
    files.sort();
    if files.is_empty() {
        eprintln!("SKIPPED: no models of GraphWalker in {}", folder.display());
        return;
    }
    let mut read = 0;
    for path in &files {
        let text = fs::read_to_string(path).expect("a text");
        let source = SourceFile::new("m.json", text);
        match translated(&source, &FrontendOptions::default()) {
            Ok(translation) => {
                read += 1;
                println!(
                    "{}: {} mutants",
                    path.display(),
                    translation.catalogue.len()
                );
            }
            Err(errors) => {
                for error in &errors {
                    let place = error.span.map_or("", |span| span.of(&source.text));
                    println!(
                        "{}: {} at `{place}`: {:?}",
                        path.display(),
                        error.message,
                        error.help
                    );
                    assert!(error.span.is_some(), "{error:?}");
                }
            }
        }
    }
    println!("{read} of {} files are read", files.len());
}

#[test]
fn walks_start_where_a_model_has_its_start_element() {
    // The first model names an element of the second one, and the first edge comes from nowhere.
    let file = r#"{ "models": [
      { "name": "A", "startElementId": "e0", "vertices": [ { "id": "v", "name": "v_A", "sharedState": "S" } ] },
      { "name": "B", "startElementId": "e0", "vertices": [ { "id": "v", "name": "v_B", "sharedState": "S" } ],
        "edges": [ { "id": "e0", "name": "begin", "sourceVertexId": "Start", "targetVertexId": "v" } ] } ] }"#;
    let source = SourceFile::new("m.json", file);
    let system = read_models(&source, &[]).unwrap_or_else(|e| panic!("{e:#?}"));
    let model = check(&system).expect("a model");
    let first = steps(&model, &initial(&model));
    let names = first
        .iter()
        .map(|(step, _)| model.action(step.event).name.text.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["begin"]);
    // Another edge from a vertex that is not there is an error.
    let wrong = file.replace("\"startElementId\": \"e0\"", "\"startElementId\": \"v\"");
    let (place, message, _) = refused(&wrong);
    assert_eq!(place, "\"Start\"");
    assert_eq!(message, "the model has no vertex with the id `Start`");
}

#[test]
fn the_guard_of_the_first_element_is_not_asked_for() {
    let file = r#"{ "models": [ { "name": "M", "startElementId": "e", "actions": ["x = 0;"],
      "vertices": [ { "id": "v", "name": "v_A" } ],
      "edges": [ { "id": "e", "name": "go", "guard": "x > 0", "actions": ["x = 1 - x;"], "sourceVertexId": "v",
                   "targetVertexId": "v" } ] } ] }"#;
    let source = SourceFile::new("m.json", file);
    // Only the guard of the first edge is mutated, and no such mutant is killed in the first step.
    let options = options(true, &[]);
    let translation = translated(&source, &options).unwrap_or_else(|e| panic!("{e:#?}"));
    let places = translation.catalogue.iter().map(|(mutant, _)| {
        let text = (&mutant.place, &mutant.original, &mutant.replacement);
        format!("{text:?}")
    });
    let mut places: Vec<String> = places.collect();
    let count = places.len();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), count);
    assert!(compare_walks(&source) > 1);
    assert!(compare_circuits(&source, true, &[], 1) > 10);
    let alone = file.replace(", \"sourceVertexId\": \"v\"", "");
    let alone = alone.replace("\"sourceVertexId\": \"v\",", "");
    let translation = translated(&SourceFile::new("m.json", alone), &options).expect("a model");
    let mut mutants = translation.catalogue.iter();
    assert!(mutants.all(|(mutant, _)| !mutant.original.contains('>')));
}
