//! The search of \[4\]: its results on the figures, its effort, and its paths as runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hyperkill_core::sort::Value;
use hyperkill_efsm::{LANGUAGE, read};
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{FrontendOptions, NamePredicate, SourceFile};
use hyperkill_guarded::interpret::{
    Occurrence, State, after, idle, initial, leaves, occurrences, part,
};
use hyperkill_guarded::lower::{Observed, Reading};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::mutate::{Mutation, mutations};
use hyperkill_guarded::search::{Effort, Found, Order, Style, search};
use hyperkill_guarded::tree::{Leaving, Refusal, System};

use crate::random::{cases, machine};

const OUTPUTS: Reading = Reading {
    observed: Observed::Outputs,
    complete: false,
};

fn system(source: &SourceFile) -> System {
    read(source)
        .unwrap_or_else(|errors| panic!("{errors:#?}\n{}", source.text))
        .system
}

fn all(model: &Model<'_>, source: &SourceFile, operators: Option<&[&str]>) -> Vec<Mutation> {
    let options = FrontendOptions {
        operators: Some(match operators {
            Some(names) => NamePredicate::names(names.iter().copied()),
            None => NamePredicate::new(|_| true),
        }),
        ..FrontendOptions::default()
    };
    mutations(model, source, &LANGUAGE, &[], &options).expect("mutants")
}

fn exhaustive(order: Order, cuts: bool) -> Effort {
    Effort {
        style: Style {
            order,
            cuts,
            most: 10_000_000,
        },
        steps: 100_000_000,
        tries: 1,
        values: 32,
    }
}

/// Searches for a test of the mutant by this operator at this path of a figure in \[4\]. Returns the result, and the locations of the path
/// that was found.
fn figure(text: &str, operator: &str, path: &str, effort: Effort) -> (Found, Option<Vec<String>>) {
    let source = SourceFile::new("figure.efsm", text);
    let system = system(&source);
    let model = check(&system).expect("a model");
    let mut mutants = all(&model, &source, Some(&[operator]));
    mutants.retain(|found| found.mutant.path == path);
    assert_eq!(mutants.len(), 1, "{operator} at {path}\n{text}");
    let found = search(&model, &mutants, OUTPUTS, effort).expect("a machine");
    let locations = found.claims.first().map(|claim| {
        let mut state = initial(&model);
        let name = |state: &State| state[model.system.location.expect("locations")].to_string();
        let mut names = vec![name(&state)];
        for offer in &found.paths[claim.path] {
            let next = after(&model, &state, offer);
            state = idle(&model, next.first().expect("a step"));
            names.push(name(&state));
        }
        names
    });
    (found, locations)
}

fn text_of(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/efsm");
    let file = folder.join(format!("{name}.efsm"));
    fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn the_figures_are_claimed_as_the_paper_says() {
    let depth = exhaustive(Order::Depth, true);
    let of = |name: &str| {
        let (operator, path) = match name {
            "equal-branches" => ("GFL", "L1.step/guard"),
            "figure-1b" => ("GTR", "L2.step/guard"),
            _ => ("GFL", "L2.step/guard"),
        };
        figure(&text_of(name), operator, path, depth)
    };
    for (name, is_claimed, is_confirmed) in [
        ("figure-1a", true, true),
        ("figure-1b", true, true),
        ("figure-1c", false, false),
        ("figure-5-twice", true, true),
        ("figure-5-once", false, false),
        ("figure-6", false, false),
        // Optimistic: [4] does not compare values.
        ("equal-branches", true, false),
    ] {
        let (found, path) = of(name);
        let claim = found.claims.first();
        assert_eq!(claim.is_some(), is_claimed, "{name}: {path:?}");
        assert_eq!(
            claim.is_some_and(|claim| claim.is_confirmed),
            is_confirmed,
            "{name}"
        );
    }
    // Only through line 8.
    let path = of("figure-1b").1.expect("a path");
    assert!(
        path.contains(&"L8".to_owned()) && !path.contains(&"L6".to_owned()),
        "{path:?}"
    );
    // p1 is cut when it comes to 6 again, and resumed.
    let (found, path) = of("figure-5-twice");
    let lines = path.expect("a path");
    let lines: Vec<&str> = lines
        .iter()
        .filter_map(|name| name.strip_prefix('L'))
        .collect();
    let expected = [
        "1", "2", "3", "6", "7", "8", "12", "6", "7", "10", "11", "12",
    ];
    assert_eq!(lines, expected);
    assert!(found.counts.resumed > 0);
}

/// Returns the transitions of example 5 in \[4\] with `count` variables, without steps that do nothing: no output shows A.
fn example_5(count: usize) -> String {
    let mut locations = vec!["L1".to_owned(), "L2".to_owned(), "L3".to_owned()];
    let mut text = String::new();
    let zero: String = (1..=count).map(|i| format!(" X{i} := 0;")).collect();
    text += &format!("from L1 on step {{ A := 0;{zero} }} to L2\n");
    text += "from L2 on step if c to L3\nfrom L2 on step else to T1\nfrom L3 on step { A := 1; } to T1\n";
    for i in 1..=count {
        let next = match i == count {
            true => "End".to_owned(),
            false => format!("T{}", i + 1),
        };
        text += &format!("from T{i} on step if c to O{i}\nfrom T{i} on step else to {next}\n");
        text += &format!("from O{i} on step {{ emit out(X{i}); }} to {next}\n");
        locations.extend([format!("T{i}"), format!("O{i}")]);
    }
    locations.push("End".to_owned());
    let variables: String = (1..=count)
        .map(|i| format!("var X{i}: 0..1 = 0;\n"))
        .collect();
    format!(
        "location {};\nvar A: 0..1 = 0;\n{variables}event step(c: bool);\noutput out(x: 0..1);\n{text}",
        locations.join(", ")
    )
}

#[test]
fn example_5_takes_states_in_proportion_to_its_size() {
    for order in [Order::Depth, Order::Breadth] {
        for count in [1, 2, 3, 10, 100, 300, 1000] {
            let text = example_5(count);
            let (found, path) = figure(&text, "GFL", "L2.step/guard", exhaustive(order, true));
            assert_eq!(path, None, "n = {count}");
            let counts = found.counts;
            assert_eq!(counts.visited, 2 * count + 3, "n = {count}, {order:?}");
            assert_eq!(counts.taken, 3 * count + 3, "n = {count}, {order:?}");
            assert_eq!(counts.resumed, 0, "n = {count}, {order:?}");
        }
    }
    // All paths one by one.
    for count in [1, 2, 5, 10, 12] {
        let text = example_5(count);
        let (found, path) = figure(
            &text,
            "GFL",
            "L2.step/guard",
            exhaustive(Order::Depth, false),
        );
        assert_eq!(
            (path, found.counts.taken),
            (None, 3 << count),
            "n = {count}"
        );
    }
}

/// Returns up to 25 states that a machine reaches.
fn reached(model: &Model<'_>) -> BTreeSet<State> {
    let mut seen = BTreeSet::from([initial(model)]);
    let mut open: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for event in 0..model.events.len() {
            for offer in occurrences(model, event) {
                for next in after(model, &state, &offer) {
                    let next = idle(model, &next);
                    if seen.len() < 25 && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
    }
    seen
}

#[test]
fn a_mutant_is_interpreted_as_its_text_is() {
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..cases(40) {
        let source = SourceFile::new("m.efsm", machine(seed));
        let system = system(&source);
        let model = check(&system).expect("a model");
        let states = reached(&model);
        for mutation in all(&model, &source, None) {
            let text = apply(&source.text, &mutation.mutant).expect("a place of the text");
            let Ok(read) = read(&SourceFile::new("m.efsm", &*text)) else {
                continue;
            };
            let Ok(mutant) = check(&read.system) else {
                continue;
            };
            let meaning = &mutation.meaning;
            for state in &states {
                for event in 0..model.events.len() {
                    let body = model.action(event).body;
                    for offer in occurrences(&model, event) {
                        let change = Some((meaning.site, meaning.change));
                        let found = part(&model, body, &offer.values, state, change).states;
                        let expected = after(&mutant, state, &offer);
                        assert_eq!(
                            found, expected,
                            "seed {seed}, {meaning:?}\n{text}\n{state:?} {offer:?}"
                        );
                        *compared
                            .entry(mutation.mutant.operator.clone())
                            .or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{compared:?}");
    assert!(compared.len() > 15, "{compared:?}");
}

/// Returns for each step of a path its possible observations, and whether in each step some run takes the event.
fn shown(
    model: &Model<'_>,
    path: &[Occurrence],
    complete: bool,
) -> (Vec<BTreeSet<Vec<Value>>>, bool) {
    let variables = model.system.variables.len();
    let is_seen = complete || model.system.refusal != Refusal::Ignored;
    let mut states = BTreeSet::from([initial(model)]);
    let (mut all, mut is_made) = (Vec::new(), true);
    for offer in path {
        let (mut shown, mut next) = (BTreeSet::new(), BTreeSet::new());
        let mut is_some_made = false;
        for state in &states {
            let ends = after(model, state, offer);
            let ports = |state: &State, done: bool| {
                let last = model.transition().unwrap_or(model.cells());
                let mut seen: Vec<Value> =
                    state.iter().take(last).skip(variables).cloned().collect();
                seen.extend(is_seen.then(|| Value::bool(done)));
                seen
            };
            is_some_made |= !ends.is_empty();
            if ends.is_empty() && !ends_run(model, state, offer) {
                shown.insert(ports(&idle(model, state), false));
                next.insert(idle(model, state));
            }
            for end in ends {
                shown.insert(ports(&end, true));
                next.insert(idle(model, &end));
            }
        }
        is_made &= is_some_made;
        if next.is_empty() {
            break;
        }
        all.push(shown);
        states = next;
    }
    (all, is_made)
}

#[test]
fn paths_are_runs_and_confirmed_claims_are_kills_of_mutants_that_are_read_anew() {
    let (mut paths, mut confirmed, mut guessed) = (0, 0, 0);
    for seed in 0..cases(120) {
        let source = SourceFile::new("m.efsm", machine(seed));
        let system = system(&source);
        let model = check(&system).expect("a model");
        let mutants = all(&model, &source, None);
        let complete = seed % 3 == 0;
        let reading = Reading {
            complete,
            ..OUTPUTS
        };
        let Some(found) = search(&model, &mutants, reading, Effort::default()) else {
            continue;
        };
        let ignores = complete || system.refusal == Refusal::Ignored;
        for path in &found.paths {
            let (_, is_made) = shown(&model, path, complete);
            assert!(is_made || ignores, "seed {seed}: {path:?}\n{}", source.text);
            paths += 1;
        }
        for claim in &found.claims {
            let mutation = &mutants[claim.mutant];
            let text = apply(&source.text, &mutation.mutant).expect("a place of the text");
            let read = read(&SourceFile::new("m.efsm", &*text))
                .unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
            let mutant = check(&read.system).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
            let path = &found.paths[claim.path];
            let [ours, theirs] = [&model, &mutant].map(|model| shown(model, path, complete).0);
            let what = format!("seed {seed}, {:?}, {path:?}\n{text}", mutation.meaning);
            // Runs that have left the ranges are over.
            let common = ours.len().min(theirs.len());
            let differ = ours[..common] != theirs[..common];
            assert_eq!(differ, claim.is_confirmed, "{what}");
            match claim.is_confirmed {
                true => confirmed += 1,
                false => guessed += 1,
            }
        }
    }
    println!("{paths} paths, {confirmed} claims confirmed, {guessed} not");
    assert!(paths > 150 && confirmed > 1000 && guessed > 50);
}

/// Whether an event ends runs in a state, since on some path a value leaves its range.
fn ends_run(model: &Model<'_>, state: &State, offer: &Occurrence) -> bool {
    model.system.leaving == Leaving::EndsRuns && leaves(model, state, offer)
}

/// Whether some run shows a difference between a model and a mutant, which have to be deterministic.
fn is_killed(model: &Model<'_>, mutant: &Model<'_>, complete: bool) -> bool {
    let first = (initial(model), initial(mutant));
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some((ours, theirs)) = open.pop() {
        for event in 0..model.events.len() {
            for offer in occurrences(model, event) {
                let [ends, others] = [(model, &ours), (mutant, &theirs)]
                    .map(|(model, state)| after(model, state, &offer));
                assert!(ends.len() < 2 && others.len() < 2, "choices");
                if ends_run(model, &ours, &offer) || ends_run(mutant, &theirs, &offer) {
                    continue;
                }
                if ends.is_empty() && !complete && model.system.refusal != Refusal::Ignored {
                    continue;
                }
                let is_refused = complete || model.system.refusal != Refusal::Ignored;
                if is_refused && ends.is_empty() != others.is_empty() {
                    return true;
                }
                let end = |ends: BTreeSet<State>, state: &State| {
                    let end = ends.into_iter().next();
                    end.unwrap_or_else(|| idle(model, state))
                };
                let (ours, theirs) = (end(ends, &ours), end(others, &theirs));
                let mut ports =
                    model.system.variables.len()..model.transition().expect("transitions");
                if ports.any(|port| ours[port] != theirs[port]) {
                    return true;
                }
                let next = (idle(model, &ours), idle(mutant, &theirs));
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    false
}

fn is_deterministic(model: &Model<'_>) -> bool {
    let mut seen = BTreeSet::from([initial(model)]);
    let mut open: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for event in 0..model.events.len() {
            for offer in occurrences(model, event) {
                let ends = after(model, &state, &offer);
                if ends.len() + usize::from(ends_run(model, &state, &offer)) > 1 {
                    return false;
                }
                let new = ends.iter().map(|end| idle(model, end));
                let new: Vec<State> = new.filter(|end| seen.insert(end.clone())).collect();
                open.extend(new);
            }
        }
    }
    true
}

#[test]
fn claims_beside_all_runs_of_model_and_mutant() {
    // By operator: claimed and killed, claimed only, killed only, neither.
    let mut table: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let mut machines = 0;
    for seed in 0..cases(300) {
        let source = SourceFile::new("m.efsm", machine(seed));
        let system = system(&source);
        let model = check(&system).expect("a model");
        let complete = seed % 3 == 0;
        let may_refuse = system.refusal == Refusal::AtWill && !complete;
        if may_refuse || !is_deterministic(&model) {
            continue;
        }
        machines += 1;
        let mutants = all(&model, &source, None);
        let reading = Reading {
            complete,
            ..OUTPUTS
        };
        let found = search(&model, &mutants, reading, Effort::default()).expect("a machine");
        for (index, mutation) in mutants.iter().enumerate() {
            let text = apply(&source.text, &mutation.mutant).expect("a place of the text");
            let Ok(read) = read(&SourceFile::new("m.efsm", &*text)) else {
                continue;
            };
            let Ok(mutant) = check(&read.system) else {
                continue;
            };
            if !is_deterministic(&mutant) {
                continue;
            }
            let is_killed = is_killed(&model, &mutant, complete);
            let claim = found.claims.iter().find(|claim| claim.mutant == index);
            if claim.is_some_and(|claim| claim.is_confirmed) {
                assert!(is_killed, "seed {seed}, {:?}\n{text}", mutation.meaning);
            }
            let column = match (claim.is_some(), is_killed) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            table.entry(mutation.mutant.operator.clone()).or_default()[column] += 1;
        }
    }
    let mut sums = [0; 4];
    println!("{machines} machines: claimed and killed, claimed only, killed only, neither");
    for (operator, row) in &table {
        println!("{operator:5} {row:?}");
        row.iter()
            .zip(&mut sums)
            .for_each(|(count, sum)| *sum += count);
    }
    println!("all   {sums:?}");
    assert!(sums[0] > 500 && sums[1] > 0 && sums[3] > 100, "{sums:?}");
    // Few kills are missed.
    assert!(sums[2] * 5 < sums[0], "{sums:?}");
}
