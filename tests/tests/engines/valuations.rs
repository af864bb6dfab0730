//! Classes of input valuations: systems with wide inputs compared with the oracle, and with the same systems with narrow inputs.

use hyperkill_certify::{certify_acceptance, certify_closed_set};
use hyperkill_checker::Ask;
use hyperkill_checker::engines::explicit::{
    Accepted, Explored, KnownSteps, Listing, acceptance, definite, potential,
};
use hyperkill_checker::engines::pairs::{Listings, Walked};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::replay;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::verdict::Property;
use hyperkill_tests::against_oracle::exact::{Engines, Query, compare};
use hyperkill_tests::against_oracle::{Discrepancy, Route};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::unstructured::cases;
use hyperkill_tests::wide::{Widening, widened};

/// The limits for explicit states, far below the number of all valuations of wide inputs.
const EFFORT: Listing = Listing {
    steps: 1 << 18,
    positions: 1 << 14,
};

/// Returns a small system with about `bits` bits of input, few enough for the oracle.
fn tabulable(seed: u64, kind: Kind, bits: usize) -> ConditionalMutant {
    let model = conditional_mutant(seed, kind);
    let widening = Widening {
        bits: bits / model.input_bits().count().max(1),
        mutated: true,
    };
    widened(&model, widening, seed)
}

fn query(seed: u64) -> Query {
    let asked = [
        Ask::Only(Property::Phi2),
        Ask::Only(Property::Phi3),
        Ask::Auto,
    ];
    Query {
        ask: asked[seed as usize % asked.len()],
        route: Route::Engines,
        engines: Engines::Subsets,
        adaptive: seed.is_multiple_of(2),
        bound: None,
    }
}

#[test]
fn sets_of_states_by_classes_come_to_what_the_oracle_says_of_all_valuations() {
    for seed in 0..cases(40) {
        let model = tabulable(seed, Kind::Small, 7);
        if let Err(discrepancy) = compare(&model, query(seed)) {
            panic!("seed {seed}: {discrepancy}");
        }
    }
}

#[test]
fn pairs_of_states_by_classes_come_to_what_the_oracle_says_of_all_valuations() {
    let budget = Budget::unlimited();
    let (mut found, mut nothing) = (0, 0);
    for seed in 0..cases(120) {
        let kind = [Kind::Deterministic, Kind::MutantChooses][seed as usize % 2];
        let model = tabulable(seed, kind, 9);
        if model.aig.latches().len() > 9 {
            continue;
        }
        let mutants: Vec<SelectorId> = model.selector_ids().collect();
        let Some(listings) = Listings::new(&model, false, &mutants, &budget) else {
            continue;
        };
        for mutant in mutants {
            let Ok(oracle) = Oracle::new(&model, mutant) else {
                continue;
            };
            let shortest = oracle.potential_kill().expect("a tiny search");
            let shortest = shortest.map(|inputs| inputs.len());
            match listings.walk(mutant, None, &budget) {
                Walked::Found(runs) => {
                    assert_eq!(Some(runs.steps), shortest, "seed {seed}, {mutant}");
                    found += 1;
                }
                Walked::Nothing | Walked::Alike => {
                    assert_eq!(shortest, None, "seed {seed}, {mutant}");
                    nothing += 1;
                }
                Walked::Open(_) => panic!("seed {seed}, {mutant}: open"),
            }
        }
    }
    println!("{found} found, {nothing} not");
    assert!(found >= 20 && nothing >= 20);
}

#[test]
fn wide_inputs_leave_answers_and_lengths_what_they_were_and_proofs_check() {
    let budget = Budget::unlimited();
    let (mut killed, mut excluded, mut walked, mut compared) = (0, 0, 0, 0);
    for seed in 0..cases(300) {
        let kind = [Kind::Small, Kind::Choices, Kind::Deterministic][seed as usize % 3];
        let narrow = conditional_mutant(seed, kind);
        let widening = Widening {
            bits: [16, 24, 32][seed as usize / 3 % 3],
            mutated: false,
        };
        let wide = widened(&narrow, widening, seed);
        let mutants: Vec<SelectorId> = wide.selector_ids().collect();
        let listings = Listings::new(&wide, false, &mutants, &budget);
        for mutant in mutants {
            let context = format!("seed {seed}, {mutant}");
            let oracle = Oracle::new(&narrow, mutant).expect("small");
            let expected = oracle.potential_kill().expect("small").map(|i| i.len());
            let surely = oracle.definite_kill().expect("small").map(|i| i.len());
            for (ask, expected) in [
                (potential as fn(_, _, _, _, _) -> _, expected),
                (definite, surely),
            ] {
                match ask(&wide, mutant, &EFFORT, None, &budget) {
                    Explored::Killed(kill) => {
                        assert_eq!(Some(kill.model_run.steps.len()), expected, "{context}");
                        for (run, side) in [
                            (&kill.model_run, Variant::Original),
                            (&kill.mutant_run, Variant::Mutant(mutant)),
                        ] {
                            let replayed = replay(&wide, side, run).expect("a run");
                            assert_eq!(replayed.broken_at, None, "{context}");
                        }
                        killed += 1;
                    }
                    Explored::Excluded(closed) => {
                        assert_eq!(None, expected, "{context}");
                        assert_eq!(
                            certify_closed_set(&wide, &closed, &budget),
                            Ok(()),
                            "{context}"
                        );
                        excluded += 1;
                    }
                    Explored::TooLarge { .. } | Explored::Stopped { .. }
                        if kind == Kind::Choices => {}
                    other => panic!("{context}: {other:?}"),
                }
            }
            let steps = KnownSteps::default();
            if let Some(accepted) = acceptance(&wide, mutant, &EFFORT, &steps, &budget) {
                let (sets, equally) = match accepted {
                    Accepted::Equally(sets) => (sets, true),
                    Accepted::OriginalRefuses(_, sets) => (sets, false),
                    Accepted::MutantRefuses(_) => continue,
                };
                let certified = certify_acceptance(&wide, mutant, &sets, equally, &budget);
                assert_eq!(certified, Ok(()), "{context}");
                compared += 1;
            }
            if let Some(listings) = &listings {
                let steps = match listings.walk(mutant, None, &budget) {
                    Walked::Found(found) => Some(found.steps),
                    Walked::Nothing | Walked::Alike => None,
                    Walked::Open(_) => panic!("{context}: open"),
                };
                assert_eq!(steps, expected, "{context}");
                walked += 1;
            }
        }
    }
    println!("{killed} killed, {excluded} excluded, {compared} compared, {walked} walked");
    assert!(killed >= 20 && excluded >= 20 && compared >= 20 && walked >= 20);
}

/// Whether the comparison with the oracle fails on a circuit with this fault planted. It fails by a certificate that does not check or,
/// with evidence believed, by a wrong answer.
fn is_caught(fault: Fault, believed: bool) -> bool {
    // Faults are planted per thread, and decisions run on a pool, so the pool has one thread with the fault.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        (0..100).any(|seed| {
            let model = tabulable(seed, Kind::Small, 7);
            let query = Query {
                adaptive: false,
                ..query(seed)
            };
            fault::plant(Some(fault));
            fault::believe_evidence(believed);
            let found = compare(&model, query).err();
            fault::plant(None);
            fault::believe_evidence(false);
            match found {
                Some(Discrepancy::Checker(_)) => !believed,
                Some(Discrepancy::Model(_) | Discrepancy::Mutant { .. }) => believed,
                Some(Discrepancy::Undecided { .. } | Discrepancy::TooLarge(_)) | None => false,
            }
        })
    })
}

#[test]
fn lost_and_merged_classes_are_caught_by_the_certifier() {
    for fault in fault::CLASSES {
        assert!(is_caught(fault, false), "{fault:?} is not caught");
    }
}

#[test]
fn lost_and_merged_classes_are_caught_by_the_oracle_alone() {
    for fault in fault::CLASSES {
        assert!(is_caught(fault, true), "{fault:?} is not caught");
    }
}
