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
use crate::schedule::efforts::FAULT_GATES;
use circuit::{Circuit, Knowledge, Original};
use difference::{Difference, Fault, Scratch};
use lanes::{Struck, chosen};

/// What fault simulation has found, and what it has cost.
#[derive(Clone, Debug, Default)]
pub struct CertainKills {
    /// Mutants, each with a pair of runs of which the last step differs for certain; ascending.
    pub found: Vec<(SelectorId, Found)>,
    /// Gates evaluated, of the original and of all mutants.
    pub gates: u64,
}

impl CertainKills {
    /// Runs random stimuli of so many steps against all of these mutants. Tests longer than `bound` do not count. The result does not
    /// depend on threads, and on the clock only as far as `budget` ends the search.
    #[must_use]
    pub fn search(
        model: &ConditionalMutant,
        mutants: &[SelectorId],
        steps: usize,
        seed: u64,
        bound: Option<usize>,
        budget: &Budget,
    ) -> CertainKills {
        let stimuli = Stimuli::weighted(model, steps.min(bound.unwrap_or(usize::MAX)), seed);
        let circuit = Circuit::of(model);
        let (struck, gates) = Campaign {
            circuit: &circuit,
            knows: Knowledge::Inputs,
            stimuli: &stimuli,
            most_gates: FAULT_GATES,
            budget,
        }
        .strike(mutants);
        let found = struck
            .par_iter()
            .zip(chosen(&struck))
            .map(|(struck, lane)| {
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
    let (struck, _) = Campaign {
        circuit: &circuit,
        knows: Knowledge::Everything,
        stimuli,
        most_gates: u64::MAX,
        budget,
    }
    .strike(mutants);
    let first = struck.iter().filter_map(|struck| {
        let lane = words::lanes_of(&struck.lanes).next()?;
        Some((struck.mutant, lane, struck.steps))
    });
    let mut found: Vec<_> = first.collect();
    found.sort_unstable();
    found
}

/// Bytes that the differing latches of mutants simulated together may take, whatever differs.
const DIFFERENCES: usize = 1 << 26;

/// Mutants that are simulated together in any case.
const FEWEST: usize = 64;

/// Gates evaluated at a step above which threads share the mutants.
const WORTH_SHARING: u64 = 1 << 14;

/// Stimuli that are run against mutants.
struct Campaign<'a> {
    circuit: &'a Circuit<'a>,
    knows: Knowledge,
    stimuli: &'a Stimuli,
    /// Gates after which it ends, if all mutants are simulated; fewer mutants have their share.
    most_gates: u64,
    budget: &'a Budget,
}

impl Campaign<'_> {
    /// The mutants that some lane kills, each with its first such step and all lanes that kill there; and the gates evaluated.
    fn strike(&self, mutants: &[SelectorId]) -> (Vec<Struck>, u64) {
        let of_one = self.circuit.model.aig.latches().len() * size_of::<Difference>();
        let together = (DIFFERENCES / of_one.max(1)).max(FEWEST);
        let (mut struck, mut gates) = (Vec::new(), 0);
        for some in mutants.chunks(together) {
            let share = self.most_gates / (mutants.len().div_ceil(some.len()) as u64);
            gates += self.strike_together(some, share, &mut struck);
        }
        (struck, gates)
    }

    fn strike_together(
        &self,
        mutants: &[SelectorId],
        most_gates: u64,
        struck: &mut Vec<Struck>,
    ) -> u64 {
        let circuit = self.circuit;
        let live = mutants.par_iter().map(|&mutant| Fault::of(circuit, mutant));
        let mut live: Vec<Fault> = live.collect();
        let threads = rayon::current_num_threads();
        let mut scratches: Vec<Scratch<'_>> = (0..threads).map(|_| Scratch::of(circuit)).collect();
        let mut original = Original::start(circuit, self.knows);
        let (mut gates, mut before) = (0, 0);
        for (step, inputs) in self.stimuli.steps.iter().enumerate() {
            if live.is_empty() || gates > most_gates || self.budget.stopped().is_some() {
                break;
            }
            original.step(inputs, &self.stimuli.initial);
            let results =
                self.advance(&original, &mut live, &mut scratches, before > WORTH_SHARING);
            before = results.iter().map(|(_, evaluated)| evaluated).sum();
            gates += before + circuit.gate_count() as u64;
            let mut results = results.into_iter();
            live.retain(|fault| {
                let (lanes, _) = results.next().unwrap_or_default();
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
        gates
    }

    /// Takes all mutants through the step that the original is at: for each the lanes that kill it there, and how many gates were
    /// evaluated. One step of many mutants may take long: whoever comes after the end of the budget is left out, and the search is over.
    fn advance(
        &self,
        original: &Original<'_>,
        live: &mut [Fault],
        scratches: &mut [Scratch<'_>],
        shared: bool,
    ) -> Vec<(Word, u64)> {
        let share = live.len().div_ceil(scratches.len());
        let advance = |(faults, scratch): (&mut [Fault], &mut Scratch<'_>)| {
            let faults = faults.iter_mut();
            let results = faults.map(|fault| match self.budget.stopped() {
                Some(_) => Default::default(),
                None => scratch.advance(original, fault),
            });
            results.collect::<Vec<(Word, u64)>>()
        };
        match shared {
            true => (live.par_chunks_mut(share).zip(scratches))
                .flat_map_iter(advance)
                .collect(),
            false => (live.chunks_mut(share).zip(scratches))
                .flat_map(advance)
                .collect(),
        }
    }
}
