//! Combination locks: conditional mutants whose kills no random input finds.
//!
//! A lock opens after the right digits in a row and forgets all of them at a wrong digit. Only the open state is visible, so a mutant shows
//! late, and only under the combination. Random runs often suggest a wrong verdict for a lock: equivalence must be proved.

use hyperkill_core::{ConditionalMutant, Lit, Reset};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::circuit::Circuit;

/// The number of bits of a digit.
const DIGIT_BITS: usize = 3;
/// The number of bits of the count of right digits so far.
const COUNT_BITS: usize = 3;

/// Returns the lock with this seed: four to six digits of three bits, and three mutants. `flip` shows the complement while the lock is
/// open; `digit` has another last digit; `spare` differs only in a count that is never reached.
///
/// The first two mutants are killed by the digits and one more step, and by no shorter test. The third is equivalent.
#[must_use]
pub fn combination_lock(seed: u64) -> ConditionalMutant {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let length = rng.random_range(4..=6);
    let combination: Vec<u32> = (0..length)
        .map(|_| rng.random_range(0..1 << DIGIT_BITS))
        .collect();
    let mut c = Circuit::new();
    let digit = [0; DIGIT_BITS].map(|_| c.input("")).to_vec();
    let flip = c.selector("flip");
    let other = c.selector("digit");
    let spare = c.selector("spare");
    let count = [0; COUNT_BITS].map(|_| c.latch("", Reset::Zero)).to_vec();

    let mut next = [Lit::FALSE; COUNT_BITS];
    for (so_far, &wanted) in (0..).zip(&combination) {
        let here = equals(&mut c, &count, so_far);
        let mut right = equals(&mut c, &digit, wanted);
        if so_far + 1 == length {
            let wrong = equals(&mut c, &digit, wanted ^ 1);
            right = c.aig.ite(other, wrong, right);
        }
        let moves = c.aig.and(here, right);
        for (k, next) in next.iter_mut().enumerate() {
            if (so_far + 1) >> k & 1 == 1 {
                *next = c.aig.or(*next, moves);
            }
        }
    }
    for (&latch, next) in count.iter().zip(next) {
        c.set_next(latch, next);
    }
    let open = equals(&mut c, &count, length);
    let flipped = c.aig.and(open, flip);
    let never = equals(&mut c, &count, length + 1);
    let spared = c.aig.and(never, spare);
    let shown = c.aig.xor(open, flipped);
    let shown = c.aig.xor(shown, spared);
    c.output("open", shown);
    c.finish(&format!("lock-{seed}"))
}

/// Returns a literal: the wires have this number as value, least significant bit first.
fn equals(c: &mut Circuit, wires: &[Lit], number: u32) -> Lit {
    let bits: Vec<Lit> = (wires.iter().enumerate())
        .map(|(k, &wire)| wire ^ (number >> k & 1 == 0))
        .collect();
    c.aig.and_all(&bits)
}

#[cfg(test)]
mod tests {
    use super::combination_lock;
    use crate::oracle::Oracle;

    #[test]
    fn a_lock_is_killed_by_its_combination_and_one_more_step() {
        for seed in 0..10 {
            let model = combination_lock(seed);
            let shortest: Vec<Option<usize>> = model
                .selector_ids()
                .map(|selector| {
                    let oracle = Oracle::new(&model, selector).unwrap();
                    oracle.potential_kill().unwrap().map(|inputs| inputs.len())
                })
                .collect();
            let [Some(flip), Some(digit), None] = shortest[..] else {
                panic!("seed {seed}: {shortest:?}");
            };
            assert_eq!(flip, digit, "seed {seed}");
            assert!((5..=7).contains(&flip), "seed {seed}");
        }
    }
}
