//! Choices that outputs show: engines and certifier examine one value of each indistinguishable set.

use hyperkill_certify::{certify_acceptance, certify_closed_set};
use hyperkill_checker::Ask;
use hyperkill_checker::engines::explicit::{
    Accepted, Explored, KnownSteps, Listing, acceptance, definite, potential,
};
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
use hyperkill_tests::shown::{NARROW, showing, showing_twice};
use hyperkill_tests::unstructured::cases;

/// The limits for explicit states, far below the number of all values of wide choices.
const EFFORT: Listing = Listing {
    steps: 1 << 17,
    positions: 1 << 13,
};

/// Returns a small system with choices that outputs show; `None` if it has none, or too many for the oracle.
fn small(seed: u64) -> Option<ConditionalMutant> {
    let model = conditional_mutant(seed, Kind::Small);
    (1..=2)
        .contains(&model.choice_bits().count())
        .then_some(model)
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

/// Whether the shortest tests of all mutants are so short that the oracle can list all outputs of both sides.
fn is_short(model: &ConditionalMutant) -> bool {
    let mut mutants = model.selector_ids();
    model.choice_bits().count() == NARROW
        && mutants.all(|mutant| {
            let oracle = Oracle::new(model, mutant).expect("small");
            let kills = [oracle.potential_kill(), oracle.definite_kill()];
            let steps = kills.map(|kill| kill.expect("small").map_or(0, |inputs| inputs.len()));
            steps.iter().all(|&steps| steps <= 3)
        })
}

#[test]
fn sets_of_states_with_some_values_come_to_what_the_oracle_says_of_all() {
    let mut compared = 0;
    for seed in 0..cases(200) {
        let model = small(seed).map(|model| showing(&model, NARROW, seed));
        let Some(model) = model.filter(is_short) else {
            continue;
        };
        if let Err(discrepancy) = compare(&model, query(seed)) {
            panic!("seed {seed}: {discrepancy}");
        }
        compared += 1;
    }
    println!("{compared} compared");
    assert!(compared >= 20);
}

/// The numbers of results for wide values.
#[derive(Default)]
struct Tally {
    killed: usize,
    excluded: usize,
    accepted: usize,
    open: usize,
}

impl Tally {
    /// Compares the results of sets of states with the length of a shortest kill, and counts them.
    fn take(
        &mut self,
        wide: &ConditionalMutant,
        mutant: SelectorId,
        explored: Explored<hyperkill_checker::engines::explicit::Witness>,
        expected: Option<usize>,
        context: &str,
    ) {
        match explored {
            Explored::Killed(kill) => {
                assert_eq!(Some(kill.model_run.steps.len()), expected, "{context}");
                for (run, side) in [
                    (&kill.model_run, Variant::Original),
                    (&kill.mutant_run, Variant::Mutant(mutant)),
                ] {
                    let replayed = replay(wide, side, run).expect("a run");
                    assert_eq!(replayed.broken_at, None, "{context}");
                }
                self.killed += 1;
            }
            Explored::Excluded(closed) => {
                assert_eq!(None, expected, "{context}");
                let certified = certify_closed_set(wide, &closed, &Budget::unlimited());
                assert_eq!(certified, Ok(()), "{context}");
                self.excluded += 1;
            }
            Explored::TooLarge { .. } | Explored::Stopped { .. } => self.open += 1,
        }
    }
}

#[test]
fn wide_values_leave_answers_and_lengths_what_they_were_and_proofs_check() {
    let budget = Budget::unlimited();
    let mut tally = Tally::default();
    for seed in 0..cases(150) {
        let Some(model) = small(seed) else {
            continue;
        };
        let narrow = showing(&model, NARROW, seed);
        let wide = showing(&model, [12, 16, 20][seed as usize % 3], seed);
        for mutant in wide.selector_ids() {
            let context = format!("seed {seed}, {mutant}");
            let Ok(oracle) = Oracle::new(&narrow, mutant) else {
                continue;
            };
            let expected = oracle.potential_kill().expect("small").map(|i| i.len());
            let surely = oracle.definite_kill().expect("small").map(|i| i.len());
            let found = potential(&wide, mutant, &EFFORT, None, &budget);
            tally.take(&wide, mutant, found, expected, &context);
            let found = definite(&wide, mutant, &EFFORT, None, &budget);
            tally.take(&wide, mutant, found, surely, &context);
            let refusal = oracle.refusal().expect("small");
            let steps = KnownSteps::default();
            let Some(accepted) = acceptance(&wide, mutant, &EFFORT, &steps, &budget) else {
                continue;
            };
            assert_eq!(
                matches!(accepted, Accepted::MutantRefuses(_)),
                refusal.is_some(),
                "{context}"
            );
            let (sets, equally) = match accepted {
                Accepted::Equally(sets) => (sets, true),
                Accepted::OriginalRefuses(_, sets) => (sets, false),
                Accepted::MutantRefuses(_) => continue,
            };
            let certified = certify_acceptance(&wide, mutant, &sets, equally, &budget);
            assert_eq!(certified, Ok(()), "{context}");
            tally.accepted += 1;
        }
    }
    let Tally {
        killed,
        excluded,
        accepted,
        open,
    } = tally;
    println!("{killed} killed, {excluded} excluded, {accepted} accepted, {open} open");
    assert!(killed >= 20 && excluded >= 10 && accepted >= 10);
    // Choices whose codes differ from the shown values cannot be merged, so every value is examined.
    assert!(open <= (killed + excluded) / 2);
}

/// Whether the comparison with the oracle fails on a system with this fault planted. It fails by a certificate that does not check or,
/// with evidence believed, by a wrong answer.
fn is_caught(fault: Fault, believed: bool) -> bool {
    // Faults are planted per thread, and decisions run on a pool, so the pool has one thread with the fault.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        (0..300).any(|seed| {
            let Some(model) = small(seed) else {
                return false;
            };
            let model = showing(&model, NARROW, seed);
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
fn merged_values_are_caught_by_the_certifier_and_by_the_oracle_alone() {
    for fault in fault::SHOWN {
        assert!(is_caught(fault, false), "{fault:?} is not certified away");
        assert!(is_caught(fault, true), "{fault:?} is not noticed");
    }
}

#[test]
fn a_certifier_that_merges_values_lets_spoilt_evidence_pass() {
    let budget = Budget::unlimited();
    // Closed sets of an engine that merges values, by certifier: correct and faulty.
    let mut passed = [0; 2];
    let mut refused = 0;
    for seed in 0..300 {
        let Some(model) = small(seed) else {
            continue;
        };
        let model = showing(&model, NARROW, seed);
        for mutant in model.selector_ids() {
            fault::plant(Some(Fault::ShownValuesMerged));
            let spoilt = potential(&model, mutant, &EFFORT, None, &budget);
            fault::plant(None);
            let Explored::Excluded(closed) = spoilt else {
                continue;
            };
            let right = certify_closed_set(&model, &closed, &budget).is_ok();
            fault::plant(Some(Fault::ShownValuesUnchecked));
            let faulty = certify_closed_set(&model, &closed, &budget).is_ok();
            fault::plant(None);
            passed[0] += usize::from(right);
            passed[1] += usize::from(faulty);
            refused += usize::from(!right);
        }
    }
    println!("{passed:?} passed, {refused} refused");
    assert!(refused > 0 && passed[1] > passed[0]);
}

/// The two systems have the same latches and inputs. A proof for the first system is no proof for the second one if an additional output
/// kills the mutant there.
#[test]
fn a_value_that_one_more_output_shows_is_not_merged_by_the_certifier() {
    let budget = Budget::unlimited();
    // Accepted wrong proofs, by certifier: correct and faulty.
    let mut passed = [0; 2];
    let mut killed = 0;
    for seed in 0..400 {
        let Some(model) = small(seed) else {
            continue;
        };
        let [once, twice] = [showing, showing_twice].map(|make| make(&model, NARROW, seed));
        let mutant = SelectorId(0);
        let Explored::Excluded(closed) = potential(&once, mutant, &EFFORT, None, &budget) else {
            continue;
        };
        let Ok(oracle) = Oracle::new(&twice, mutant) else {
            continue;
        };
        if oracle.potential_kill().expect("small").is_none() {
            continue;
        }
        killed += 1;
        passed[0] += usize::from(certify_closed_set(&twice, &closed, &budget).is_ok());
        fault::plant(Some(Fault::ShownElsewhere));
        passed[1] += usize::from(certify_closed_set(&twice, &closed, &budget).is_ok());
        fault::plant(None);
    }
    println!("{killed} killed, {passed:?} passed");
    assert!(killed > 20 && passed[0] == 0 && passed[1] > 0);
}
