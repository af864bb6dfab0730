//! Definite kills by ternary fault simulation, with choices and free initial values unknown.
//!
//! Every signal has two bits per lane: whether it can be 0 and whether it can be 1 (semantics.md §6.1). The original is simulated once for
//! all mutants. For a mutant only the differing nodes are simulated, as in parallel-pattern single-fault propagation. An output that is
//! known in both and differs is a definite kill for all choices, if all constraints are known to hold in both. If several runs kill, the
//! runs that kill most mutants are taken.

mod campaign;
mod circuit;
mod difference;
mod exploration;
mod folded;
mod lanes;
mod parallel;
mod program;
mod rails;
mod shorten;
mod signals;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::sim::words;
use hyperkill_core::{ConditionalMutant, SelectorId};

use hyperkill_core::trace::Stimulus;

use crate::engines::stimuli::{LANES, Stimuli, WORDS};
use crate::question::Found;
use crate::schedule::efforts::{
    EXPLORATION_GATES, EXPLORATION_WAVES, FAULT_GATES, FAULT_WAVES, SimulationLimits,
};
use crate::schedule::engine_efforts::{BARREN_WAVES, DIFFERENCES_SHARE};
use campaign::Campaign;
use circuit::Circuit;
use exploration::explore;
use folded::{Folded, Knowledge};
use lanes::{Struck, chosen};
use parallel::{Batch, Hit, TOGETHER, Until};
use program::Program;

/// The result of fault simulation, and its cost.
#[derive(Clone, Debug, Default)]
pub struct CertainKills {
    /// Mutants, ascending, each with a pair of runs whose last step definitely differs.
    pub found: Vec<(SelectorId, Found)>,
    /// The number of gates evaluated, for the original and all mutants.
    pub gates: u64,
}

impl CertainKills {
    /// Runs random stimuli of `steps` steps against all of these mutants and returns those that they kill definitely. Tests longer than
    /// `bound` do not count. The result does not depend on threads, and depends on the clock only if `budget` ends the search.
    #[must_use]
    pub fn search(
        model: &ConditionalMutant,
        mutants: &[SelectorId],
        steps: usize,
        seed: u64,
        bound: Option<usize>,
        budget: &Budget,
    ) -> CertainKills {
        let circuit = Circuit::of(model);
        let steps = steps.min(bound.unwrap_or(usize::MAX));
        // In a large circuit a few runs cost more than all runs of a small one.
        let batches = mutants.len().div_ceil(TOGETHER);
        let wave = (circuit.gate_count() * steps * batches) as u64;
        let most_gates = EXPLORATION_GATES.max(EXPLORATION_WAVES * wave);
        let original = Program::of(model, circuit.kept(), &[]);
        let explored = explore(model, &original, steps, seed, most_gates, budget);
        let mut live = mutants.to_vec();
        live.sort_unstable();
        let mut search = CertainSearch {
            model,
            live,
            struck: Vec::new(),
            gates: explored.gates,
            most_gates: FAULT_GATES.max(explored.gates + FAULT_WAVES * wave),
            budget,
        };
        search.by_waves(&circuit, &explored.runs);
        search.by_differences(&circuit, &explored.runs, steps, seed);
        let heading = budget.heading();
        let found = search.struck.par_iter().map(|(mutant, run)| {
            let _helps = budget.helps(heading.as_ref());
            let run = shorten::shorten(&circuit, *mutant, run.clone(), budget);
            let found = Found {
                steps: run.steps.len(),
                runs: vec![run.clone(), run],
            };
            (*mutant, found)
        });
        let waits = budget.waits();
        let mut found: Vec<(SelectorId, Found)> = found.collect();
        drop(waits);
        found.sort_unstable_by_key(|(mutant, _)| *mutant);
        CertainKills {
            found,
            gates: search.gates,
        }
    }
}

/// Number of gates above which values exceed the cache, so that differences cost even more.
const CACHED_GATES: u64 = 1 << 14;

/// A search for definite kills of many mutants.
struct CertainSearch<'a> {
    model: &'a ConditionalMutant,
    live: Vec<SelectorId>,
    /// Killed mutants, each with a run that kills it at its last step.
    struck: Vec<(SelectorId, Stimulus)>,
    gates: u64,
    /// Limit on evaluated gates, after which no further wave of stimuli starts.
    most_gates: u64,
    budget: &'a Budget,
}

impl CertainSearch<'_> {
    /// Runs the stimuli, [`WORDS`] at a time (a wave), against all live mutants, many mutants at once, until some waves in a row kill none.
    fn by_waves(&mut self, circuit: &Circuit<'_>, runs: &[Stimulus]) {
        let mut batches = Vec::new();
        let mut barren = 0;
        for wave in runs.chunks(WORDS) {
            let (live, budget) = (&self.live, self.budget);
            // Fuller batches are fewer batches.
            batches.retain(|batch: &Batch| batch.among(live) > 0);
            if batches.is_empty() || 2 * batches.len() * TOGETHER > 3 * live.len() + 2 * TOGETHER {
                batches = self.packed(circuit);
            }
            let asked = (Knowledge::Inputs, Until::Killed);
            let heading = budget.heading();
            let strike = |batch: &Batch| {
                let _helps = budget.helps(heading.as_ref());
                batch.strike(live, wave, asked, budget)
            };
            let waits = budget.waits();
            let results: Vec<(Vec<Hit>, u64)> = batches.par_iter().map(strike).collect();
            drop(waits);
            self.gates += results.iter().map(|(_, gates)| gates).sum::<u64>();
            let hits: Vec<Hit> = results.into_iter().flat_map(|(hits, _)| hits).collect();
            barren = if hits.is_empty() { barren + 1 } else { 0 };
            self.take(&hits, wave);
            let over = self.live.is_empty() || self.budget.stopped().is_some();
            if over || barren == BARREN_WAVES || self.gates > self.most_gates {
                return;
            }
        }
    }

    /// Returns the live mutants in batches of [`TOGETHER`], each compiled with the original. After the end of the budget, batches are left
    /// out.
    fn packed(&self, circuit: &Circuit<'_>) -> Vec<Batch> {
        let heading = self.budget.heading();
        let batches = self.live.par_chunks(TOGETHER).filter_map(|mutants| {
            let _helps = self.budget.helps(heading.as_ref());
            self.budget.check().ok()?;
            let program = Program::of(self.model, circuit.kept(), mutants);
            Some(Batch::new(mutants.to_vec(), program))
        });
        let _waits = self.budget.waits();
        batches.collect()
    }

    fn take(&mut self, hits: &[Hit], wave: &[Stimulus]) {
        let struck: Vec<Struck> = hits.iter().map(Hit::struck).collect();
        for (hit, word) in hits.iter().zip(chosen(&struck)) {
            let mut run = wave[word].clone();
            run.steps.truncate(hit.steps[word].unwrap_or(usize::MAX));
            self.struck.push((hit.mutant, run));
        }
        self.forget_struck();
    }

    fn forget_struck(&mut self) {
        let struck: FxHashSet<SelectorId> = self.struck.iter().map(|(mutant, _)| *mutant).collect();
        self.live.retain(|mutant| !struck.contains(mutant));
    }

    /// Runs as many of these stimuli as there are lanes, and random ones, against the live mutants, and simulates only differing signals.
    fn by_differences(
        &mut self,
        circuit: &Circuit<'_>,
        runs: &[Stimulus],
        steps: usize,
        seed: u64,
    ) {
        let mut stimuli = Stimuli::weighted(self.model, steps, seed);
        for (lane, run) in runs.iter().enumerate().take(LANES) {
            stimuli.begin_with(lane, run, run.steps.len());
        }
        let slower = (circuit.gate_count() as u64 / CACHED_GATES).max(1);
        let most_gates = self.gates / DIFFERENCES_SHARE / slower;
        let (struck, gates) = Campaign {
            circuit,
            knows: Knowledge::Inputs,
            stimuli: &stimuli,
            limits: SimulationLimits::gates(most_gates),
            budget: self.budget,
        }
        .strike(&self.live);
        self.gates += gates;
        for (struck, lane) in struck.iter().zip(chosen(&struck)) {
            self.struck
                .push((struck.mutant, stimuli.lane(lane, struck.steps)));
        }
        self.forget_struck();
    }
}

/// Returns the mutants whose outputs differ from the original's in some lane, ascending. Both runs take the choices and free initial values
/// of the stimuli, and count only while both exist. Each mutant comes with the lane of its first difference and the number of steps up to
/// and including it. Some are omitted if a limit is reached.
#[must_use]
pub(crate) fn first_differences(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    stimuli: &Stimuli,
    limits: SimulationLimits,
    budget: &Budget,
) -> Vec<(SelectorId, usize, usize)> {
    let circuit = Circuit::of(model);
    let (struck, _) = Campaign {
        circuit: &circuit,
        knows: Knowledge::Everything,
        stimuli,
        limits,
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

/// Returns for each mutant the tests, by index, on which its outputs differ from the original's while both runs exist, with the tests'
/// choices and free initial values. Each test comes with the number of steps up to the first difference. Some are omitted if the budget
/// ends.
#[must_use]
pub(crate) fn differing_tests(
    model: &ConditionalMutant,
    mutants: &[SelectorId],
    tests: &[Stimulus],
    budget: &Budget,
) -> Vec<Vec<(usize, usize)>> {
    let folded = Folded::of(model);
    // Tests of one pass have nearly the same length.
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|&test| (tests[test].steps.len(), test));
    let passes: Vec<(&[usize], Vec<Stimulus>)> = (order.chunks(WORDS))
        .map(|some| (some, padded(some.iter().map(|&test| &tests[test]))))
        .collect();
    let heading = budget.heading();
    let differing = mutants.par_chunks(TOGETHER).flat_map_iter(|some| {
        let _helps = budget.helps(heading.as_ref());
        let mut live = some.to_vec();
        live.sort_unstable();
        live.dedup();
        let stopped = budget.stopped().is_some();
        let passes = if stopped { &[] } else { passes.as_slice() };
        let batch = Batch::new(live.clone(), Program::of(model, folded.kept(), &live));
        let mut found: FxHashMap<SelectorId, Vec<(usize, usize)>> = FxHashMap::default();
        for (numbers, runs) in passes {
            let asked = (Knowledge::Everything, Until::KilledByAll);
            for hit in batch.strike(&live, runs, asked, budget).0 {
                let steps = numbers.iter().zip(hit.steps);
                let steps = steps.filter_map(|(&test, steps)| Some((test, steps?)));
                let own = steps.filter(|&(test, steps)| steps <= tests[test].steps.len());
                found.entry(hit.mutant).or_default().extend(own);
            }
        }
        let of = |mutant: &SelectorId| {
            let mut own = found.get(mutant).cloned().unwrap_or_default();
            own.sort_unstable();
            own
        };
        some.iter().map(of).collect::<Vec<_>>()
    });
    let _waits = budget.waits();
    differing.collect()
}

/// Returns the runs, all with the length of the longest run. Shorter runs repeat their last step.
fn padded<'r>(runs: impl Iterator<Item = &'r Stimulus>) -> Vec<Stimulus> {
    let mut runs: Vec<Stimulus> = runs.cloned().collect();
    let longest = runs.iter().map(|run| run.steps.len()).max().unwrap_or(0);
    for run in &mut runs {
        if let Some(last) = run.steps.last().cloned() {
            run.steps.resize(longest, last);
        }
    }
    runs
}
