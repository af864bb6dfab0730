//! The mutants of the car alarm of \[2\], and the texts of mutants.

use std::collections::BTreeMap;

use hyperkill_action_systems::{ActionSystemFrontend, read};
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::mutation::apply;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_guarded::model::check;

use crate::support::{everything, model, translated};

fn mutants(source: &SourceFile, options: &FrontendOptions) -> Vec<Mutant> {
    let catalogue = translated(source, options).catalogue.into_iter();
    catalogue.map(|(mutant, _)| mutant).collect()
}

#[test]
fn the_car_alarm_has_as_many_mutants_as_its_paper_says() {
    for path in ["car-alarm/model.as", "car-alarm/inputs.as"] {
        let source = model(path);
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut equalities = [0, 0];
        for mutant in mutants(&source, &FrontendOptions::default()) {
            if mutant.operator == "EQI" {
                equalities[usize::from(mutant.original.contains(r"#\="))] += 1;
            }
            *found.entry(mutant.operator).or_default() += 1;
        }
        let expected = [("EQI", 56), ("GTR", 34), ("ICI", 116)];
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(found, BTreeMap::from(expected));
        assert_eq!(equalities, [52, 4]);
        let read = read(&source).expect("a system");
        let checked = check(&read.system).expect("a model");
        assert_eq!((read.system.variables.len(), checked.events.len()), (6, 11));
    }
}

#[test]
fn the_example_of_each_operator_is_one_of_its_mutants() {
    for operator in ActionSystemFrontend.operators() {
        let (before, after) = operator.example.split_once(" ⇒ ").expect("an arrow");
        let body = |piece: &str| match piece.contains(":=") || piece.contains("=>") {
            true => piece.to_owned(),
            false => format!("({piece}) => (a := 1)"),
        };
        let text = |piece: &str| {
            format!(
                "type(t, X) :- X in 0..3.\nvar([a, b, level, used, free, aState, soundOn], t).\n\
                 state_def([a, b, level, used, free, aState, soundOn]).\ninit([0, 0, 0, 0, 0, 0, 0]).\n\
                 as :- actions ( 'x'::(true) => ({}) ), dood ( 'x' ).\n",
                body(piece)
            )
        };
        let source = SourceFile::new("m", text(before));
        let all = mutants(&source, &everything(true));
        let texts = all.iter().filter(|mutant| mutant.operator == operator.name);
        let mut texts = texts.map(|mutant| apply(&source.text, mutant).expect("a place"));
        assert!(
            texts.any(|mutated| mutated == text(after)),
            "{}: {}",
            operator.name,
            operator.example
        );
    }
}

#[test]
fn every_mutant_is_a_system_when_it_is_read_alone() {
    for path in [
        "car-alarm/model.as",
        "lift/model.as",
        "token-ring/model.as",
        "till/model.as",
    ] {
        let source = model(path);
        let translation = translated(&source, &everything(true));
        for (mutant, reason) in &translation.catalogue {
            assert_eq!(*reason, None, "{mutant:?}");
            let text = apply(&source.text, mutant).expect("a place of the text");
            let alone = SourceFile::new("m", text);
            let read = read(&alone).unwrap_or_else(|e| panic!("{mutant:?}: {e:#?}"));
            check(&read.system).unwrap_or_else(|e| panic!("{mutant:?}: {e:#?}"));
        }
    }
}

#[test]
fn remarks_switch_mutants_off() {
    let source = model("till/model.as");
    let all = mutants(&source, &FrontendOptions::default());
    let line = source
        .text
        .lines()
        .position(|line| line.contains("'change'::"))
        .expect("a line");
    let mut lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
    lines[line] += " % hyperkill: off";
    let off = SourceFile::new("m", lines.join("\n"));
    let left = mutants(&off, &FrontendOptions::default());
    let there = all.iter().filter(|mutant| mutant.place.line == line + 1);
    assert_eq!(left.len() + there.count(), all.len());
    assert!(left.len() < all.len());
    assert!(left.iter().all(|mutant| mutant.place.line != line + 1));
}
