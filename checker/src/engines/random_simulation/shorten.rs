//! Shortens a killing input sequence by removing steps; each lane tries another removal.

use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::fault::{self, Fault};

use super::runner::Pair;
use crate::engines::stimuli::{LANES, Stimuli};

/// Returns the shortest killing sequence found by removing stretches of halving length. It still kills, and only at its last step.
pub(super) fn shorten(pair: &Pair<'_>, mut run: Stimulus, budget: &Budget) -> Stimulus {
    let mut stretch = run.steps.len() / 2;
    while stretch > 0 && budget.stopped().is_none() {
        match best_cut(pair, &run, stretch) {
            Some(shorter) => run = shorter,
            None => stretch /= 2,
        }
        stretch = stretch.min(run.steps.len().saturating_sub(1));
    }
    if fault::planted(Fault::CarelessShortening) && run.steps.len() > 2 {
        run.steps.remove(0);
    }
    run
}

/// Returns the shortest killing sequence that results from removing one stretch of this length; `None` if no result is shorter than `run`.
fn best_cut(pair: &Pair<'_>, run: &Stimulus, stretch: usize) -> Option<Stimulus> {
    let length = run.steps.len();
    let spread = (length / LANES).max(1);
    let cuts: Vec<Stimulus> = (0..length)
        .step_by(stretch.clamp(1, spread.max(stretch / 2).max(1)))
        .take(LANES)
        .filter(|start| start + stretch <= length && stretch < length)
        .map(|start| {
            let mut steps = run.steps.clone();
            steps.drain(start..start + stretch);
            Stimulus {
                initial: run.initial.clone(),
                steps,
            }
        })
        .collect();
    if cuts.is_empty() {
        return None;
    }
    let stimuli = Stimuli::of_lanes(&cuts);
    let (lane, steps) = pair.first_difference(&stimuli)?;
    let mut best = cuts.into_iter().nth(lane)?;
    if steps >= length {
        return None;
    }
    best.steps.truncate(steps);
    Some(best)
}
