//! Set cover: a few tests that kill all mutants that any test kills.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of killed mutants, one bit for each by its number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    words: Vec<u64>,
}

impl Rows {
    /// Returns the empty set, with room for `count` mutants.
    pub(super) fn none(count: usize) -> Rows {
        Rows {
            words: vec![0; count.div_ceil(64)],
        }
    }

    /// Returns the set of all `count` mutants.
    pub(super) fn all(count: usize) -> Rows {
        let mut all = Rows::none(count);
        for row in 0..count {
            all.insert(row);
        }
        all
    }

    /// Adds a mutant.
    pub(super) fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// Adds all mutants of another set.
    pub(super) fn extend(&mut self, other: &Rows) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    fn remove(&mut self, other: &Rows) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Returns the number of mutants that are in both sets.
    fn common(&self, other: &Rows) -> u32 {
        let words = self.words.iter().zip(&other.words);
        words.map(|(word, other)| (word & other).count_ones()).sum()
    }

    /// Returns the mutants of the set, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    64 * at + bit
                })
            })
        })
    }
}

/// A test that a suite may contain: the mutants that it kills, and its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covering<'a> {
    pub(super) kills: &'a Rows,
    pub(super) steps: usize,
}

/// Returns the indices of few tests that together kill all mutants that any test kills.
///
/// Greedy set cover: the next test kills most mutants that no chosen one kills; ties go to the shorter, then to the earlier test. Then
/// tests are dropped whose mutants are all killed by other chosen ones, the last chosen first. The gain of a test never grows, so an old
/// gain is an upper bound, and few gains are recomputed (Minoux, "Accelerated Greedy Algorithms for Maximizing Submodular Set Functions",
/// 1978).
pub(super) fn cover(tests: &[Covering<'_>], mutants: usize) -> Vec<usize> {
    let mut open = Rows::all(mutants);
    let key = |gain: u32, test: usize| (gain, Reverse((tests[test].steps, test)));
    let gains = (0..tests.len()).map(|test| key(tests[test].kills.common(&open), test));
    let mut heap: BinaryHeap<_> = gains.collect();
    let mut chosen = Vec::new();
    while let Some((bound, Reverse((_, test)))) = heap.pop() {
        let gain = tests[test].kills.common(&open);
        if gain == 0 {
            continue;
        }
        if gain < bound {
            heap.push(key(gain, test));
            continue;
        }
        open.remove(tests[test].kills);
        chosen.push(test);
    }
    drop_redundant(tests, mutants, chosen)
}

/// Returns the chosen tests without those whose mutants are all killed by the other chosen ones; the last chosen is dropped first.
fn drop_redundant(tests: &[Covering<'_>], mutants: usize, mut chosen: Vec<usize>) -> Vec<usize> {
    let mut count = vec![0_u32; mutants];
    for &test in &chosen {
        for row in tests[test].kills.iter() {
            count[row] += 1;
        }
    }
    for position in (0..chosen.len()).rev() {
        let kills = tests[chosen[position]].kills;
        if kills.iter().all(|row| count[row] > 1) {
            for row in kills.iter() {
                count[row] -= 1;
            }
            chosen.remove(position);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Returns the choice that [`cover`] makes, with all gains recomputed each time.
    fn counted_anew(tests: &[Covering<'_>], mutants: usize) -> Vec<usize> {
        let mut open: BTreeSet<usize> = (0..mutants).collect();
        let mut chosen = Vec::new();
        loop {
            let gain = |test: usize| {
                tests[test]
                    .kills
                    .iter()
                    .filter(|row| open.contains(row))
                    .count()
            };
            let best = (0..tests.len())
                .max_by_key(|&test| (gain(test), Reverse((tests[test].steps, test))));
            match best.filter(|&best| gain(best) > 0) {
                None => return drop_redundant(tests, mutants, chosen),
                Some(best) => {
                    for row in tests[best].kills.iter() {
                        open.remove(&row);
                    }
                    chosen.push(best);
                }
            }
        }
    }

    #[test]
    fn old_gains_as_bounds_choose_the_same_tests_as_gains_counted_anew() {
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mutants = rng.random_range(1..150);
            let density = rng.random_range(0.01..0.4);
            let kills: Vec<Rows> = (0..rng.random_range(0..60))
                .map(|_| {
                    let mut rows = Rows::none(mutants);
                    (0..mutants)
                        .filter(|_| rng.random_bool(density))
                        .for_each(|row| rows.insert(row));
                    rows
                })
                .collect();
            let tests: Vec<Covering<'_>> = (kills.iter().enumerate())
                .map(|(test, kills)| Covering {
                    kills,
                    steps: 1 + test % 5,
                })
                .collect();
            let chosen = cover(&tests, mutants);
            assert_eq!(chosen, counted_anew(&tests, mutants), "seed {seed}");
            let mut all = Rows::none(mutants);
            kills.iter().for_each(|kills| all.extend(kills));
            chosen.iter().for_each(|&test| all.remove(&kills[test]));
            assert_eq!(all, Rows::none(mutants), "seed {seed}");
        }
    }

    #[test]
    fn rows_are_a_set() {
        let mut rows = Rows::none(130);
        for row in [0, 63, 64, 129, 64] {
            rows.insert(row);
        }
        assert!(rows.iter().eq([0, 63, 64, 129]));
        assert_eq!(Rows::all(130).iter().count(), 130);
        assert_eq!(rows.common(&Rows::all(130)), 4);
    }
}
