//! Certain kills by fault simulation: what is known with choices and free initial values unknown.
//!
//! Every signal has two bits per lane, whether it can be 0 and whether it can be 1 (semantics.md §6.1). The original is simulated once for
//! all mutants; of a mutant only what differs from it is, as parallel-pattern single-fault propagation does in test generation for
//! hardware. An output that is known in both and differs is a definite kill, whatever anybody chooses, as long as all constraints are
//! known to hold in both. Where several runs kill, those are taken that kill many.

mod circuit;
mod difference;
mod lanes;
mod shorten;

use rayon::prelude::*;

use hyperkill_core::budget::Budget;
use hyperkill_core::sim::words;
use hyperkill_core::{ConditionalMutant, SelectorId};

use crate::engines::stimuli::{Stimuli, Word};
use crate::question::Found;
use crate::schedule::efforts::{FAULT_GATES, RandomRuns};
use circuit::{Circuit, Knowledge, Original};
use difference::{Fault, Scratch};
use lanes::{Choice, Struck};

/// What fault simulation has found, and what it has cost.
#[derive(Clone, Debug, Default)]
pub struct CertainKills {
    /// Mutants, each with a pair of runs of which the last step differs for certain; ascending.
    pub found: Vec<(SelectorId, Found)>,
    /// Gates evaluated, of the original and of all mutants.
    pub gates: u64,
}

impl CertainKills {
    /// Runs random stimuli against all of these mutants at once. Tests longer than `bound` do not count. The result does not depend on
    /// threads, and on the clock only as far as `budget` ends the search.
    #[must_use]
    pub fn search(
        model: &ConditionalMutant,
        mutants: &[SelectorId],
        effort: &RandomRuns,
        seed: u64,
        bound: Option<usize>,
        budget: &Budget,
    ) -> CertainKills {
        let circuit = Circuit::of(model);
        let steps = effort.steps.min(bound.unwrap_or(usize::MAX));
        let stimuli = Stimuli::weighted(model, steps, seed);
        let original = Original::start(&circuit, Knowledge::Inputs);
        let (struck, gates) = strike(original, mutants, &stimuli, FAULT_GATES, budget);
        let chosen = Choice::of(&struck);
        let found = struck.par_iter().zip(chosen).map(|(struck, lane)| {
            let run = stimuli.lane(lane, struck.steps);
            let run = shorten::shorten(model, struck.mutant, run, budget);
            let found = Found {
                steps: run.steps.len(),
                runs: vec![run.clone(), run],
            };
            (struck.mutant, found)
        });
        let mut found: Vec<(SelectorId, Found)> = found.collect();
        found.sort_unstable_by_key(|(mutant, _)| *mutant);
        CertainKills { found, gates }
    }
}

/// The mutants whose outputs differ from the original's in some lane, choices and free initial values as the stimuli have them, while both
/// runs exist; ascending, each with its first such lane at its first such step, and the number of steps up to that one.
#[must_use]
pub(crate) fn first_differences(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    stimuli: &Stimuli,
    budget: &Budget,
) -> Vec<(SelectorId, usize, usize)> {
    let circuit = Circuit::of(model);
    let original = Original::start(&circuit, Knowledge::Everything);
    let (struck, _) = strike(original, mutants, stimuli, u64::MAX, budget);
    let first = struck.iter().filter_map(|struck| {
        let lane = words::lanes_of(&struck.lanes).next()?;
        Some((struck.mutant, lane, struck.steps))
    });
    let mut found: Vec<_> = first.collect();
    found.sort_unstable();
    found
}

/// Gates evaluated at a step above which threads share the mutants.
const WORTH_SHARING: u64 = 1 << 14;

/// The mutants that some lane kills, each with its first such step and all lanes that kill there; and the gates evaluated, which end the
/// search if they are more than `most`.
fn strike(
    mut original: Original<'_>,
    mutants: &[SelectorId],
    stimuli: &Stimuli,
    most: u64,
    budget: &Budget,
) -> (Vec<Struck>, u64) {
    let circuit = original.circuit;
    let live = mutants.par_iter().map(|&mutant| Fault::of(circuit, mutant));
    let mut live: Vec<Fault> = live.collect();
    let threads = rayon::current_num_threads();
    let mut scratches: Vec<Scratch<'_>> = (0..threads).map(|_| Scratch::of(circuit)).collect();
    let mut struck = Vec::new();
    let (mut gates, mut before) = (0, 0);
    for (step, inputs) in stimuli.steps.iter().enumerate() {
        if live.is_empty() || gates > most || budget.stopped().is_some() {
            break;
        }
        original.step(inputs, &stimuli.initial);
        gates += circuit.gate_count() as u64;
        let share = live.len().div_ceil(threads);
        let advance = |(faults, scratch): (&mut [Fault], &mut Scratch<'_>)| {
            let faults = faults.iter_mut();
            let results = faults.map(|fault| scratch.advance(&original, fault));
            results.collect::<Vec<(Word, u64)>>()
        };
        let results: Vec<(Word, u64)> = match before > WORTH_SHARING {
            true => (live.par_chunks_mut(share).zip(&mut scratches))
                .flat_map_iter(advance)
                .collect(),
            false => (live.chunks_mut(share).zip(&mut scratches))
                .flat_map(advance)
                .collect(),
        };
        before = results.iter().map(|(_, evaluated)| evaluated).sum();
        let mut results = results.into_iter();
        live.retain(|fault| {
            let (lanes, evaluated) = results.next().unwrap_or_default();
            gates += evaluated;
            let dies = lanes.iter().any(|&word| word != 0);
            if dies {
                struck.push(Struck {
                    mutant: fault.mutant(),
                    steps: step + 1,
                    lanes,
                });
            }
            !dies
        });
    }
    (struck, gates)
}
