//! Shortens definitely killing inputs by removing steps, one removal per lane, within a limit of evaluated gates.

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;

use super::campaign::Campaign;
use super::circuit::Circuit;
use super::folded::Knowledge;
use crate::engines::stimuli::{LANES, Stimuli};
use crate::schedule::efforts::{FAULT_SHORTENING_GATES, SimulationLimits};

/// Returns the shortest killing sequence found by removing stretches of halving length, as far as that is cheap. It still kills definitely,
/// and only at its last step.
pub(super) fn shorten(
    circuit: &Circuit<'_>,
    mutant: SelectorId,
    mut run: Stimulus,
    budget: &Budget,
) -> Stimulus {
    let mut left = FAULT_SHORTENING_GATES;
    let cost = |run: &Stimulus, gates: usize| (gates * run.steps.len()) as u64;
    if cost(&run, circuit.model.aig.gate_count()) > left {
        // This simulation keeps the values of all nodes; in a large circuit they exceed the cache.
        return run;
    }
    let mut stretch = run.steps.len() / 2;
    while stretch > 0 && budget.stopped().is_none() {
        let price = cost(&run, circuit.gate_count());
        if price > left {
            break;
        }
        left -= price;
        match best_cut(circuit, mutant, &run, stretch, budget) {
            Some(shorter) => run = shorter,
            None => stretch /= 2,
        }
        stretch = stretch.min(run.steps.len().saturating_sub(1));
    }
    run
}

/// Returns the shortest killing sequence that results from removing one stretch of this length; `None` if no result is shorter than `run`.
fn best_cut(
    circuit: &Circuit<'_>,
    mutant: SelectorId,
    run: &Stimulus,
    stretch: usize,
    budget: &Budget,
) -> Option<Stimulus> {
    let length = run.steps.len();
    let apart = (length / LANES).max(stretch / 2).max(1);
    let starts = (0..length).step_by(apart).take(LANES);
    let starts = starts.filter(|start| start + stretch <= length && stretch < length);
    let cut = |start: usize| {
        let mut steps = run.steps.clone();
        steps.drain(start..start + stretch);
        Stimulus {
            initial: run.initial.clone(),
            steps,
        }
    };
    let cuts: Vec<Stimulus> = starts.map(cut).collect();
    if cuts.is_empty() {
        return None;
    }
    let stimuli = Stimuli::of_lanes(&cuts);
    let (struck, _) = Campaign {
        circuit,
        knows: Knowledge::Inputs,
        stimuli: &stimuli,
        limits: SimulationLimits::NONE,
        budget,
    }
    .strike(&[mutant]);
    let struck = struck.first()?;
    let lane = hyperkill_core::sim::words::lanes_of(&struck.lanes).next()?;
    // Unused lanes repeat the first cut.
    let mut best = cuts.into_iter().nth(lane)?;
    best.steps.truncate(struck.steps);
    Some(best)
}
