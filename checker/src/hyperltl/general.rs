//! Decides formulas without alternation: searches for a fair run of the traces in parallel with a monitor of the body.

use hyperkill_certify::{Beyond, Witness, certify_finite, certify_lassos, leading_back};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_formulas::compose::ComposeError;
use hyperkill_formulas::{Formula, Joint, Traces};

use super::fair::{Fair, FairSearch};
use super::subject::Subject;
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::fairness::FairnessStep;
use crate::schedule::formula_efforts::ROUNDS_OF_LOOP;
use crate::schedule::reachability::Options;

/// The search for traces that satisfy a formula without universal traces.
pub(super) struct Monitored<'a> {
    asked: &'a Subject<'a>,
    joint: Joint,
    search: FairSearch,
}

impl<'a> Monitored<'a> {
    /// Returns a search that has not started.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub(super) fn new(
        asked: &'a Subject<'a>,
        options: Options,
    ) -> Result<Monitored<'a>, ComposeError> {
        let (model, mutant, formula) = (asked.model, asked.mutant, &asked.formula);
        let joint = match asked.kind.traces {
            Traces::Finite => Joint::finite(model, mutant, formula)?,
            Traces::Infinite => Joint::new(model, mutant, formula)?,
        };
        Ok(Monitored {
            asked,
            search: FairSearch::new(joint.fair_runs(), options),
            joint,
        })
    }

    /// Whether a step of the search may decide the question. Without justice conditions every run meets all of them in each step, so
    /// counting only begins after the first turn.
    pub(super) fn wants(&self, step: &FairnessStep) -> bool {
        let has_conditions = !self.joint.demands.justice.is_empty();
        match step {
            FairnessStep::Count(options) => has_conditions || options.turns != Some(1),
            FairnessStep::Close(_) => true,
        }
    }

    /// Returns the reason why more effort would find nothing more; `None` if it may find more.
    pub(super) fn is_over(&self) -> Option<Stop> {
        self.search.is_over()
    }

    /// Takes a step of the search. Returns the answer, if there is one, with checked evidence.
    ///
    /// # Errors
    /// If evidence does not check.
    pub(super) fn advance(
        &mut self,
        step: &FairnessStep,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        let Subject {
            model,
            mutant,
            ref formula,
            ..
        } = *self.asked;
        Ok(match self.search.advance(step, budget)? {
            Some(Fair::Lasso { run, back }) => {
                let witness = match self.asked.kind.traces {
                    Traces::Finite => {
                        let witness = ending(&self.joint, &run);
                        certify_finite(model, mutant, formula, &witness).map(|()| witness)
                    }
                    Traces::Infinite => {
                        let witness = witness(model, formula, &self.joint, &run, back);
                        certify_lassos(model, mutant, formula, &witness).map(|()| witness)
                    }
                };
                Some(Decided {
                    truth: Truth::Holds,
                    shown: Some(Shown::Traces(witness.map_err(FormulaError::Evidence)?)),
                })
            }
            Some(Fair::None(exclusion)) => Some(Decided {
                truth: Truth::Fails,
                shown: Some(Shown::Excluded(exclusion)),
            }),
            Some(Fair::Open { .. }) | None => None,
        })
    }
}

/// Returns the finite traces that a run of the product encodes, one per copy, up to the step at which they end.
pub(super) fn ending(joint: &Joint, run: &Stimulus) -> Witness {
    let steps = joint.length_of(run).unwrap_or(run.steps.len());
    let runs = (0..joint.traces.len()).map(|copy| {
        let mut run = joint.run_of(copy, run);
        run.steps.truncate(steps);
        run
    });
    Witness {
        variants: joint.specs.iter().map(|spec| spec.variant).collect(),
        runs: runs.collect(),
        decided: steps,
        beyond: Beyond::Nothing,
    }
}

/// Returns the infinite traces that a run of the product encodes, one per copy, as lassos. The run loops from step `back` on.
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

/// Repeats the loop of `runs`, which begins at step `back`, until all outputs recur, even those that the formula does not mention. Returns
/// the runs and the first step of the loop, unchanged if the outputs do not recur within the limit.
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
    // One more step shows the state after the last one. Iterations are added until the state at the start of the loop recurs.
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
