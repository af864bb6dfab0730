//! What random runs of a product show: a candidate fact that one of them breaks need not be tried.
//!
//! Only filters. What survives is still unproved.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::Lit;
use hyperkill_core::sim::Simulator;

use crate::question::Reachability;

const WORDS: usize = 4;
const STEPS: usize = 64;

/// Values of some literals along random runs, all steps and lanes in one bit string per literal. Steps of runs that have broken an
/// assumption do not count.
pub(super) struct Observations {
    words: Vec<Vec<u64>>,
    alive: Vec<u64>,
}

impl Observations {
    /// Watches these literals.
    pub(super) fn of(question: &Reachability, watched: &[Lit]) -> Observations {
        let aig = &question.product.aig;
        let always = question.always.iter().copied();
        let simulator = Simulator::compile(aig, watched.iter().copied().chain(always));
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut lanes = simulator.lanes::<WORDS>();
        lanes.reset(|_| std::array::from_fn(|_| rng.next_u64()));
        let equal: Vec<(usize, usize)> = question.product.initially_equal.clone();
        for (later, earlier) in equal {
            lanes.set_latch(later, lanes.latch(earlier));
        }
        let mut seen = Observations {
            words: vec![Vec::with_capacity(STEPS * WORDS); watched.len()],
            alive: Vec::with_capacity(STEPS * WORDS),
        };
        let mut alive = [u64::MAX; WORDS];
        let mut inputs = vec![[0; WORDS]; aig.inputs().len()];
        for step in 0..STEPS {
            if step > 0 {
                lanes.step();
            }
            for (input, value) in inputs.iter_mut().enumerate() {
                // The higher the word, the longer inputs are held.
                for (w, word) in value.iter_mut().enumerate() {
                    let mut change = u64::MAX;
                    for _ in 0..w {
                        change &= rng.random::<u64>();
                    }
                    *word = (*word & !change) | (rng.random::<u64>() & change);
                }
                lanes.set_input(input, *value);
            }
            lanes.eval();
            for &lit in &question.always {
                let holds = lanes.value(lit);
                alive = std::array::from_fn(|w| alive[w] & holds[w]);
            }
            seen.alive.extend(alive);
            for (words, &lit) in seen.words.iter_mut().zip(watched) {
                words.extend(lanes.value(lit));
            }
        }
        seen
    }

    /// Whether the watched literal (by index) held everywhere.
    pub(super) fn always(&self, index: usize) -> bool {
        let words = self.words[index].iter().zip(&self.alive);
        words.into_iter().all(|(word, alive)| !word & alive == 0)
    }

    /// Whether wherever `first` failed, `second` (complemented if `negated`) held.
    pub(super) fn covers(&self, first: usize, second: usize, negated: bool) -> bool {
        let flip = if negated { u64::MAX } else { 0 };
        (0..self.alive.len()).all(|i| {
            let uncovered = !self.words[first][i] & !(self.words[second][i] ^ flip);
            uncovered & self.alive[i] == 0
        })
    }

    /// How often the watched literal (complemented if `negated`) held.
    pub(super) fn count(&self, index: usize, negated: bool) -> u32 {
        let flip = if negated { u64::MAX } else { 0 };
        let words = self.words[index].iter().zip(&self.alive);
        words
            .map(|(word, alive)| ((word ^ flip) & alive).count_ones())
            .sum()
    }

    /// How many steps of live runs were watched.
    pub(super) fn total(&self) -> u32 {
        self.alive.iter().map(|word| word.count_ones()).sum()
    }
}
