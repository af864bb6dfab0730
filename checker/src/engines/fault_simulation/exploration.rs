//! Stimuli that get somewhere: runs of the original that bring its gates to values they had not been seen to have.
//!
//! Random inputs seldom let a protocol go through. Runs that reach something new are kept up to there and continued in many ways, as
//! fuzzers guided by coverage do. A gate that compares is a tree of gates, each of which is something to be reached, so a number that
//! must be met is met bit by bit. It costs what simulating a few mutants does.

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

/// Runs of the original that reached something new.
pub(super) struct Explored {
    /// Those that reached most first.
    pub(super) runs: Vec<Stimulus>,
    /// Gates evaluated.
    pub(super) gates: u64,
}

/// A run that reached something.
struct Kept {
    run: Stimulus,
    /// The step at which it last reached something new, counted from 1.
    until: usize,
    /// How much was new in it.
    new: usize,
}

/// Generations at most.
const GENERATIONS: usize = 256;

/// Generations without anything new before the search ends.
const PATIENCE: usize = 8;

/// Of eight lanes the one that changes a bit of what was found last.
const CHANGED: usize = 7;

/// Runs found last of which bits are changed in turn.
const CLOSE: usize = 4;

/// Explores what the original does in so many steps, until that has cost so many gates.
pub(super) fn explore(
    model: &ConditionalMutant,
    original: &Program,
    steps: usize,
    seed: u64,
    most_gates: u64,
    budget: &Budget,
) -> Explored {
    let mut search = Search {
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
    for generation in 0..GENERATIONS {
        search.generation = generation;
        let mut stimuli = Stimuli::weighted(model, steps, rng.next_u64());
        search.continue_kept(&mut stimuli, &mut rng);
        let found = match original.is_known(Knowledge::Inputs) {
            true => search.run::<Word>(&stimuli, budget),
            false => search.run::<Rails>(&stimuli, budget),
        };
        barren = if found { 0 } else { barren + 1 };
        let over = barren == PATIENCE || search.missing == 0;
        if over || search.gates > most_gates || budget.stopped().is_some() {
            break;
        }
    }
    search.ranked()
}

struct Search<'c> {
    original: &'c Program,
    /// Of latches, and after them of gates, whether they have not been seen to be 0, and to be 1.
    unseen: Vec<[bool; 2]>,
    /// How many of these are true.
    missing: usize,
    /// Inputs of the tester that may have either value, whatever those beside them have.
    loose: Vec<usize>,
    generation: usize,
    kept: Vec<Kept>,
    gates: u64,
}

fn loose(model: &ConditionalMutant) -> Vec<usize> {
    let ports = model.inputs.iter().filter(|port| !port.sort.has_aliases());
    ports.flat_map(|port| port.bits.iter().copied()).collect()
}

impl Search<'_> {
    /// Lets most lanes begin with what a run did that was kept.
    fn continue_kept(&self, stimuli: &mut Stimuli, rng: &mut ChaCha8Rng) {
        if self.kept.is_empty() {
            return;
        }
        let kept = self.kept.len();
        // The later something was found, the more depends on going on from there.
        let recent = kept.min(LANES / 4);
        let close = kept - 1 - self.generation % kept.min(CLOSE);
        for lane in 0..LANES {
            let parent = match lane % 8 {
                0 | 4 => continue,
                1 => rng.random_range(0..kept),
                CHANGED => close,
                _ => kept - 1 - rng.random_range(0..recent),
            };
            let parent = &self.kept[parent];
            stimuli.begin_with(lane, &parent.run, parent.until);
            // A number that the inputs of one step are compared with is met by changing one bit after the other.
            if lane % 8 == CHANGED && !self.loose.is_empty() {
                let number = self.generation * (LANES / 8) + lane / 8;
                let bit = self.loose[number % self.loose.len()];
                stimuli.flip(lane, parent.until - 1, bit);
            }
        }
    }

    /// Runs the original and keeps what reaches something new. Whether there was any.
    fn run<V: Signal>(&mut self, stimuli: &Stimuli, budget: &Budget) -> bool {
        let program = self.original;
        let mut original: Running<'_, V> = Running::start(program, Knowledge::Inputs);
        let mut new = vec![(0, 0); LANES];
        // What was not seen before this step, with the lanes that it is seen in.
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
