//! Time limits at every moment: a kill that is known at the limit is a verdict, and more time never removes one. The clock is a fake that
//! advances by one with each reading.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hyperkill_checker::engines::random_simulation::Kills;
use hyperkill_checker::schedule;
use hyperkill_checker::schedule::efforts::SIMULATION;
use hyperkill_checker::{Options, Silent, decide_all};
use hyperkill_core::budget::{Budget, Clock};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::verdict::{InputEnabled, Outcome, Reason, Strength, Verdict};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::lock::combination_lock;
use hyperkill_tests::unstructured::{Acceptance, cases, unstructured};

/// A clock that counts its readings.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns the outcomes if each mutant may read the clock `looks` times, and the total number of readings.
fn after(model: &ConditionalMutant, pairs: bool, looks: u64) -> (Vec<Outcome>, u64) {
    let clock = Arc::new(Ticking::default());
    let budget = Budget::new(clock.clone(), Arc::new(AtomicBool::new(false)));
    let options = Options {
        timeout: Some(Duration::from_millis(looks)),
        fold_duplicates: false,
        engines: schedule::Engines {
            pairs,
            ..schedule::Engines::ALL
        },
        ..Options::all(model)
    };
    let report = decide_all(model, &options, &budget, &mut Silent);
    let report = report.unwrap_or_else(|error| panic!("{}: {error}", model.name));
    (report.outcomes, clock.0.load(Ordering::Relaxed))
}

/// Returns 0 without a kill, and a larger number for a stronger kill.
fn rank(outcome: &Outcome) -> usize {
    match &outcome.verdict {
        Verdict::Killed(kill) => match kill.strength {
            Strength::Controllable | Strength::Potential => 1,
            Strength::Adaptive | Strength::Definite => 2,
        },
        _ => 0,
    }
}

/// Returns numbers of readings, from 0 to just beyond `all`: the first ones, and then ever fewer.
fn moments(all: u64) -> Vec<u64> {
    let mut moments: Vec<u64> = (0..16).collect();
    while let Some(last) = moments.last().copied().filter(|&last| last < all) {
        moments.push(last + 1);
        moments.push(last + 2 + last / 4);
    }
    moments
}

fn system(seed: u64) -> ConditionalMutant {
    match seed % 6 {
        0 => conditional_mutant(seed, Kind::Deterministic),
        1 => conditional_mutant(seed, Kind::MutantChooses),
        2 => conditional_mutant(seed, Kind::Small),
        3 => unstructured(seed, Acceptance::All),
        4 => unstructured(seed, Acceptance::ByState),
        _ => combination_lock(seed),
    }
}

/// Whether there are no choices and no free initial values, so that a difference in simulation is a definite kill.
fn is_plain(model: &ConditionalMutant) -> bool {
    let mut latches = model.aig.latches().iter();
    let selectors = model.selectors.len();
    let free = latches.by_ref();
    let free = free.filter(|latch| latch.reset == hyperkill_core::Reset::Free);
    model.choices.is_empty() && free.count() == selectors
}

fn check(seed: u64) -> [usize; 4] {
    let model = system(seed);
    let mutants: Vec<SelectorId> = model.selector_ids().collect();
    let simulated = Kills::search(
        &model,
        &mutants,
        &SIMULATION[0],
        0,
        None,
        &Budget::unlimited(),
    );
    let pairs = seed.is_multiple_of(4);
    let (_, all) = after(&model, pairs, u64::MAX >> 20);
    let mut best = vec![(0, 0); mutants.len()];
    let (mut kills, mut kept, mut open) = (0, 0, 0);
    for looks in moments(all) {
        let (outcomes, _) = after(&model, pairs, looks);
        for (mutant, outcome) in outcomes.iter().enumerate() {
            let now = rank(outcome);
            let accepts = outcome.input_enabled != InputEnabled::Unsettled;
            match outcome.verdict {
                Verdict::Equivalent(_) => assert!(accepts, "seed {seed}, mutant {mutant}"),
                Verdict::Unknown {
                    reason: Reason::Acceptance,
                    ..
                } => open += 1,
                _ => {}
            }
            let (before, at) = best[mutant];
            assert!(
                now >= before,
                "seed {seed}, mutant {mutant}: a kill of rank {before} after {at} looks at the clock, {:?} after {looks}",
                outcome.verdict
            );
            best[mutant] = (now, looks);
            kills += usize::from(now > 0);
            let known = simulated
                .found
                .iter()
                .any(|(killed, _)| *killed == SelectorId(mutant));
            if known && is_plain(&model) {
                assert_eq!(now, 2, "seed {seed}, mutant {mutant}, {looks} looks");
                kept += 1;
            }
        }
    }
    [moments(all).len(), kills, kept, open]
}

#[test]
fn a_kill_in_hand_survives_every_cut_off_and_more_time_takes_none_away() {
    // One thread reads the clock in a fixed order.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread");
    let mut sum = [0; 4];
    for seed in 0..cases(24) {
        let counted = pool.install(|| check(seed));
        sum = std::array::from_fn(|i| sum[i] + counted[i]);
    }
    let [moments, kills, kept, open] = sum;
    println!(
        "{moments} cut-offs, {kills} kills, {kept} of them simulated and plain; of {open} mutants only acceptance is open"
    );
    assert!(moments >= 500 && kills >= 300 && kept >= 50 && open > 0);
}
