//! Many mutants under few stimuli: a lane is a mutant.
//!
//! Where a difference soon reaches most of a circuit there is nothing to be saved by following it, and what counts is that few stimuli are
//! needed. Each word has one stimulus in all its lanes; its last lane is the original, each other one a mutant.

use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};

use super::folded::{Folded, Knowledge, Simulation};
use super::lanes::Struck;
use super::rails::{Rails, known_apart};
use crate::engines::stimuli::{Stimuli, WORDS, Word};

/// Mutants simulated together.
pub(super) const TOGETHER: usize = 63;

/// The lane of each word that no mutant is in.
const ORIGINAL: usize = 63;

/// A mutant that some stimuli kill.
pub(super) struct Hit {
    pub(super) mutant: SelectorId,
    /// Per stimulus the first step at which it kills, counted from 1.
    pub(super) steps: [Option<usize>; WORDS],
}

impl Hit {
    /// The stimuli that kill, as lanes.
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

/// Runs these stimuli, at most [`WORDS`] of one length, against these mutants, at most [`TOGETHER`], until each mutant is killed:
/// those that are, and how many gates were evaluated.
pub(super) fn strike(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    runs: &[Stimulus],
    knows: Knowledge,
    budget: &Budget,
) -> (Vec<Hit>, u64) {
    let folded = Folded::of(model, mutants);
    let stimuli = Stimuli::of_words(runs);
    let mut lanes = Simulation::start(&folded, knows);
    for (lane, &mutant) in mutants.iter().enumerate() {
        lanes.select(mutant, [1 << lane; WORDS]);
    }
    let mut hits: Vec<Hit> = (mutants.iter())
        .map(|&mutant| Hit {
            mutant,
            steps: [None; WORDS],
        })
        .collect();
    // Lanes whose mutant this stimulus has killed, and those beyond the last mutant.
    let mut over = [u64::MAX << mutants.len(); WORDS];
    let mut gates = 0;
    for (step, inputs) in stimuli.steps.iter().enumerate() {
        // Who is killed by one stimulus need not be killed by another.
        let over_somewhere = over.iter().fold(0, |all, word| all | word);
        if over_somewhere == u64::MAX || budget.stopped().is_some() {
            break;
        }
        lanes.step(inputs, &stimuli.initial);
        gates += folded.gate_count() as u64;
        let killing = killing(&lanes, &folded);
        for (word, killing) in killing.into_iter().enumerate().take(runs.len()) {
            let mut fresh = killing & !over[word];
            over[word] |= fresh;
            while fresh != 0 {
                hits[fresh.trailing_zeros() as usize].steps[word] = Some(step + 1);
                fresh &= fresh - 1;
            }
        }
    }
    hits.retain(|hit| hit.steps.iter().any(Option::is_some));
    (hits, gates)
}

/// The lanes in which an output is known in the mutant and in the original, and differs, and all constraints hold in both.
fn killing(lanes: &Simulation<'_>, folded: &Folded<'_>) -> Word {
    let mut killing = [0; WORDS];
    for output in &folded.model.aig.outputs {
        let value = lanes.value(output.lit);
        let apart = known_apart(value, originals(value));
        killing = std::array::from_fn(|w| killing[w] | apart[w]);
    }
    std::array::from_fn(|w| {
        let both = lanes.alive[w] & (lanes.alive[w] >> ORIGINAL & 1).wrapping_neg();
        killing[w] & both
    })
}

/// What the original has, in all lanes of its word.
fn originals(value: Rails) -> Rails {
    value.map(|rail| rail.map(|word| (word >> ORIGINAL & 1).wrapping_neg()))
}
