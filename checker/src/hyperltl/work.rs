//! Takes the steps of a formula's schedule, and keeps results between steps.

use std::ops::ControlFlow;

use hyperkill_certify::{CertifyError, certify_end, certify_proof, certify_witness};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::question::Question;

use super::bounded::BoundedSearch;
use super::general::Monitored;
use super::killing::{KillingSearch, Searched};
use super::responses::Responding;
use super::subject::Subject;
use super::{Decided, FormulaError, Shown, Truth};
use crate::schedule::efforts;
use crate::schedule::formulas::{Options, QuestionStep};
use crate::schedule::{Turns, Work, execute};

/// Takes the steps of the schedule until the question is decided or the limits are reached.
///
/// # Errors
/// If the formula mentions names that the model does not have, or evidence does not check.
pub(super) fn decide(
    asked: &Subject<'_>,
    options: &Options,
    budget: &Budget,
) -> Result<Decided, FormulaError> {
    let mut deciding = Deciding {
        asked,
        options,
        killing: (asked.killing.as_ref())
            .map(|killing| KillingSearch::new(asked, killing, options.reachability.bound)),
        bounded: None,
        monitored: None,
        responding: None,
        is_beyond: false,
    };
    let (schedule, kind) = (*options, asked.kind);
    let mut turns = Turns::new(move |turn| schedule.steps(kind, turn));
    execute(&mut deciding, &mut turns, budget)
}

struct Deciding<'a> {
    asked: &'a Subject<'a>,
    options: &'a Options,
    /// The search for traces if the formula's body has the killing shape.
    killing: Option<KillingSearch<'a>>,
    /// The search up to the bound for a formula without alternation, built at first use.
    bounded: Option<BoundedSearch<'a>>,
    /// The search for a formula without alternation, built at first use.
    monitored: Option<Monitored<'a>>,
    /// The search for a formula with one alternation, built at first use.
    responding: Option<Responding<'a>>,
    /// Whether traces beyond the bound have been found that would decide the formula. Then no proof exists.
    is_beyond: bool,
}

/// Returns a value that is computed at first use and then kept in `value`.
fn once<T, E>(value: &mut Option<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&mut T, E> {
    let made = match value.take() {
        Some(value) => value,
        None => make()?,
    };
    Ok(value.insert(made))
}

impl<'a> Deciding<'a> {
    fn responding(&mut self) -> Result<&mut Responding<'a>, FormulaError> {
        Ok(once(&mut self.responding, || Responding::new(self.asked))?)
    }

    fn attempt(
        &mut self,
        step: &QuestionStep,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        match step {
            QuestionStep::Look(effort) | QuestionStep::Expand(effort) => match &mut self.killing {
                Some(search) => {
                    let found = search.expand(effort, budget)?;
                    self.checked(found, budget)
                }
                None => Ok(None),
            },
            QuestionStep::Copy(options) => match &mut self.killing {
                Some(search) => {
                    let found = search.copy(options, budget);
                    self.checked(found, budget)
                }
                None => Ok(None),
            },
            QuestionStep::Bounded(effort) => {
                let search = once(&mut self.bounded, || BoundedSearch::new(self.asked))?;
                search.advance(effort, budget)
            }
            QuestionStep::Monitor(step) => {
                let runs = self.options.of_monitor();
                let monitored = once(&mut self.monitored, || Monitored::new(self.asked, runs))?;
                match monitored.wants(step) {
                    true => monitored.advance(step, budget),
                    false => Ok(None),
                }
            }
            QuestionStep::Steer(steering) => self.responding()?.steer(steering, budget),
            QuestionStep::List(limits) => {
                self.responding()?.list(limits, budget)?;
                Ok(None)
            }
            QuestionStep::Include(limits, runs) => self.responding()?.include(limits, runs, budget),
        }
    }

    /// Returns the answer that a result about a body of the killing shape gives, after its evidence has been checked. `None` without a
    /// result, or if a limit ended the check.
    fn checked(
        &self,
        found: Option<Searched>,
        budget: &Budget,
    ) -> Result<Option<Decided>, FormulaError> {
        let Subject {
            model,
            mutant,
            ref formula,
            kind,
            ..
        } = *self.asked;
        let (checked, truth, shown) = match found {
            None => return Ok(None),
            Some(Searched::Found(witness)) => (
                certify_witness(model, mutant, formula, kind.traces, &witness, budget),
                Truth::Holds,
                Shown::Traces(witness),
            ),
            Some(Searched::Excluded(composed, proof)) => {
                let question = Question::Composed(composed.clone());
                let checked = certify_proof(model, &question, &proof, budget);
                let shown = Shown::Proof(Box::new((composed, proof)));
                (checked, Truth::Fails, shown)
            }
            Some(Searched::Over(steps)) => (
                certify_end(model, mutant, formula, steps, budget),
                Truth::Fails,
                Shown::End(steps),
            ),
        };
        match checked {
            Ok(()) => Ok(Some(Decided {
                truth,
                shown: Some(shown),
            })),
            Err(CertifyError::Stopped(_)) => Ok(None),
            Err(error) => Err(FormulaError::Evidence(error)),
        }
    }

    /// Returns an answer, unless it shows traces of more steps than the bound. Then it is noted that no proof exists.
    fn within_the_bound(&mut self, decided: Decided) -> Option<Decided> {
        let witness = match &decided.shown {
            Some(Shown::Traces(witness)) => witness,
            Some(Shown::Withstood(both)) => &both.0,
            _ => return Some(decided),
        };
        let steps = witness.runs.first().map_or(0, |run| run.steps.len());
        let bound = self.options.reachability.bound;
        let is_within = bound.is_none_or(|bound| steps.max(witness.decided) <= bound);
        self.is_beyond |= !is_within;
        is_within.then_some(decided)
    }

    /// Whether all traces within the bound have been searched.
    fn is_searched(&self) -> bool {
        let Some(bound) = self.options.reachability.bound else {
            return false;
        };
        let killing = self.killing.as_ref();
        match self.asked.kind.alternates {
            false => (self.bounded.as_ref()).is_some_and(|search| search.refuted >= bound),
            true => {
                let responding = self.responding.as_ref();
                responding.is_some_and(Responding::is_searched)
                    || killing.is_some_and(KillingSearch::is_searched)
            }
        }
    }

    fn open(&self, stop: Stop) -> ControlFlow<Result<Decided, FormulaError>> {
        // A bound on short lassos says nothing about the first steps of longer ones.
        let known_to = self.killing.as_ref().map_or(0, KillingSearch::known_to);
        let searched = self.bounded.as_ref().map_or(0, |search| search.refuted);
        let known_to = known_to.max(searched);
        ControlFlow::Break(Ok(Decided {
            truth: Truth::Unknown {
                known_to,
                reason: stop.into(),
            },
            shown: None,
        }))
    }
}

impl Work for Deciding<'_> {
    type Step = QuestionStep;
    type Answer = Result<Decided, FormulaError>;

    fn wants(&self, step: &QuestionStep) -> bool {
        match step {
            QuestionStep::Look(_) | QuestionStep::Expand(_) => {
                self.killing.as_ref().is_some_and(KillingSearch::goes_on)
            }
            // After all traces within the bound have been searched, a proof is tried for a few more turns.
            QuestionStep::Copy(options) => self.killing.as_ref().is_some_and(|search| {
                let is_early = |turns: u32| turns <= efforts::TURNS_BEYOND_THE_BOUND;
                search.may_copy() && (search.goes_on() || options.turns.is_some_and(is_early))
            }),
            QuestionStep::Bounded(_) => !self.is_searched(),
            QuestionStep::Monitor(_) => {
                let over = self.monitored.as_ref().and_then(Monitored::is_over);
                over.is_none() && !self.is_beyond
            }
            QuestionStep::Steer(_) => {
                let responding = self.responding.as_ref();
                responding.is_none_or(|responding| !responding.is_searched())
            }
            QuestionStep::List(_) => self.responding.as_ref().is_none_or(Responding::may_list),
            QuestionStep::Include(..) => {
                let responding = self.responding.as_ref();
                responding.is_some_and(Responding::may_include)
            }
        }
    }

    fn take(&mut self, step: &QuestionStep, budget: &Budget) -> ControlFlow<Self::Answer> {
        match self.attempt(step, budget) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(decided)) => match self.within_the_bound(decided) {
                Some(decided) => ControlFlow::Break(Ok(decided)),
                None => ControlFlow::Continue(()),
            },
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Self::Answer> {
        if let Some(stop) = stopped {
            return self.open(stop);
        }
        let Options { reachability } = self.options;
        // Candidates beyond the bound are found again in each turn.
        let is_beyond = self.is_beyond && self.asked.kind.alternates;
        let given_up = is_beyond && turn + 1 >= efforts::TURNS_BEYOND_THE_BOUND;
        if reachability.is_last(turn) || self.is_searched() || given_up {
            return self.open(Stop::Bound);
        }
        let next = self.options.steps(self.asked.kind, turn + 1);
        if next.iter().any(|step| self.wants(step)) {
            return ControlFlow::Continue(());
        }
        let searches = reachability.engines.bmc || self.is_beyond;
        let bounded = reachability.bound.is_some() && searches;
        self.open(if bounded { Stop::Bound } else { Stop::Engines })
    }
}
