//! Refinement queries of Ecdar's examples with the results that its tests expect: all queries with available files.

use std::path::Path;

use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::timed::Automaton;
use hyperkill_core::verdict::{Strength, Verdict};
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, ProcessOptions, SourceFile};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_timed_certify::good::Side as Checked;
use hyperkill_uppaal::compose::{Together, together};
use hyperkill_uppaal::ecdar::xml;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

fn component(text: &str, name: &str) -> Automaton {
    let options = FrontendOptions {
        processes: ProcessOptions {
            semantics: Some(Preset::Ecdar.name().to_owned()),
            sut: Some(name.to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    read_automaton(text, &options).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// Returns the automaton of an expression like `A || B`: components with operators between them, all the same.
fn side(text: &str, expression: &str) -> Automaton {
    let (how, sign) = match expression.contains("&&") {
        true => (Together::Conjunction, "&&"),
        false => (Together::Composition, "||"),
    };
    let parts = expression
        .split(sign)
        .map(|name| component(text, name.trim()));
    let whole = parts.reduce(|left, right| together(&left, &right, how).expect("they fit"));
    whole.expect("a component")
}

/// Whether the system `left` refines `right`, by zones. Checks that a check without zones agrees on good states and accepts the proof.
fn refines(text: &str, left: &str, right: &str) -> bool {
    let budget = Budget::unlimited();
    let rules = Preset::Ecdar.rules();
    let [left, right] = [left, right].map(|expression| {
        let automaton = side(text, expression);
        let found = Side::new(automaton.clone(), true, &budget).expect("no limit");
        let checked = Checked::new(automaton, true, &budget).expect("no limit");
        assert_eq!(found.is_consistent(), checked.is_consistent());
        found
    });
    if !left.is_consistent() || !right.is_consistent() {
        return false;
    }
    match refine(&left, &right, rules, None, &budget) {
        Found::Refines(_) => true,
        Found::Fails(_) | Found::Alphabets => false,
        other => panic!("{other:?}"),
    }
}

/// Returns the XML of a file or project; `None` if it is not there.
fn text(place: &Path) -> Option<String> {
    if place.is_file() {
        return std::fs::read_to_string(place).ok();
    }
    let mut files = Vec::new();
    let components = std::fs::read_dir(place.join("Components")).ok()?;
    files.extend(components.flatten().map(|entry| entry.path()));
    files.sort();
    files.extend(
        ["GlobalDeclarations.json", "SystemDeclarations.json"].map(|name| place.join(name)),
    );
    let sources = files.iter().filter_map(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        Some(SourceFile::new(file.display().to_string(), text))
    });
    let sources: Vec<SourceFile> = sources.collect();
    Some(xml(&sources).unwrap_or_else(|errors| panic!("{errors:?}")))
}

#[test]
fn refinement_queries_have_the_answers_that_others_expect() {
    let Ok(folder) = std::env::var("HYPERKILL_MODELS") else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so no query of Ecdar is asked");
        return;
    };
    let folder = Path::new(&folder).join("ecdar");
    let listed = std::fs::read_to_string(folder.join("REVEAAL_EXPECTED.tsv")).expect("the list");
    let (mut asked, mut wrong) = (0, Vec::new());
    for line in listed.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [model, query, expected, ..] = cells.as_slice() else {
            continue;
        };
        let place = folder.join("Reveaal").join(model);
        let (Some(query), Some(text)) = (query.strip_prefix("refinement: "), text(&place)) else {
            continue;
        };
        let Some((left, right)) = query.split_once("<=") else {
            continue;
        };
        asked += 1;
        let found = refines(&text, left.trim(), right.trim());
        if found.to_string() != *expected {
            wrong.push(format!("{model}: {query} is {expected}, not {found}"));
        }
    }
    println!("{asked} queries");
    assert!(
        asked >= 97 && wrong.is_empty(),
        "{asked} queries, {wrong:#?}"
    );
}

#[test]
fn mutants_with_an_input_that_the_model_does_not_know_are_killed_by_giving_it() {
    let text = include_str!("../../../../../tests/models/uppaal/lamp/model.xml");
    let options = FrontendOptions {
        operators: Some(NamePredicate::names(["TAD"])),
        processes: ProcessOptions {
            semantics: Some("ecdar".to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let decider = UppaalDecision.read(&sources, &options).expect("a model");
    let rechecker = UppaalRecheck.read(&sources, &options).expect("a model");
    let elsewhere = FrontendOptions {
        processes: ProcessOptions {
            semantics: None,
            ..options.processes.clone()
        },
        ..options.clone()
    };
    let elsewhere = UppaalRecheck.read(&sources, &elsewhere).expect("a model");
    let budget = Budget::unlimited();
    let mut killed = 0;
    for (mutant, _) in &decider.contents().catalogue {
        let verdict = decider.decide(&mutant.id, None, &budget);
        assert_eq!(rechecker.recheck(&mutant.id, &verdict, &budget), Ok(()));
        let Verdict::Killed(kill) = verdict else {
            continue;
        };
        if mutant.path.ends_with('?') {
            killed += 1;
            assert_eq!(
                (kill.strength, kill.model_run.len()),
                (Strength::Definite, 1)
            );
            let same = Verdict::Killed(kill.clone());
            assert!(elsewhere.recheck(&mutant.id, &same, &budget).is_err());
            let mut unlike = kill.clone();
            unlike.model_run[0].inputs[0].1 = Value::Symbol("press".to_owned());
            unlike.mutant_run[0].inputs = unlike.model_run[0].inputs.clone();
            let verdict = Verdict::Killed(unlike);
            assert!(rechecker.recheck(&mutant.id, &verdict, &budget).is_err());
        }
    }
    assert_eq!(killed, 36);
}
