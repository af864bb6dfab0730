//! Parallel fault simulation: many mutants under few stimuli, one mutant per lane.
//!
//! If a difference soon reaches most of a circuit, following it saves nothing; then the number of stimuli determines the cost. Each word
//! has one stimulus in all its lanes; its last lane is the original, every other lane a mutant.

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::work::{Unit, count};

use super::folded::Knowledge;
use super::lanes::Struck;
use super::program::{Program, Running};
use super::rails::Rails;
use super::signals::Signal;
use crate::engines::stimuli::{Stimuli, WORDS, Word};

/// Number of mutants simulated together.
pub(super) const TOGETHER: usize = 63;

/// The lane of the original in each word: the last.
const ORIGINAL: usize = 63;

/// A mutant that some of the stimuli simulated together kill.
pub(super) struct Hit {
    pub(super) mutant: SelectorId,
    /// For each stimulus the first step, counted from 1, at which it kills; `None` if it does not.
    pub(super) steps: [Option<usize>; WORDS],
}

impl Hit {
    /// Returns the mutant with the stimuli that kill it at any step, each as the lane of its number; the step is 0, since it has no
    /// meaning.
    pub(super) fn struck(&self) -> Struck {
        let stimuli = self.steps.iter().enumerate();
        let killing = stimuli.filter(|(_, step)| step.is_some());
        let mut lanes = [0; WORDS];
        lanes[0] = killing.fold(0, |lanes, (word, _)| lanes | 1 << word);
        Struck {
            mutant: self.mutant,
            steps: 0,
            lanes,
        }
    }
}

/// When the simulation of a mutant ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// When some stimulus has killed the mutant.
    Killed,
    /// When all stimuli have killed the mutant.
    KilledByAll,
}

/// Mutants that are simulated together in the lanes of a word.
pub(super) struct Batch {
    mutants: Vec<SelectorId>,
    /// The original with the mutants of the batch, compiled.
    program: Program,
}

impl Batch {
    pub(super) fn new(mutants: Vec<SelectorId>, program: Program) -> Batch {
        Batch { mutants, program }
    }

    /// Returns how many mutants of the batch are in `live`, which ascends.
    pub(super) fn among(&self, live: &[SelectorId]) -> usize {
        let mutants = self.mutants.iter();
        mutants
            .filter(|mutant| live.binary_search(mutant).is_ok())
            .count()
    }

    /// Runs these stimuli, at most [`WORDS`] of one length, against the mutants of the batch that are in `live` (ascending). `knows` says
    /// which inputs are known, `until` when a mutant needs no more steps. Returns the killed mutants and the number of evaluated gates.
    pub(super) fn strike(
        &self,
        live: &[SelectorId],
        runs: &[Stimulus],
        (knows, until): (Knowledge, Until),
        budget: &Budget,
    ) -> (Vec<Hit>, u64) {
        match self.program.is_known(knows) {
            true => self.strike_with::<Word>(live, runs, (knows, until), budget),
            false => self.strike_with::<Rails>(live, runs, (knows, until), budget),
        }
    }

    fn strike_with<V: Signal>(
        &self,
        live: &[SelectorId],
        runs: &[Stimulus],
        (knows, until): (Knowledge, Until),
        budget: &Budget,
    ) -> (Vec<Hit>, u64) {
        let stimuli = Stimuli::of_words(runs);
        let mut lanes: Running<'_, V> = Running::start(&self.program, knows);
        // Lanes whose mutant this stimulus has killed, and lanes without a mutant.
        let mut over = [u64::MAX; WORDS];
        for (lane, mutant) in self.mutants.iter().enumerate() {
            if live.binary_search(mutant).is_ok() {
                lanes.select(lane, [1 << lane; WORDS]);
                over = over.map(|word| word & !(1 << lane));
            }
        }
        let hit = |&mutant: &SelectorId| Hit {
            mutant,
            steps: [None; WORDS],
        };
        let mut hits: Vec<Hit> = self.mutants.iter().map(hit).collect();
        let mut gates = 0;
        for (step, inputs) in stimuli.steps.iter().enumerate() {
            let words = over.iter().take(runs.len());
            let left = match until {
                Until::Killed => !words.fold(0, |all, word| all | word),
                Until::KilledByAll => !words.fold(u64::MAX, |all, word| all & word),
            };
            if left == 0 || budget.stopped().is_some() {
                break;
            }
            lanes.step(inputs, &stimuli.initial, |_, _| ());
            gates += self.program.gate_count() as u64;
            let killing = killing(&lanes, &self.program);
            for (word, killing) in killing.into_iter().enumerate().take(runs.len()) {
                let mut fresh = killing & !over[word];
                over[word] |= fresh;
                while fresh != 0 {
                    hits[fresh.trailing_zeros() as usize].steps[word] = Some(step + 1);
                    fresh &= fresh - 1;
                }
            }
        }
        count(Unit::Gates, gates);
        hits.retain(|hit| hit.steps.iter().any(Option::is_some));
        (hits, gates)
    }
}

/// Returns the lanes in which an output is known in the mutant and in the original and differs, and all constraints have held in both so
/// far.
fn killing<V: Signal>(lanes: &Running<'_, V>, program: &Program) -> Word {
    let mut killing = [0; WORDS];
    for &output in &program.outputs {
        let value = lanes.value(output);
        let apart = value.apart(value.of_last());
        killing = std::array::from_fn(|w| killing[w] | apart[w]);
    }
    std::array::from_fn(|w| {
        let both = lanes.alive[w] & (lanes.alive[w] >> ORIGINAL & 1).wrapping_neg();
        killing[w] & both
    })
}
