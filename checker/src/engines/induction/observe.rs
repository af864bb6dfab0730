//! Evaluates candidate facts on random runs of a product, and on neighbours of a solver's assignment. A candidate that fails there need not
//! be tried.
//!
//! This is a filter only: remaining candidates are unproved.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::aig::Node;
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::{Aig, Lit};

use crate::question::Reachability;

pub(crate) const WORDS: usize = 4;
const STEPS: usize = 64;

/// The values of watched literals in all steps and lanes of random runs, one bit string for each literal. Steps of runs that have broken an
/// assumption do not count.
pub(super) struct Observations {
    words: Vec<Vec<u64>>,
    alive: Vec<u64>,
}

impl Observations {
    pub(super) fn of(question: &Reachability, watched: &[Lit]) -> Observations {
        let mut seen = Observations {
            words: vec![Vec::with_capacity(STEPS * WORDS); watched.len()],
            alive: Vec::with_capacity(STEPS * WORDS),
        };
        random_runs(question, watched, |lanes, alive| {
            seen.alive.extend(alive.now);
            for (words, &lit) in seen.words.iter_mut().zip(watched) {
                words.extend(lanes.value(lit));
            }
        });
        seen
    }

    /// Whether the watched literal with this index held in all counted steps.
    pub(super) fn always(&self, index: usize) -> bool {
        let words = self.words[index].iter().zip(&self.alive);
        words.into_iter().all(|(word, alive)| !word & alive == 0)
    }

    /// Whether the watched literal `second` (complemented if `negated`) held in every counted step in which the literal `first` failed.
    pub(super) fn covers(&self, first: usize, second: usize, negated: bool) -> bool {
        let flip = if negated { u64::MAX } else { 0 };
        (0..self.alive.len()).all(|i| {
            let uncovered = !self.words[first][i] & !(self.words[second][i] ^ flip);
            uncovered & self.alive[i] == 0
        })
    }

    /// Returns the number of counted steps in which the watched literal with this index (complemented if `negated`) held.
    pub(super) fn count(&self, index: usize, negated: bool) -> u32 {
        let flip = if negated { u64::MAX } else { 0 };
        let words = self.words[index].iter().zip(&self.alive);
        words
            .map(|(word, alive)| ((word ^ flip) & alive).count_ones())
            .sum()
    }

    /// Returns the number of counted steps, over all lanes.
    pub(super) fn total(&self) -> u32 {
        self.alive.iter().map(|word| word.count_ones()).sum()
    }
}

/// The lanes whose runs have broken no assumption so far.
#[derive(Clone, Copy)]
pub(crate) struct Alive {
    /// Those that broke none in the steps before the current one.
    pub(crate) before: [u64; WORDS],
    /// Those that broke none up to and including the current one.
    pub(crate) now: [u64; WORDS],
}

/// Calls `visit` for each step of random runs from initial states, with the values of the `watched` literals.
pub(crate) fn random_runs(
    question: &Reachability,
    watched: &[Lit],
    mut visit: impl FnMut(&Lanes<'_, WORDS>, Alive),
) {
    let aig = &question.product.aig;
    let always = question.always.iter().chain(&question.before).copied();
    let simulator = Simulator::compile(aig, watched.iter().copied().chain(always));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut lanes = simulator.lanes::<WORDS>();
    lanes.reset(|_| std::array::from_fn(|_| rng.next_u64()));
    let equal: Vec<(usize, usize)> = question.product.initially_equal.clone();
    for (later, earlier) in equal {
        lanes.set_latch(later, lanes.latch(earlier));
    }
    for (latch, lanes_on) in exactly_one_on(question) {
        lanes.set_latch(latch, lanes_on);
    }
    let mut alive = Alive {
        before: [u64::MAX; WORDS],
        now: [u64::MAX; WORDS],
    };
    let mut inputs = vec![[0; WORDS]; aig.inputs().len()];
    for step in 0..STEPS {
        if step > 0 {
            lanes.step();
        }
        for (input, value) in inputs.iter_mut().enumerate() {
            // Higher words hold inputs for longer stretches.
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
        alive.before = alive.now;
        let assumed = question.always.iter().chain(&question.before);
        alive.now = lanes.holding(alive.now, assumed.copied());
        visit(&lanes, alive);
    }
}

/// Number of times that random states of all lanes are drawn.
const DRAWS: u32 = 8;

/// Calls `visit` with random states, reachable or not, in which the `watched` literals are evaluated. For a family exactly one member is on
/// in each.
pub(crate) fn random_states(
    question: &Reachability,
    watched: &[Lit],
    mut visit: impl FnMut(&Lanes<'_, WORDS>),
) {
    let aig = &question.product.aig;
    let simulator = Simulator::compile(aig, watched.iter().copied());
    let selectors = exactly_one_on(question);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut lanes = simulator.lanes::<WORDS>();
    for draw in 0..DRAWS {
        for latch in 0..aig.latches().len() {
            lanes.set_latch(latch, std::array::from_fn(|_| rng.next_u64()));
        }
        for &(latch, lanes_on) in &selectors {
            let turned = lanes_on.map(|word| word.rotate_left(8 * draw));
            lanes.set_latch(latch, turned);
        }
        for input in 0..aig.inputs().len() {
            lanes.set_input(input, std::array::from_fn(|_| rng.next_u64()));
        }
        lanes.eval();
        visit(&lanes);
    }
}

/// Returns for each selector of a family the index of its latch and the lanes in which it is on; exactly one is on in each lane.
fn exactly_one_on(question: &Reachability) -> Vec<(usize, [u64; WORDS])> {
    let aig = &question.product.aig;
    let copies = question.product.copies.iter();
    let selectors: Vec<usize> = copies
        .flat_map(|copy| &copy.selectors)
        .filter_map(|lit| match aig.node(lit.var()) {
            Node::Latch(i) => Some(i as usize),
            _ => None,
        })
        .collect();
    let count = selectors.len();
    let on = |selector: usize| {
        let lanes = (0..64 * WORDS).filter(|lane| lane % count == selector);
        lanes.fold([0; WORDS], |mut words, lane| {
            words[lane / 64] |= 1 << (lane % 64);
            words
        })
    };
    let numbered = selectors.into_iter().enumerate();
    numbered
        .map(|(selector, latch)| (latch, on(selector)))
        .collect()
}

/// Evaluates literals under a solver's assignment and under neighbours of it, in which some inputs are flipped; one lane for each.
/// Neighbours that break an assumption do not count, so every other one is a valid assignment too.
pub(crate) struct Neighbours<'a> {
    simulator: Simulator,
    assumed: &'a [Lit],
    rng: ChaCha8Rng,
    /// For each watched literal its values under the assignment and its neighbours, by lane.
    values: Vec<[u64; WORDS]>,
    valid: [u64; WORDS],
    broken: Vec<Lit>,
    watched: &'a [Lit],
}

impl<'a> Neighbours<'a> {
    /// Returns an evaluator of the `watched` literals for assignments to the inputs of a combinational graph.
    pub(crate) fn new(graph: &Aig, assumed: &'a [Lit], watched: &'a [Lit]) -> Neighbours<'a> {
        Neighbours {
            simulator: Simulator::compile(graph, assumed.iter().chain(watched).copied()),
            assumed,
            rng: ChaCha8Rng::seed_from_u64(0),
            values: Vec::new(),
            valid: [0; WORDS],
            broken: Vec::new(),
            watched,
        }
    }

    /// Evaluates the assignment with these input values, and its neighbours. The graph may have grown since.
    pub(crate) fn visit(&mut self, graph: &Aig, mut value: impl FnMut(Lit) -> bool) {
        let mut lanes = self.simulator.lanes::<WORDS>();
        for (index, input) in graph.inputs().iter().enumerate() {
            let base = if value(input.var.lit()) { u64::MAX } else { 0 };
            // Higher words have fewer flips.
            let mut flips: [u64; WORDS] = std::array::from_fn(|w| {
                let mut flip = u64::MAX;
                for _ in 0..=w {
                    flip &= self.rng.random::<u64>();
                }
                flip
            });
            // Lane 0 is the assignment itself.
            flips[0] &= !1;
            let flips = flips.map(|flip| base ^ flip);
            lanes.set_input(index, flips);
        }
        lanes.eval();
        self.valid = [u64::MAX; WORDS];
        self.broken.clear();
        for &lit in self.assumed {
            let holds = lanes.value(lit);
            if holds[0] & 1 == 0 {
                self.broken.push(lit);
            }
            self.valid = std::array::from_fn(|w| self.valid[w] & holds[w]);
        }
        self.values.clear();
        let watched = self.watched.iter();
        self.values.extend(watched.map(|&lit| lanes.value(lit)));
    }

    /// Returns the assumptions that the solver's assignment itself violates.
    pub(crate) fn broken(&self) -> &[Lit] {
        &self.broken
    }

    /// Whether a valid neighbour makes the watched literal with this index false.
    pub(crate) fn violate(&self, watched: usize) -> bool {
        let value = self.values[watched];
        (0..WORDS).any(|w| !value[w] & self.valid[w] != 0)
    }

    /// Returns the values of the watched literal with this index, by lane; 0 in lanes that break an assumption.
    pub(crate) fn value(&self, watched: usize) -> [u64; WORDS] {
        let value = self.values[watched];
        std::array::from_fn(|w| value[w] & self.valid[w])
    }
}
