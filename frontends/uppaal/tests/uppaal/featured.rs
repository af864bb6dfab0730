//! All mutants in one file are the mutants one by one, and the feature model has them all.

use std::collections::BTreeSet;

use hyperkill_core::mutant::Mutant;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile, apply};
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton, uvl};

use crate::models::{LAMP, RICH};

/// Returns the reachable behaviour of an automaton as text, independent of the order of locations and edges.
fn said(automaton: &Automaton) -> (String, BTreeSet<String>) {
    let name = |at: usize| automaton.locations[at].name.as_str();
    let mut reached = BTreeSet::from([automaton.initial]);
    let mut open = vec![automaton.initial];
    while let Some(at) = open.pop() {
        for (_, edge) in automaton.leaving(at) {
            if reached.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    let mut parts = BTreeSet::new();
    for at in &reached {
        parts.insert(format!(
            "{} {:?}",
            name(*at),
            automaton.locations[*at].invariant
        ));
    }
    for edge in automaton
        .edges
        .iter()
        .filter(|edge| reached.contains(&edge.source))
    {
        let (from, to) = (name(edge.source), name(edge.target));
        let mut guard: Vec<String> = edge.guard.iter().map(|atom| format!("{atom:?}")).collect();
        guard.sort_unstable();
        parts.insert(format!(
            "{from} {to} {:?} {guard:?} {:?}",
            edge.action, edge.updates
        ));
    }
    (name(automaton.initial).to_owned(), parts)
}

fn check(text: &str, operators: Option<&[&str]>) -> usize {
    let options = FrontendOptions {
        operators: operators.map(|names| NamePredicate::names(names.iter().copied())),
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let model = read(&sources, &options).expect("a model");
    let mutants = model.mutations.iter().map(|m| &m.mutant);
    // A mutant that is no model by itself is not written.
    let is_model = |mutant: &&Mutant| {
        let text = apply(&sources[0].text, mutant).expect("its place is there");
        read_automaton(&text, &options).is_ok()
    };
    let mutants: Vec<&Mutant> = mutants.filter(is_model).collect();
    let featured = UppaalFrontend.featured(&sources, &mutants, &options);
    let featured = featured
        .expect("a form")
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    let chosen = |number: usize| {
        let text = featured.replace(
            "const int MUTANT = 0;",
            &format!("const int MUTANT = {number};"),
        );
        let read = read_automaton(&text, &options);
        read.unwrap_or_else(|errors| panic!("{number}: {errors:?}\n{text}"))
    };
    let original = read_automaton(&sources[0].text, &options).expect("a model");
    assert_eq!(said(&chosen(0)), said(&original));
    for (number, mutant) in mutants.iter().enumerate() {
        let mutated = apply(&sources[0].text, mutant).expect("its place is there");
        let Ok(alone) = read_automaton(&mutated, &options) else {
            continue;
        };
        assert_eq!(said(&chosen(number + 1)), said(&alone), "{mutant:?}");
    }
    mutants.len()
}

#[test]
fn one_file_is_each_of_the_mutants_by_its_constant() {
    assert_eq!(check(LAMP, None), 96);
    let all = check(RICH, None);
    let asked = ["CAL", "CAS", "CAN", "CSL", "CTL", "CAC", "IRS", "TAX"];
    let more = check(LAMP, Some(&asked)) + check(RICH, Some(&asked));
    println!("{all} and {more} mutants");
    assert!(all > 15 && more > 20);
}

#[test]
fn what_is_called_like_the_constant_is_refused() {
    let text = LAMP.replace("clock x", "int MUTANT ; clock x");
    let sources = vec![SourceFile::new("model.xml", text.as_str())];
    let options = FrontendOptions::default();
    let written = UppaalFrontend
        .featured(&sources, &[], &options)
        .expect("a form");
    assert!(written.is_err_and(|errors| errors[0].message.contains("`MUTANT`")));
}

#[test]
fn the_feature_model_has_each_mutant_once_and_excludes_what_guidelines_exclude() {
    let options = FrontendOptions::default();
    let sources = vec![SourceFile::new("model.xml", LAMP)];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let model = read(&sources, &options).expect("a model");
    let text = uvl::written(&model.process, model.mutations.iter(), |_| true);
    let (features, constraints) = text.split_once("constraints\n").expect("both");
    for mutation in &model.mutations {
        let id = format!("\"{}\"", mutation.mutant.id);
        assert_eq!(features.matches(&id).count(), 1);
        let excluded = constraints.contains(&format!("\t!{id} // "));
        assert_eq!(excluded, mutation.meaning.is_some());
    }
    assert!(features.starts_with("features\n\t\"Lamp\"\n\t\talternative\n\t\t\toriginal\n"));
}
