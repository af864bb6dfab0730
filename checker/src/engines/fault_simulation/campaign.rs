//! Runs stimuli against many mutants at once.

use rayon::prelude::*;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::work::{Unit, count};

use super::circuit::Circuit;
use super::difference::{Difference, Fault, Scratch};
use super::folded::{Knowledge, Simulation};
use super::lanes::Struck;
use crate::engines::stimuli::{Stimuli, Word};
use crate::schedule::efforts::SimulationLimits;
use crate::schedule::engine_efforts::DIFFERENCE_BYTES;

/// Least number of mutants that are simulated together.
const FEWEST: usize = 64;

/// Number of gates evaluated in a step above which threads share the mutants.
const WORTH_SHARING: u64 = 1 << 14;

/// A simulation of stimuli on the original and many mutants.
pub(super) struct Campaign<'a> {
    pub(super) circuit: &'a Circuit<'a>,
    pub(super) knows: Knowledge,
    pub(super) stimuli: &'a Stimuli,
    /// Limits if all mutants are simulated; fewer mutants get a proportional part of the gates.
    pub(super) limits: SimulationLimits,
    pub(super) budget: &'a Budget,
}

impl Campaign<'_> {
    /// Returns the mutants that some stimulus kills, each with the first step at which a lane kills it and all lanes that kill it there.
    /// Also returns the number of evaluated gates.
    pub(super) fn strike(&self, mutants: &[SelectorId]) -> (Vec<Struck>, u64) {
        let of_one = self.circuit.model.aig.latches().len() * size_of::<Difference>();
        let together = (DIFFERENCE_BYTES / of_one.max(1)).max(FEWEST);
        let (mut struck, mut gates) = (Vec::new(), 0);
        for some in mutants.chunks(together) {
            let parts = mutants.len().div_ceil(some.len()) as u64;
            gates += self.strike_together(some, self.limits.of_part(parts), &mut struck);
        }
        (struck, gates)
    }

    fn strike_together(
        &self,
        mutants: &[SelectorId],
        limits: SimulationLimits,
        struck: &mut Vec<Struck>,
    ) -> u64 {
        let circuit = self.circuit;
        let live = mutants.par_iter().map(|&mutant| Fault::of(circuit, mutant));
        let mut live: Vec<Fault> = live.collect();
        let threads = rayon::current_num_threads();
        let mut scratches: Vec<Scratch<'_>> = (0..threads).map(|_| Scratch::of(circuit)).collect();
        let mut original = Simulation::start(circuit, self.knows);
        let (mut gates, mut before) = (0, 0);
        let mut last_kill = 0;
        for (step, inputs) in self.stimuli.steps.iter().enumerate() {
            let is_barren = step - last_kill > limits.barren_steps;
            let is_over = live.is_empty() || gates > limits.gates || is_barren;
            if is_over || self.budget.stopped().is_some() {
                break;
            }
            original.step(inputs, &self.stimuli.initial);
            let results =
                self.advance(&original, &mut live, &mut scratches, before > WORTH_SHARING);
            before = results.iter().map(|(_, evaluated)| evaluated).sum();
            gates += before + circuit.gate_count() as u64;
            count(Unit::Gates, circuit.gate_count() as u64);
            let mut results = results.into_iter();
            live.retain(|fault| {
                let (lanes, _) = results.next().unwrap_or_default();
                let dies = lanes.iter().any(|&word| word != 0);
                if dies {
                    last_kill = step;
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

    /// Simulates one step of all mutants, parallel to the original's. Returns for each mutant the lanes that kill it, and the number of
    /// evaluated gates. One step of many mutants may take long: mutants after the end of the budget are omitted, which ends the search.
    fn advance(
        &self,
        original: &Simulation<'_>,
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
            let results: Vec<(Word, u64)> = results.collect();
            let gates = results.iter().map(|(_, evaluated)| evaluated).sum();
            count(Unit::Gates, gates);
            results
        };
        let heading = self.budget.heading();
        let helps = |part| {
            let _helps = self.budget.helps(heading.as_ref());
            advance(part)
        };
        match shared {
            true => (live.par_chunks_mut(share).zip(scratches))
                .flat_map_iter(helps)
                .collect(),
            false => (live.chunks_mut(share).zip(scratches))
                .flat_map(advance)
                .collect(),
        }
    }
}
