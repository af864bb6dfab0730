//! Decides formulas without alternation: searches for a fair run of the traces in parallel with a monitor of the body.

use hyperkill_certify::{Beyond, Witness, certify_finite, certify_lassos, deciding, leading_back};
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
                        let witness = witness(model, formula, &self.joint, (&run, back), None);
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

/// Returns the infinite traces that a run of the product encodes, one per copy, as lassos of at most `most` steps, if possible. The run
/// loops from step `back` on.
pub(super) fn witness(
    model: &ConditionalMutant,
    formula: &Formula,
    joint: &Joint,
    (run, back): (&Stimulus, usize),
    most: Option<usize>,
) -> Witness {
    let copies = 0..joint.traces.len();
    let variants: Vec<Variant> = joint.specs.iter().map(|spec| spec.variant).collect();
    let runs: Vec<Stimulus> = copies.map(|copy| joint.run_of(copy, run)).collect();
    lassos(model, formula, variants, (runs, back), most)
}

/// Returns these runs, one for each variant, as lassos that loop from step `back` on. They are read with a longer stem or loop until the
/// latches recur on which the formula depends. They have at most `most` steps, if possible.
pub(super) fn lassos(
    model: &ConditionalMutant,
    formula: &Formula,
    variants: Vec<Variant>,
    (runs, back): (Vec<Stimulus>, usize),
    most: Option<usize>,
) -> Witness {
    let lasso = Lasso {
        model,
        variants: &variants,
        runs: &runs,
        back,
    };
    // Also outputs that the formula does not mention recur, if they do soon.
    let most = most.unwrap_or(usize::MAX);
    let closed = (lasso.closed(most, |variant| leading_back(model, formula, variant)))
        .or_else(|| lasso.closed(usize::MAX, |variant| deciding(model, formula, variant)));
    let (runs, back) = closed.unwrap_or((runs, back));
    Witness {
        variants,
        decided: runs.first().map_or(1, |run| run.steps.len()),
        runs,
        beyond: Beyond::Loop(back),
    }
}

/// Runs of a model, one for each variant, that repeat their inputs from step `back` on.
struct Lasso<'a> {
    model: &'a ConditionalMutant,
    variants: &'a [Variant],
    runs: &'a [Stimulus],
    back: usize,
}

impl Lasso<'_> {
    /// Repeats the loop until the latches that `watched` gives for each variant recur. Returns the runs and the first step of the loop;
    /// `None` if the latches do not recur within `most` steps.
    fn closed(
        &self,
        most: usize,
        watched: impl Fn(Variant) -> Vec<usize>,
    ) -> Option<(Vec<Stimulus>, usize)> {
        let watched: Vec<Vec<usize>> = self.variants.iter().map(|&of| watched(of)).collect();
        let mut runs = self.runs.to_vec();
        let period = runs.first()?.steps.len().checked_sub(self.back)?;
        if period == 0 {
            return None;
        }
        // One more step shows the state after the last one. Iterations are added until the state at the start of the loop recurs.
        let mut rounds = 1;
        loop {
            let states = self.at_the_starts_of(rounds, period, &runs, &watched)?;
            if let Some(round) = (0..rounds).find(|&round| states[round] == states[rounds]) {
                return Some((runs, self.back + round * period));
            }
            let longer = 2 * rounds * period;
            if longer > ROUNDS_OF_LOOP || self.back + longer > most {
                return None;
            }
            for run in &mut runs {
                let once = run.steps[self.back..].to_vec();
                run.steps.extend(once);
            }
            rounds *= 2;
        }
    }

    /// Returns the values of the watched latches of all runs before each of `rounds` iterations and after the last; `None` if a run does
    /// not fit the model.
    fn at_the_starts_of(
        &self,
        rounds: usize,
        period: usize,
        runs: &[Stimulus],
        watched: &[Vec<usize>],
    ) -> Option<Vec<Vec<bool>>> {
        let mut starts = vec![Vec::new(); rounds + 1];
        for ((run, &variant), watched) in runs.iter().zip(self.variants).zip(watched) {
            let mut run = run.clone();
            let first = run.steps[self.back].clone();
            run.steps.push(first);
            let states = replay(self.model, variant, &run).ok()?.states;
            for (round, start) in starts.iter_mut().enumerate() {
                let state = &states[self.back + round * period];
                start.extend(watched.iter().map(|&latch| state[latch]));
            }
        }
        Some(starts)
    }
}
