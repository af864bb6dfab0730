//! Formulas of any body over infinite traces, without alternation: the traces side by side with a monitor, and a search for a fair run.

use hyperkill_certify::{Beyond, Witness, certify_finite, certify_lassos, leading_back};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::{Formula, Joint};

use super::fair::{Fair, find_fair_run};
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::formula_efforts::ROUNDS_OF_LOOP;
use crate::schedule::reachability::Options;

/// Decides a formula with existential traces only.
///
/// # Errors
/// If it speaks of what the model does not have, or evidence does not check.
pub(super) fn decide_existential(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let joint = Joint::new(model, mutant, formula)?;
    let found = find_fair_run(&joint.fair_runs(), options, budget)?;
    Ok(match found {
        Fair::Lasso { run, back } => {
            let witness = witness(model, formula, &joint, &run, back);
            certify_lassos(model, mutant, formula, &witness).map_err(FormulaError::Evidence)?;
            Decided {
                truth: Truth::Holds,
                shown: Some(Shown::Traces(witness)),
            }
        }
        Fair::None(exclusion) => Decided {
            truth: Truth::Fails,
            shown: Some(Shown::Excluded(exclusion)),
        },
        Fair::Open { known_to, reason } => Decided {
            truth: Truth::Unknown {
                known_to,
                reason: reason.into(),
            },
            shown: None,
        },
    })
}

/// Decides a formula with existential traces only, over finite ones.
///
/// # Errors
/// As [`decide_existential`].
pub(super) fn decide_finite(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let joint = Joint::finite(model, mutant, formula)?;
    let found = find_fair_run(&joint.fair_runs(), options, budget)?;
    let (truth, shown) = match found {
        Fair::Lasso { run, .. } => {
            let steps = joint.length_of(&run).unwrap_or(run.steps.len());
            let runs = (0..joint.traces.len()).map(|copy| {
                let mut run = joint.run_of(copy, &run);
                run.steps.truncate(steps);
                run
            });
            let witness = Witness {
                variants: joint.specs.iter().map(|spec| spec.variant).collect(),
                runs: runs.collect(),
                decided: steps,
                beyond: Beyond::Nothing,
            };
            certify_finite(model, mutant, formula, &witness).map_err(FormulaError::Evidence)?;
            (Truth::Holds, Some(Shown::Traces(witness)))
        }
        Fair::None(exclusion) => (Truth::Fails, Some(Shown::Excluded(exclusion))),
        // That no lasso is short says nothing about lengths.
        Fair::Open { reason, .. } => {
            let reason = reason.into();
            let known_to = 0;
            (Truth::Unknown { known_to, reason }, None)
        }
    };
    Ok(Decided { truth, shown })
}

/// The traces of the copies in a run of the whole.
pub(super) fn witness(
    model: &ConditionalMutant,
    formula: &Formula,
    joint: &Joint,
    run: &Stimulus,
    back: usize,
) -> Witness {
    let copies = 0..joint.traces.len();
    let variants: Vec<Variant> = joint.specs.iter().map(|spec| spec.variant).collect();
    let runs: Vec<Stimulus> = copies.map(|copy| joint.run_of(copy, run)).collect();
    let (runs, back) = closed(model, formula, &variants, runs, back);
    Witness {
        variants,
        decided: runs.first().map_or(1, |run| run.steps.len()),
        runs,
        beyond: Beyond::Loop(back),
    }
}

/// The same traces, their loop taken so often that outputs repeat which the formula does not mention, too.
fn closed(
    model: &ConditionalMutant,
    formula: &Formula,
    variants: &[Variant],
    mut runs: Vec<Stimulus>,
    back: usize,
) -> (Vec<Stimulus>, usize) {
    let original = (runs.clone(), back);
    let steps = runs.first().map_or(0, |run| run.steps.len());
    let period = steps.saturating_sub(back);
    if period == 0 {
        return original;
    }
    let watched: Vec<Vec<usize>> = variants
        .iter()
        .map(|&variant| leading_back(model, formula, variant))
        .collect();
    // One step more shows the state behind the last one; rounds are added until a state at the loop's beginning was there before.
    let mut rounds = 1;
    loop {
        let mut longer = runs.clone();
        for run in &mut longer {
            let first = run.steps[back].clone();
            run.steps.push(first);
        }
        let states: Option<Vec<Vec<Vec<bool>>>> = longer
            .iter()
            .zip(variants)
            .map(|(run, &variant)| replay(model, variant, run).ok().map(|trace| trace.states))
            .collect();
        let Some(states) = states else {
            return original;
        };
        let at = |round: usize| -> Vec<bool> {
            let places = states.iter().zip(&watched);
            places
                .flat_map(|(states, watched)| {
                    let state = &states[back + round * period];
                    watched.iter().map(|&latch| state[latch])
                })
                .collect()
        };
        let end = at(rounds);
        if let Some(round) = (0..rounds).find(|&round| at(round) == end) {
            return (runs, back + round * period);
        }
        if rounds * 2 * period > ROUNDS_OF_LOOP {
            return original;
        }
        for run in &mut runs {
            let once = run.steps[back..].to_vec();
            run.steps.extend(once);
        }
        rounds *= 2;
    }
}
