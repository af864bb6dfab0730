//! Many mutants decided together: each gets the same result as alone, and its evidence is accepted.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_timed::family::{Answer, Settled, settle};
use hyperkill_timed::fault;
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_timed::replay::{is_test_of, may_fail};
use hyperkill_timed_certify::good::Side as Checked;
use hyperkill_timed_certify::relation::check;

use crate::evidence::{lost_of, pairs};
use crate::random::{cases, generator, mutant};
use crate::refinement::{draw, rules};

pub(crate) fn side(automaton: &Automaton, is_pruned: bool) -> Side {
    Side::new(automaton.clone(), is_pruned, &Budget::unlimited()).expect("no limit")
}

/// Returns the random mutants of a random model, and the model; `None` if the model is ambiguous or inconsistent.
pub(crate) fn family(seed: u64) -> Option<(Vec<Automaton>, Side)> {
    let (_, model) = draw(seed);
    let largest = model.largest_constants().into_iter().max().unwrap_or(0) + 1;
    let mut random = generator(seed.wrapping_mul(31));
    let mutants = (0..15).map(|_| mutant(&mut random, &model, largest));
    let mutants: Vec<Automaton> = mutants.collect();
    let model = fault::with(None, || side(&model, rules(seed).is_pruned));
    (model.ambiguity().is_none() && model.is_consistent()).then_some((mutants, model))
}

/// Whether the result for a mutant is that of deciding it alone.
fn agrees(
    settled: &Settled,
    number: usize,
    mutants: &[Automaton],
    model: &Side,
    seed: u64,
) -> bool {
    let mutant = &mutants[number];
    let budget = Budget::unlimited();
    let rules = rules(seed);
    let own = side(mutant, rules.is_pruned);
    let alone = own
        .is_consistent()
        .then(|| refine(&own, model, rules, None, &budget));
    match (settled.answers[number], alone) {
        (Answer::Alone, _) => rules.one_successor_is_enough || mutant.clocks != mutants[0].clocks,
        (Answer::Inconsistent, None) => true,
        (Answer::Refines, Some(Found::Refines(_))) => true,
        (Answer::Fails(trace), Some(Found::Fails(found))) => {
            let trace = &settled.traces[trace];
            trace.events.len() == found.events.len()
                && is_test_of(model, trace, rules)
                && may_fail(&own, trace, rules)
        }
        _ => false,
    }
}

/// Whether lists of constraints accept the result for a mutant that is said to refine the model.
fn checks(settled: &Settled, number: usize, mutant: &Automaton, model: &Side, seed: u64) -> bool {
    let budget = Budget::unlimited();
    let rules = rules(seed);
    let lost = lost_of(&settled.lost(number));
    let Ok(own) = Checked::shown(mutant.clone(), rules.is_pruned, &lost, &budget) else {
        return false;
    };
    let model = Checked::new(model.automaton.clone(), rules.is_pruned, &budget).expect("no limit");
    let pairs = pairs(&settled.related(number));
    own.is_consistent() && check(&own, &model, rules, &pairs, &budget).is_ok()
}

#[test]
fn of_each_of_many_mutants_the_same_is_found_as_alone() {
    let mut counts = [0; 4];
    for seed in 0..cases(300) {
        let Some((mutants, model)) = family(seed) else {
            continue;
        };
        let settled = settle(&mutants, &model, rules(seed), &Budget::unlimited());
        let settled = settled.expect("no limit");
        for (number, mutant) in mutants.iter().enumerate() {
            let what = format!("seed {seed} mutant {number} {:?}", settled.answers[number]);
            assert!(
                agrees(&settled, number, &mutants, &model, seed),
                "{what}\n{:#?}\n{mutant:#?}",
                model.automaton
            );
            if settled.answers[number] == Answer::Refines {
                assert!(checks(&settled, number, mutant, &model, seed), "{what}");
            }
            counts[match settled.answers[number] {
                Answer::Refines => 0,
                Answer::Fails(_) => 1,
                Answer::Inconsistent => 2,
                Answer::Alone | Answer::Alphabets => 3,
            }] += 1;
        }
    }
    println!("refine, fail, inconsistent, alone: {counts:?}");
    assert!(counts.iter().all(|count| *count > 20));
}

#[test]
fn every_fault_planted_in_families_is_noticed_by_deciding_alone_and_by_the_check_of_its_evidence() {
    for planted in fault::OF_FAMILIES {
        let (mut alone, mut refused) = (None, None);
        for seed in 0..4000 {
            let Some((mutants, model)) = family(seed) else {
                continue;
            };
            let found = fault::with(Some(planted), || {
                settle(&mutants, &model, rules(seed), &Budget::unlimited())
            });
            for (number, mutant) in mutants.iter().enumerate() {
                let wrong = match &found {
                    Ok(settled) => {
                        let is_wrong = !agrees(settled, number, &mutants, &model, seed);
                        let is_refused = settled.answers[number] == Answer::Refines
                            && !checks(settled, number, mutant, &model, seed);
                        (is_wrong, is_refused)
                    }
                    // A path that no trace follows.
                    Err(_) => (true, false),
                };
                alone = alone.or(wrong.0.then_some(seed));
                refused = refused.or(wrong.1.then_some(seed));
            }
            if alone.is_some() && refused.is_some() {
                break;
            }
        }
        println!("{planted:?}: seeds {alone:?} and {refused:?}");
        assert!(alone.is_some() && refused.is_some(), "{planted:?}");
    }
}
