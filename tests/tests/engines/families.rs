//! Families: mutants decided together get the oracle's verdicts.

use std::collections::BTreeMap;

use hyperkill_checker::family;
use hyperkill_checker::schedule;
use hyperkill_checker::search_progress::Known;
use hyperkill_checker::{Options, Silent, decide_all};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Product;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::verdict::{Engine, Strength, Verdict};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;

/// Returns the verdict on each mutant, and its engine, of a run without simulation and pairs of states. With `family`, mutants are decided
/// together, and PDR is off.
fn verdicts(model: &ConditionalMutant, family: bool) -> Vec<(Verdict, Option<Engine>)> {
    let options = Options {
        fold_duplicates: false,
        engines: schedule::Engines {
            simulation: false,
            pairs: false,
            // PDR would decide the mutants before families do.
            pdr: !family,
            family,
            ..schedule::Engines::ALL
        },
        ..Options::all(model)
    };
    let report = decide_all(model, &options, &Budget::unlimited(), &mut Silent).expect("decided");
    let outcomes = report.outcomes.into_iter();
    outcomes
        .map(|outcome| (outcome.verdict, outcome.engine))
        .collect()
}

#[test]
fn members_of_families_get_the_verdicts_that_they_deserve() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..1_200 {
        let kind = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        if model.selectors.len() < 2 {
            continue;
        }
        for (mutant, (verdict, engine)) in verdicts(&model, true).into_iter().enumerate() {
            let oracle = Oracle::new(&model, SelectorId(mutant)).expect("small");
            let kill = oracle.potential_kill().expect("small");
            let by_family = engine == Some(Engine::Family);
            match verdict {
                Verdict::Killed(found) => {
                    assert!(kill.is_some(), "seed {seed}, mutant {mutant}: killed");
                    let shortest = match found.strength {
                        Strength::Definite => oracle.definite_kill().expect("small"),
                        _ => kill,
                    };
                    let shortest = shortest.map(|inputs| inputs.len());
                    if found.shortest {
                        assert_eq!(
                            Some(found.steps()),
                            shortest,
                            "seed {seed}, mutant {mutant}"
                        );
                    }
                    *seen
                        .entry(if by_family {
                            "killed by a family"
                        } else {
                            "killed"
                        })
                        .or_default() += 1;
                }
                Verdict::Equivalent(_) | Verdict::RefusesInput { .. } => {
                    assert!(kill.is_none(), "seed {seed}, mutant {mutant}: equivalent");
                    let how = if by_family {
                        "equivalent by a family"
                    } else {
                        "equivalent"
                    };
                    *seen.entry(how).or_default() += 1;
                }
                other => panic!("seed {seed}, mutant {mutant}: {other:?}"),
            }
        }
    }
    println!("{seen:?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(of("equivalent by a family") >= 150 && of("killed by a family") >= 50);
}

#[test]
fn a_family_s_copy_is_each_of_its_members_and_nothing_else() {
    for seed in 0..40 {
        let model = conditional_mutant(seed, Kind::Choices);
        let members: Vec<SelectorId> = model.selector_ids().collect();
        let product = Product::family(&model, &members, false);
        let copy = &product.copies[1];
        let latches = product.aig.latches();
        if let [only] = copy.selectors[..] {
            assert_eq!((only, product.one_member), (Lit::TRUE, Lit::TRUE));
            continue;
        }
        for (member, selector) in copy.selectors.iter().enumerate() {
            let latch = latches.iter().find(|latch| latch.var.lit() == *selector);
            let latch =
                latch.unwrap_or_else(|| panic!("seed {seed}: selector {member} is no latch"));
            assert_eq!((latch.reset, latch.next), (Reset::Free, *selector));
        }
        assert!(
            product.copies[0]
                .selectors
                .iter()
                .all(|lit| lit.as_constant() == Some(false))
        );
    }
}

#[test]
fn groups_are_a_partition() {
    for seed in 0..40 {
        let model = conditional_mutant(seed, Kind::Choices);
        let members: Vec<SelectorId> = model.selector_ids().collect();
        let groups = family::groups(&model, &members, seed, &Budget::unlimited());
        let groups = groups.into_iter().map(|group| group.members);
        let mut listed: Vec<SelectorId> = groups.flatten().collect();
        listed.sort_unstable();
        assert_eq!(listed, members);
    }
}

#[test]
fn a_search_for_many_finds_the_shortest_run_of_each() {
    let (mut settled, mut longer, mut refuted) = (0, 0, 0);
    for seed in 0..1_500 {
        let kind = [Kind::Deterministic, Kind::MutantChooses][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let shortest: Vec<Option<usize>> = model
            .selector_ids()
            .map(|mutant| {
                let oracle = Oracle::new(&model, mutant).expect("small");
                let kill = oracle.potential_kill().expect("small");
                kill.map(|inputs| inputs.len())
            })
            .collect();
        let kind = family::Kind::Phi1 {
            shared_choices: false,
        };
        // The depth that is known before may be anything between zero and all.
        let known = shortest.iter().enumerate().map(|(mutant, shortest)| {
            let known = match shortest {
                Some(steps) => (seed as usize + mutant) % steps,
                None => mutant % 3,
            };
            (mutant, known)
        });
        let mut known: BTreeMap<SelectorId, Known> = known
            .map(|(mutant, refuted)| {
                let found = None;
                (SelectorId(mutant), Known { found, refuted })
            })
            .collect();
        family::search(&model, kind, &mut known, None, &Budget::unlimited());
        for (mutant, known) in known {
            let shortest = shortest[mutant.0];
            let place = format!("seed {seed}, mutant {mutant}: {known:?}, but {shortest:?}");
            match (&known.found, shortest) {
                (Some((_, found)), Some(shortest)) => {
                    assert!(found.steps >= shortest, "{place}");
                    assert!(known.refuted < shortest, "{place}");
                    if known.is_settled() {
                        assert_eq!(found.steps, shortest, "{place}");
                        settled += 1;
                        longer += usize::from(shortest >= 3);
                    }
                }
                (Some(_), None) => panic!("{place}"),
                (None, shortest) => {
                    assert!(
                        shortest.is_none_or(|steps| known.refuted < steps),
                        "{place}"
                    );
                    refuted += 1;
                }
            }
        }
    }
    println!("{settled} settled, {longer} of them in three steps or more; {refuted} without a run");
    assert!(settled >= 500 && longer >= 100 && refuted >= 200);
}
