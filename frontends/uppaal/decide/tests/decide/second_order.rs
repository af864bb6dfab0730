//! Mutants of mutants: how many of those that nobody needs the guidelines of \[0\] find.

use hyperkill_core::budget::Budget;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};

use crate::tables::listed;

#[derive(Debug, Default)]
struct Counts {
    mutants: usize,
    killed: usize,
    needless: usize,
    detected: usize,
}

/// Every operator on every mutant of first order, as `verifytga` decides.
fn counted(xml: &str) -> Counts {
    let options = FrontendOptions {
        semantics: Some(Preset::VerifyTga.name().to_owned()),
        ..FrontendOptions::default()
    };
    let prepared = |text: String| {
        let sources = vec![SourceFile::new("model.xml", text)];
        UppaalFrontend
            .prepare(sources, &options)
            .expect("options fit")
    };
    let budget = Budget::unlimited();
    let rules = Preset::VerifyTga.rules();
    let side = |text: &str, is_pruned: bool| {
        let automaton = read_automaton(text, &options).expect("a model");
        Side::new(automaton, is_pruned, &budget).expect("no limit")
    };
    let is_deterministic = |text: &str| side(text, false).ambiguity().is_none();
    let sources = prepared(xml.to_owned());
    let model = side(&sources[0].text, true);
    let mut counts = Counts::default();
    for first in read(&sources, &options).expect("a model").mutations {
        let changed = apply(&sources[0].text, &first.mutant).expect("its place is there");
        let first_violates = first.meaning.is_some() && is_deterministic(&changed);
        let again = prepared(changed);
        for second in read(&again, &options).expect("a model").mutations {
            let text = apply(&again[0].text, &second.mutant).expect("its place is there");
            let mutant = side(&text, true);
            counts.mutants += 1;
            let violates = first_violates && second.meaning.is_some() && is_deterministic(&text);
            let is_killed = mutant.is_consistent()
                && match refine(&mutant, &model, rules, None, &budget) {
                    Found::Fails(_) => true,
                    Found::Refines(_) => false,
                    other => panic!("{other:?}"),
                };
            assert!(
                !(violates && is_killed),
                "{:?} {:?}",
                first.mutant,
                second.mutant
            );
            counts.killed += usize::from(is_killed);
            counts.needless += usize::from(!is_killed);
            counts.detected += usize::from(violates);
        }
    }
    counts
}

fn detected(name: &str) -> Option<(f64, String)> {
    let models = listed()?;
    let model = models.iter().find(|model| model.name == name)?;
    let counts = counted(&model.xml);
    let percent = 100.0 * counts.detected as f64 / counts.needless as f64;
    Some((
        percent,
        format!("{name}: {counts:?}, {percent:.1} % detected"),
    ))
}

#[test]
fn the_guidelines_detect_as_much_of_second_order_coffee_as_is_printed() {
    match detected("COFFEE") {
        Some((percent, counts)) => {
            println!("{counts}");
            assert_eq!(percent.round(), 65.0);
        }
        None => eprintln!(
            "SKIPPED: HYPERKILL_MODELS is not set, so no mutants of second order are made"
        ),
    }
}

#[test]
#[ignore = "takes minutes: 15,000 and 203,000 mutants"]
fn the_guidelines_detect_as_much_of_second_order_wfas_and_accel_as_is_printed() {
    let Some((percent, counts)) = detected("WFAS") else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so no mutants of second order are made");
        return;
    };
    println!("{counts}");
    assert!((40.0..41.0).contains(&percent));
    let (percent, counts) = detected("ACCEL").expect("it is in the same list");
    println!("{counts}");
    assert_eq!(percent.round(), 71.0);
}
