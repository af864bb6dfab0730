//! Searches stimuli with high coverage: runs of the original that bring its gates to new values.
//!
//! Random inputs seldom complete a protocol. Runs that reach a new value are kept up to that step and continued in many variants, as in
//! coverage-guided fuzzing. A comparison is a tree of gates, and every gate counts for coverage. So the search finds a number to be matched
//! bit by bit. It costs as much as simulating a few mutants.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::work::{Unit, count};

use super::folded::Knowledge;
use super::program::{Program, Running};
use super::rails::Rails;
use super::signals::Signal;
use crate::engines::stimuli::{LANES, Stimuli, WORDS, Word};
use crate::schedule::engine_efforts::{
    EXPLORATION_GENERATIONS, EXPLORATION_PATIENCE, EXPLORATION_RECENT_RUNS,
};

/// The result of the search for stimuli: runs of the original in which signals take new values.
pub(super) struct Explored {
    /// The runs, those with most new values first.
    pub(super) runs: Vec<Stimulus>,
    /// The number of gates evaluated.
    pub(super) gates: u64,
}

/// A run of the original in which some signal took a value for the first time.
struct Kept {
    run: Stimulus,
    /// The last step, counted from 1, at which a signal took a new value.
    until: usize,
    /// The number of signal values that were new in the run.
    new: usize,
}

/// The remainder modulo 8 of the lanes that change a bit of a recently kept run.
const CHANGED: usize = 7;

/// Searches runs of the original, `steps` steps long, in which signals take new values, until about `most_gates` gates have been evaluated.
pub(super) fn explore(
    model: &ConditionalMutant,
    original: &Program,
    steps: usize,
    seed: u64,
    most_gates: u64,
    budget: &Budget,
) -> Explored {
    let mut search = StateSearch {
        original,
        unseen: vec![[true; 2]; original.latch_count() + original.gate_count()],
        missing: 2 * (original.latch_count() + original.gate_count()),
        loose: loose(model),
        generation: 0,
        kept: Vec::new(),
        gates: 0,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut barren = 0;
    for generation in 0..EXPLORATION_GENERATIONS {
        search.generation = generation;
        let mut stimuli = Stimuli::weighted(model, steps, rng.next_u64());
        search.continue_kept(&mut stimuli, &mut rng);
        let found = match original.is_known(Knowledge::Inputs) {
            true => search.run::<Word>(&stimuli, budget),
            false => search.run::<Rails>(&stimuli, budget),
        };
        barren = if found { 0 } else { barren + 1 };
        let over = barren == EXPLORATION_PATIENCE || search.missing == 0;
        if over || search.gates > most_gates || budget.stopped().is_some() {
            break;
        }
    }
    search.ranked()
}

struct StateSearch<'c> {
    original: &'c Program,
    /// For each latch, and then for each gate, whether the values 0 and 1 have not been seen yet.
    unseen: Vec<[bool; 2]>,
    /// The number of values in `unseen` that have not been seen.
    missing: usize,
    /// Test inputs, by index, that may have either value whatever the other bits of their port are.
    loose: Vec<usize>,
    generation: usize,
    kept: Vec<Kept>,
    gates: u64,
}

fn loose(model: &ConditionalMutant) -> Vec<usize> {
    let ports = model.inputs.iter().filter(|port| !port.sort.has_aliases());
    ports.flat_map(|port| port.bits.iter().copied()).collect()
}

impl StateSearch<'_> {
    /// Replaces the beginnings of most lanes by those of kept runs, up to their last new value; some lanes then change one bit of it.
    fn continue_kept(&self, stimuli: &mut Stimuli, rng: &mut ChaCha8Rng) {
        if self.kept.is_empty() {
            return;
        }
        let kept = self.kept.len();
        // Later finds depend more on continuing the prefix.
        let recent = kept.min(LANES / 4);
        let close = kept - 1 - self.generation % kept.min(EXPLORATION_RECENT_RUNS);
        for lane in 0..LANES {
            let parent = match lane % 8 {
                0 | 4 => continue,
                1 => rng.random_range(0..kept),
                CHANGED => close,
                _ => kept - 1 - rng.random_range(0..recent),
            };
            let parent = &self.kept[parent];
            stimuli.begin_with(lane, &parent.run, parent.until);
            // A number that the inputs of one step are compared with is matched by changing one bit after the other.
            if lane % 8 == CHANGED && !self.loose.is_empty() {
                let number = self.generation * (LANES / 8) + lane / 8;
                let bit = self.loose[number % self.loose.len()];
                stimuli.flip(lane, parent.until - 1, bit);
            }
        }
    }

    /// Simulates the original on stimuli and keeps the runs with new values. Returns whether there are any.
    fn run<V: Signal>(&mut self, stimuli: &Stimuli, budget: &Budget) -> bool {
        let program = self.original;
        let mut original: Running<'_, V> = Running::start(program, Knowledge::Inputs);
        let mut new = vec![(0, 0); LANES];
        // The values first seen in this step, with their lanes.
        let mut sights: Vec<(usize, usize, Word)> = Vec::new();
        for (step, inputs) in stimuli.steps.iter().enumerate() {
            if budget.stopped().is_some() {
                break;
            }
            let unseen = &self.unseen;
            let mut look = |number: usize, value: &V| {
                for (which, _) in unseen[number].iter().enumerate().filter(|(_, is)| **is) {
                    let lanes = value.is(which == 1);
                    if lanes != [0; WORDS] {
                        sights.push((number, which, lanes));
                    }
                }
            };
            let latches = program.latch_count();
            original.step(inputs, &stimuli.initial, |gate, value| {
                look(latches + gate, value);
            });
            original
                .latches()
                .for_each(|(number, value)| look(number, &value));
            self.gates += program.gate_count() as u64;
            count(Unit::Gates, program.gate_count() as u64);
            for (number, which, lanes) in sights.drain(..) {
                let alive: [u64; WORDS] = std::array::from_fn(|w| lanes[w] & original.alive[w]);
                let Some(w) = (0..WORDS).find(|&w| alive[w] != 0) else {
                    continue;
                };
                self.unseen[number][which] = false;
                self.missing -= 1;
                let lane = 64 * w + alive[w].trailing_zeros() as usize;
                new[lane].0 += 1;
                new[lane].1 = step + 1;
            }
        }
        let length = stimuli.steps.len();
        let lanes = new.into_iter().enumerate().filter(|(_, (new, _))| *new > 0);
        let before = self.kept.len();
        self.kept.extend(lanes.map(|(lane, (new, until))| Kept {
            run: stimuli.lane(lane, length),
            until,
            new,
        }));
        self.kept.len() > before
    }

    fn ranked(mut self) -> Explored {
        self.kept.sort_by_key(|kept| std::cmp::Reverse(kept.new));
        Explored {
            runs: self.kept.into_iter().map(|kept| kept.run).collect(),
            gates: self.gates,
        }
    }
}
