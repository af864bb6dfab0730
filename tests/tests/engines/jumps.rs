//! Bounded search with jumps in depth, compared with explicit states: a skipped depth must not hide a run.

use hyperkill_checker::engines::bmc::{Bmc, Depth};
use hyperkill_checker::safety::Problem;
use hyperkill_core::Aig;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::safety::{Explicit, safety_problem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A depth beyond the longest shortest run of these problems.
const DEEPEST: usize = 48;

/// Statistics of a search.
#[derive(Default, Debug)]
struct Seen {
    /// The number of runs found that are not shortest.
    longer: usize,
    /// The number of jumps over several depths without a run.
    refuted: usize,
    reached: bool,
}

/// Compares a search that jumps by random strides with the explicit answer. After a run is found, the search continues below it until the
/// shortest run is known.
fn compare(model: &Aig, seed: u64) -> Result<Seen, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let bad = model.bad[0].lit;
    let oracle = Explicit::new(model, bad);
    let shortest = oracle.shortest_failure();
    let question = Problem { model, bad }.reachability();
    let mut bmc = Bmc::new(&question);
    let mut seen = Seen::default();
    let mut known = DEEPEST + 1;
    while bmc.refuted() + 1 < known {
        let before = bmc.refuted();
        let last = (before + rng.random_range(1..=6)).min(known - 1);
        match bmc.jump_to(last, None, &Budget::unlimited()) {
            Depth::Reached(found) => {
                if found.steps <= before || found.steps > last {
                    return Err(format!("{} steps, asked up to {last}", found.steps));
                }
                if !oracle.fails(&found.runs[0]) {
                    return Err(format!("no run: {found:?}"));
                }
                seen.longer += usize::from(Some(found.steps) != shortest);
                seen.reached = true;
                known = found.steps;
            }
            Depth::Refuted => {
                seen.refuted += usize::from(last > before + 1);
                if shortest.is_some_and(|shortest| shortest <= bmc.refuted()) {
                    return Err(format!("nothing up to {last}, but there is {shortest:?}"));
                }
            }
            Depth::Undecided(stop) => return Err(format!("{stop:?} without a limit")),
        }
    }
    let found = (known <= DEEPEST).then_some(known);
    if found == shortest {
        Ok(seen)
    } else {
        Err(format!("{found:?}, but the shortest run is {shortest:?}"))
    }
}

#[test]
fn no_jump_hides_a_run() {
    let (mut reached, mut longer, mut refuted) = (0, 0, 0);
    for seed in 0..2_000 {
        let model = safety_problem(seed);
        match compare(&model, seed) {
            Ok(seen) => {
                reached += usize::from(seen.reached);
                longer += seen.longer;
                refuted += seen.refuted;
            }
            Err(wrong) => panic!("seed {seed}: {wrong}\n{}", aag(&model)),
        }
    }
    println!(
        "{reached} of 2000 reached, {longer} runs too long at first, {refuted} jumps over nothing"
    );
    assert!(reached >= 500 && longer >= 50 && refuted >= 1_000);
}

#[test]
fn a_jump_past_dead_ends_is_noticed() {
    let caught = (0..2_000).find_map(|seed| {
        let model = safety_problem(seed);
        fault::plant(Some(Fault::JumpedPastDeadEnds));
        let wrong = compare(&model, seed).err();
        fault::plant(None);
        let wrong = wrong.filter(|_| compare(&model, seed).is_ok())?;
        Some((seed, wrong))
    });
    println!("{:?}", caught.expect("noticed in 2000 problems"));
}
