//! Memory limits: a job that exceeds its share is undecided for this reason and never wrong, for every engine.

use std::sync::Arc;

use hyperkill_checker::safety::{Problem, SafetyVerdict, decide_safety};
use hyperkill_checker::schedule::{self, reachability};
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::budget::memory::{Meter, NoMeter};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{Outcome, Property, Reason, Verdict};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::safety::{Explicit, safety_problem};

/// Memory shares, in bytes, that jobs on tiny circuits exceed or nearly exceed.
const SHARES: [u64; 6] = [1 << 10, 1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 40];

fn limited(share: u64) -> Budget {
    Budget::unlimited().with_memory(share, u64::MAX, Arc::new(NoMeter))
}

fn outcomes(model: &ConditionalMutant, options: &Options, budget: &Budget) -> Vec<Outcome> {
    let report = decide_all(model, options, budget, &mut Silent);
    report.expect("evidence checks").outcomes
}

#[test]
fn verdicts_within_a_share_are_right_and_the_others_name_memory() {
    let mut decided = [0_usize; SHARES.len()];
    let mut open = [0_usize; SHARES.len()];
    for seed in 0..1_200 {
        let at = seed as usize % SHARES.len();
        let turn = seed as usize / SHARES.len();
        let kind = [Kind::Deterministic, Kind::MutantChooses, Kind::Small][turn % 3];
        let model = conditional_mutant(seed, kind);
        let options = Options {
            fold_duplicates: false,
            engines: schedule::Engines {
                simulation: turn.is_multiple_of(2),
                ..schedule::Engines::ALL
            },
            ..Options::all(&model)
        };
        let outcomes = outcomes(&model, &options, &limited(SHARES[at]));
        for (mutant, outcome) in outcomes.iter().enumerate() {
            let kill =
                Oracle::new(&model, SelectorId(mutant)).and_then(|oracle| oracle.potential_kill());
            let kill = kill.expect("small");
            match &outcome.verdict {
                Verdict::Killed(_) => assert!(kill.is_some(), "seed {seed}, mutant {mutant}"),
                Verdict::Equivalent(_) | Verdict::RefusesInput { .. } => {
                    assert!(kill.is_none(), "seed {seed}, mutant {mutant}");
                }
                Verdict::Unknown { known_to, reason } => {
                    // No output tells some mutants apart, and acceptance of inputs stayed open.
                    let acceptance = *reason == Reason::Acceptance && kill.is_none();
                    assert!(
                        *reason == Reason::Memory || acceptance,
                        "seed {seed}, mutant {mutant}: {reason:?}"
                    );
                    assert!(kill.is_none_or(|kill| kill.len() > *known_to));
                    open[at] += 1;
                    continue;
                }
                other => panic!("seed {seed}, mutant {mutant}: {other:?}"),
            }
            decided[at] += 1;
        }
    }
    println!("decided {decided:?}, open {open:?}");
    assert!(open[0] >= 100, "{open:?}");
    assert!(decided[2] >= 100, "{decided:?}");
    assert_eq!(open[SHARES.len() - 1], 0, "{open:?}");
}

#[test]
fn a_share_that_suffices_changes_nothing() {
    for seed in 0..60 {
        let kind = [Kind::Deterministic, Kind::MutantChooses, Kind::Small][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let options = Options::all(&model);
        let free = outcomes(&model, &options, &Budget::unlimited());
        assert_eq!(free, outcomes(&model, &options, &limited(1 << 40)));
    }
}

/// Returns options with the engine of this name alone, for a question about this property.
fn alone(model: &ConditionalMutant, engine: &str, property: Property) -> Options {
    Options {
        ask: Ask::Only(property),
        bound: Some(4),
        turns: Some(2),
        fold_duplicates: false,
        engines: schedule::Engines {
            simulation: false,
            bmc: engine == "bmc",
            induction: engine == "induction",
            pdr: engine == "pdr",
            pairs: false,
            family: false,
            explicit: engine == "explicit",
            exists_forall: engine == "exists-forall",
            diagrams: engine == "diagrams",
        },
        ..Options::all(model)
    }
}

#[test]
fn the_memory_of_every_engine_counts() {
    for (engine, kind, property) in [
        ("bmc", Kind::Deterministic, Property::Phi1),
        ("induction", Kind::Deterministic, Property::Phi1),
        ("pdr", Kind::Deterministic, Property::Phi1),
        ("explicit", Kind::Small, Property::Phi2),
        ("exists-forall", Kind::Small, Property::Phi2),
        ("diagrams", Kind::Small, Property::Phi2),
    ] {
        let mut ended = 0;
        for seed in 0..40 {
            let model = conditional_mutant(seed, kind);
            let options = alone(&model, engine, property);
            let free = outcomes(&model, &options, &Budget::unlimited());
            let tight = outcomes(&model, &options, &limited(512));
            for (free, tight) in free.iter().zip(&tight) {
                let was_decided = !matches!(free.verdict, Verdict::Unknown { .. });
                let is_over = matches!(
                    tight.verdict,
                    Verdict::Unknown {
                        reason: Reason::Memory,
                        ..
                    }
                );
                ended += usize::from(was_decided && is_over);
            }
        }
        println!("{engine}: {ended}");
        assert!(ended >= 10, "{engine}: {ended}");
    }
}

#[test]
fn plain_safety_ends_for_want_of_memory_and_is_never_wrong() {
    let (mut decided, mut open) = (0, 0);
    for seed in 0..600 {
        let model = safety_problem(seed);
        let bad = model.bad[0].lit;
        let problem = Problem { model: &model, bad };
        let budget = limited(SHARES[seed as usize % 4]);
        let verdict = decide_safety(&problem, &reachability::Options::SAFETY, None, &budget);
        let shortest = Explicit::new(&model, bad).shortest_failure();
        match verdict.expect("evidence checks") {
            SafetyVerdict::Holds(_) => assert_eq!(shortest, None, "seed {seed}"),
            SafetyVerdict::Fails(_) => assert!(shortest.is_some(), "seed {seed}"),
            SafetyVerdict::Unknown { known_to, reason } => {
                assert_eq!(reason, Stop::Memory, "seed {seed}");
                assert!(shortest.is_none_or(|steps| steps > known_to), "seed {seed}");
                open += 1;
                continue;
            }
        }
        decided += 1;
    }
    println!("{decided} decided, {open} open");
    assert!(decided >= 100 && open >= 100, "{decided}, {open}");
}

struct Fixed(u64);

impl Meter for Fixed {
    fn used(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn nothing_is_begun_in_a_process_that_is_full() {
    let model = conditional_mutant(1, Kind::Deterministic);
    let options = Options {
        fold_duplicates: false,
        engines: schedule::Engines {
            simulation: false,
            ..schedule::Engines::ALL
        },
        ..Options::all(&model)
    };
    let full = Budget::unlimited().with_memory(1 << 40, 1 << 20, Arc::new(Fixed(2 << 20)));
    for outcome in outcomes(&model, &options, &full) {
        let expected = Verdict::Unknown {
            known_to: 0,
            reason: Reason::Memory,
        };
        assert_eq!(outcome.verdict, expected);
    }
}
