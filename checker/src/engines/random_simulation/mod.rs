//! Random simulation: compares runs of model and mutant on the same random inputs. It is cheap and finds most kills.
//!
//! Many stimuli run against one mutant at a time (one stimulus per lane), both copies with the same inputs *and* choices. The result is a
//! pair of runs, whose strength as a kill `decide` determines. Tests found are shortened, and run on other mutants (one mutant per lane).

mod dropping;
mod runner;
mod shorten;

pub use crate::schedule::efforts::RandomRuns;
pub use dropping::{drop_onto, kill_matrix};

use rayon::prelude::*;

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};

use crate::engines::fault_simulation::first_differences;
use crate::engines::stimuli::{LANES, Stimuli};
use crate::question::Found;
use crate::schedule::efforts::SIMULATION;
use crate::schedule::engine_efforts::{
    RANDOM_GATE_STEPS, RANDOM_RUNS, RESTING_GATE_STEPS, RESTING_INPUT_STEPS,
    RESTING_KEPT_GATE_STEPS, RESTING_KEPT_STEPS,
};
use runner::{Pair, Runner};

/// Returns the number of steps of a random stimulus for this model: as the effort says, but fewer for large models or a smaller `bound`.
fn affordable(effort: &RandomRuns, model: &ConditionalMutant, bound: Option<usize>) -> usize {
    let gates = model.aig.gate_count().max(1);
    let affordable = match effort.rests {
        true => {
            let inputs = model.aig.inputs().len().max(1);
            (RESTING_GATE_STEPS / gates).min(RESTING_INPUT_STEPS / inputs)
        }
        false => (RANDOM_GATE_STEPS / gates).max(1024),
    };
    effort
        .steps
        .min(affordable)
        .min(bound.unwrap_or(usize::MAX))
}

/// Returns a few pairs of runs of original and mutant on common random inputs and choices, with different outputs somewhere. Each pair is
/// as long as both runs survive; the longest are returned.
#[must_use]
pub fn surviving(
    model: &ConditionalMutant,
    mutant: SelectorId,
    effort: &RandomRuns,
    seed: u64,
    bound: Option<usize>,
) -> Vec<[Stimulus; 2]> {
    let steps = affordable(effort, model, bound);
    let stimuli = Stimuli::random(model, steps, effort, seed);
    let original = Runner::new(model, Variant::Original);
    let mutated = Runner::new(model, Variant::Mutant(mutant));
    let pair = Pair {
        original: &original,
        mutant: &mutated,
    };
    let mut lanes = pair.differing(&stimuli);
    lanes.sort_by_key(|&(lane, steps)| (std::cmp::Reverse(steps), lane));
    let longest = lanes.first().map_or(0, |&(_, steps)| steps);
    lanes
        .into_iter()
        .filter(|&(_, steps)| steps == longest)
        .step_by(LANES / RANDOM_RUNS)
        .map(|(lane, steps)| {
            let run = stimuli.lane(lane, steps);
            [run.clone(), run]
        })
        .collect()
}

/// Returns two random runs of a variant that have the same inputs and different outputs at the last step; `None` if none are found.
#[must_use]
pub fn answers_differently(
    model: &ConditionalMutant,
    variant: Variant,
    effort: &RandomRuns,
) -> Option<[Stimulus; 2]> {
    let steps = affordable(effort, model, None);
    let stimuli = Stimuli::random(model, steps, effort, 0);
    let mut other = Stimuli::random(model, steps, effort, 1);
    for (step, other) in stimuli.steps.iter().zip(&mut other.steps) {
        for bit in model.input_bits() {
            other[bit] = step[bit];
        }
    }
    let runner = Runner::new(model, variant);
    let expected = runner.run(&stimuli);
    let (lane, steps) = runner.first_difference(&other, &expected)?;
    Some([stimuli.lane(lane, steps), other.lane(lane, steps)])
}

/// Returns the limit on the steps of all kills of long runs that are kept at once: by memory, and by the time of their replays.
fn kept_steps(model: &ConditionalMutant) -> usize {
    RESTING_KEPT_STEPS.min(RESTING_KEPT_GATE_STEPS / model.aig.gate_count().max(1))
}

/// Returns the first of these kills: as many as the memory for their runs allows.
fn kept(
    differing: Vec<(SelectorId, usize, usize)>,
    model: &ConditionalMutant,
    effort: &RandomRuns,
) -> Vec<(SelectorId, usize, usize)> {
    let mut left = if effort.rests {
        kept_steps(model)
    } else {
        usize::MAX
    };
    let kept = differing.into_iter().take_while(|(_, _, steps)| {
        let fits = left > 0;
        left = left.saturating_sub(*steps);
        fits
    });
    kept.collect()
}

/// The mutants that a round of random simulation kills.
#[derive(Clone, Debug, Default)]
pub struct Kills {
    /// The killed mutants, ascending, each with a pair of runs that differ at the last step.
    pub found: Vec<(SelectorId, Found)>,
}

impl Kills {
    /// Whether further mutants may be killed by the same runs, which had no place beside these kills.
    #[must_use]
    pub fn are_cut(
        found: &[(SelectorId, Found)],
        model: &ConditionalMutant,
        effort: &RandomRuns,
    ) -> bool {
        let steps: usize = found.iter().map(|(_, found)| found.steps).sum();
        effort.rests && steps >= kept_steps(model)
    }

    /// Runs random stimuli against each of the mutants, and returns those that they kill. Tests longer than `bound` do not count.
    #[must_use]
    pub fn search(
        model: &ConditionalMutant,
        mutants: &[SelectorId],
        effort: &RandomRuns,
        seed: u64,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Kills {
        let steps = affordable(effort, model, bound);
        let is_longer = SIMULATION.iter().all(|earlier| earlier.steps < steps);
        if effort.rests && !is_longer {
            return Kills::default();
        }
        let stimuli = Stimuli::random(model, steps, effort, seed);
        let original = Runner::new(model, Variant::Original);
        let differing = first_differences(model, mutants, &stimuli, effort.limits, budget);
        let gates = model.aig.gate_count();
        let differing = kept(differing, model, effort);
        let heading = budget.heading();
        let _waits = budget.waits();
        let found = differing
            .into_par_iter()
            .map(|(mutant, lane, steps)| {
                let _helps = budget.helps(heading.as_ref());
                let mutated = Runner::new(model, Variant::Mutant(mutant));
                let run = stimuli.lane(lane, steps);
                let pair = Pair {
                    original: &original,
                    mutant: &mutated,
                };
                let is_long = effort.rests && steps.saturating_mul(gates) > RANDOM_GATE_STEPS;
                let run = match is_long {
                    true => run,
                    false => shorten::shorten(&pair, run, budget),
                };
                let found = Found {
                    steps: run.steps.len(),
                    runs: vec![run.clone(), run],
                };
                (mutant, found)
            })
            .collect();
        Kills { found }
    }
}
