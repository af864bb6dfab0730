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
use hyperkill_core::{ConditionalMutant, SelectorId};

use crate::engines::random_simulation::stimuli::{Stimuli, Word};
use crate::question::Found;
use crate::schedule::efforts::{FAULT_GATES, RandomRuns};
use circuit::{Circuit, Original};
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
        let (struck, gates) = strike(&circuit, mutants, &stimuli, budget);
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

/// The mutants that some lane kills for certain, each with its first such step and all lanes that kill there; and the gates evaluated.
fn strike(
    circuit: &Circuit<'_>,
    mutants: &[SelectorId],
    stimuli: &Stimuli,
    budget: &Budget,
) -> (Vec<Struck>, u64) {
    let mut original = Original::start(circuit);
    let live = mutants.par_iter().map(|&mutant| Fault::of(circuit, mutant));
    let mut live: Vec<Fault> = live.collect();
    let threads = rayon::current_num_threads();
    let mut scratches: Vec<Scratch<'_>> = (0..threads).map(|_| Scratch::of(circuit)).collect();
    let mut struck = Vec::new();
    let mut gates = 0;
    for (step, inputs) in stimuli.steps.iter().enumerate() {
        if live.is_empty() || gates > FAULT_GATES || budget.stopped().is_some() {
            break;
        }
        original.step(inputs);
        gates += circuit.gate_count() as u64;
        let share = live.len().div_ceil(threads);
        let shares = live.par_chunks_mut(share).zip(&mut scratches);
        let results = shares.flat_map_iter(|(faults, scratch)| {
            let advance = |fault| scratch.advance(&original, fault);
            faults.iter_mut().map(advance).collect::<Vec<_>>()
        });
        let results: Vec<(Word, u64)> = results.collect();
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
