//! Mutants that violate a guideline of \[0\]: their results follow from their change, without a search.

use hyperkill_core::budget::Budget;
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_timed::identity::identity;
use hyperkill_timed::refine::Side;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read, read_mutant};

use crate::studies::{CAR_ALARM, COFFEE, HOTEL, MUTEX, WFAS};

const LAMP: &str = include_str!("../../../../../tests/models/uppaal/lamp/model.xml");

/// Counts of mutants of a model: all mutants; mutants that violate a guideline; and, among the latter, inconsistent mutants, mutants that
/// refine the model by their change alone, and mutants with two successors of one state.
#[derive(PartialEq, Eq, Debug)]
struct Counts {
    mutants: usize,
    violating: usize,
    inconsistent: usize,
    related: usize,
    ambiguous: usize,
}

fn counted(xml: &str, preset: Preset) -> Counts {
    let options = FrontendOptions {
        processes: ProcessOptions {
            semantics: Some(preset.name().to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", xml)];
    let sources = UppaalFrontend.prepare(sources, &options);
    let sources = sources.expect("options fit");
    let model = read(&sources, &options).expect("a model");
    let (rules, budget) = (preset.rules(), Budget::unlimited());
    let side = |automaton, is_pruned| Side::new(automaton, is_pruned, &budget).expect("no limit");
    let original = side(model.automaton.clone(), rules.is_pruned);
    let mut counts = Counts {
        mutants: model.mutations.len(),
        violating: 0,
        inconsistent: 0,
        related: 0,
        ambiguous: 0,
    };
    let text = &sources[0].text;
    for mutation in model.mutations.iter().filter(|m| m.meaning.is_some()) {
        counts.violating += 1;
        let mutated = apply(text, &mutation.mutant).expect("the same text");
        let automaton = read_mutant(text, &mutated, &options).expect("a model");
        if side(automaton.clone(), false).ambiguity().is_some() {
            counts.ambiguous += 1;
            continue;
        }
        let mutant = side(automaton, rules.is_pruned);
        if !mutant.is_consistent() {
            counts.inconsistent += 1;
            continue;
        }
        let related = identity(&mutant, &original, rules, &budget).expect("no limit");
        assert!(related.is_some(), "{:?} needs a search", mutation.mutant);
        counts.related += 1;
    }
    counts
}

#[test]
fn no_deterministic_mutant_that_violates_a_guideline_needs_a_search() {
    let models = [
        ("lamp", LAMP),
        ("WFAS", WFAS.xml),
        ("MUTEX", MUTEX.xml),
        ("COFFEE", COFFEE.xml),
        ("HOTEL", HOTEL.xml),
        ("car alarm", CAR_ALARM),
    ];
    for (name, xml) in models {
        for preset in [Preset::Strict, Preset::VerifyTga, Preset::Definition7] {
            let counts = counted(xml, preset);
            println!("{name} {}: {counts:?}", preset.name());
            assert!(counts.related > 0, "{name}");
        }
    }
}
