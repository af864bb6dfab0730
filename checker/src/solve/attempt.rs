//! The work on one reachability question: the participating engines, and bounded model checking. The latter also serves the other engines:
//! it checks the base case of inductive proofs, and shortens runs.

use std::ops::ControlFlow;

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::proof::Proof;

use super::Solved;
use super::engine::{Common, Progress, ReachabilityEngine};
use super::engines::{Asking, Directing, Inducing, Merging};
use crate::engines::bmc::Bmc;
use crate::engines::correspondence::Correspondence;
use crate::external::External;
use crate::question::{Found, Reachability};
use crate::schedule::Work;
use crate::schedule::efforts::{self, Effort};
use crate::schedule::reachability::{Method, Options, ReachabilityStep};

/// How the work on a question ended.
pub(super) enum Ended {
    /// With an answer, or with none because a limit was reached.
    Solved(Solved),
    /// With a smaller equivalent question; the remaining steps work on that one.
    Smaller(Box<Correspondence>),
}

pub(super) struct Attempt<'q> {
    options: &'q Options,
    common: Common<'q>,
    bmc: Bmc<'q>,
    merging: Merging,
    inducing: Inducing,
    directing: Directing,
    others: Option<Asking<'q>>,
    /// The time limit for the engines of this package until external model checkers have been asked.
    before_others: Option<Budget>,
    /// A proof whose base case (no short run reaches the goal) has not been checked.
    unbased: Option<Proof>,
    /// Whether only a run longer than the bound is known, so that no proof exists.
    vain: bool,
}

impl<'q> Attempt<'q> {
    pub(super) fn new(
        question: &'q Reachability,
        known: &'q [Lit],
        options: &'q Options,
        others: Option<&'q External>,
        budget: &Budget,
    ) -> Attempt<'q> {
        let after = options.asks_others_after();
        let goes_on = after.is_some_and(|turn| !options.is_last(turn));
        Attempt {
            options,
            common: Common {
                question,
                known,
                facts: None,
            },
            bmc: Bmc::new(question),
            merging: Merging,
            inducing: Inducing,
            directing: Directing::default(),
            others: others.map(|others| Asking::new(others, goes_on)),
            before_others: others.map(|_| External::before(budget)),
            unbased: None,
            vain: false,
        }
    }

    fn asks_for(&self, method: Method) -> bool {
        let engines = self.options.engines;
        match method {
            Method::Bmc => engines.bmc,
            Method::Correspondence { .. } => true,
            Method::Facts { .. } | Method::Induction => self.options.inducts() && !self.vain,
            Method::Pdr => engines.pdr && !self.vain && !self.directing.is_over(),
            Method::Others => self.others.as_ref().is_some_and(|others| !others.is_over()),
        }
    }

    /// Returns the length, in steps, up to which no run reaches the goal.
    fn refuted(&self) -> usize {
        self.bmc.refuted().max(self.directing.refuted())
    }

    fn is_within_the_bound(&self, found: &Found) -> bool {
        self.options.bound.is_none_or(|bound| found.steps <= bound)
    }

    fn search(&mut self, effort: &Effort, budget: &Budget) -> Option<Found> {
        let bound = self.options.bound.unwrap_or(usize::MAX);
        let mut effort = *effort;
        effort.steps = effort.steps.min(bound);
        if fault::planted(Fault::SkippedBase) {
            // With this planted fault the base case is skipped, so an early search must not replace it.
            effort.steps = effort.steps.min(efforts::FIRST_SEARCH.steps);
        }
        self.bmc.search(&effort, budget)
    }

    /// Ends the work with a run as the answer, perhaps after bounded search has shortened it; goes on if the run exceeds the bound.
    fn reached(
        &mut self,
        found: Found,
        step: &ReachabilityStep,
        budget: &Budget,
    ) -> ControlFlow<Ended> {
        let before = found.steps - 1;
        let shorter = Effort {
            steps: before,
            ..step.effort
        };
        let shortens = step.method == Method::Pdr && self.options.pace.shortens;
        if shortens
            && self.options.engines.bmc
            && let Some(found) = self.search(&shorter, budget)
        {
            return self.solved_by(found);
        }
        if self.is_within_the_bound(&found) {
            return self.solved_by(found);
        }
        self.vain = true;
        ControlFlow::Continue(())
    }

    fn solved_by(&self, found: Found) -> ControlFlow<Ended> {
        let refuted = self.refuted().min(found.steps - 1);
        ControlFlow::Break(Ended::Solved(Solved::Reached { found, refuted }))
    }

    /// Checks the base case of the proof in `unbased` by bounded search, and ends the work with the proof if it holds.
    fn based(&mut self, effort: &Effort, budget: &Budget) -> ControlFlow<Ended> {
        let Some(proof) = self.unbased.clone() else {
            return ControlFlow::Continue(());
        };
        let base = Effort {
            steps: proof.k,
            gates: usize::MAX,
            ..*effort
        };
        let skips = fault::planted(Fault::SkippedBase);
        if !skips && let Some(found) = self.bmc.search(&base, budget) {
            if self.is_within_the_bound(&found) {
                return self.solved_by(found);
            }
            // The run refutes the proof, but it is longer than the bound, so it is no answer.
            return ControlFlow::Break(Ended::Solved(Solved::Open {
                refuted: self.bmc.refuted(),
                stop: Stop::Bound,
            }));
        }
        if skips || self.bmc.refuted() >= proof.k {
            return ControlFlow::Break(Ended::Solved(Solved::Unreachable(proof)));
        }
        ControlFlow::Continue(())
    }
}

impl Work for Attempt<'_> {
    type Step = ReachabilityStep;
    type Answer = Ended;

    fn wants(&self, step: &ReachabilityStep) -> bool {
        let late = (self.before_others.as_ref()).is_some_and(|before| before.stopped().is_some());
        self.asks_for(step.method) && (step.method == Method::Others || !late)
    }

    fn take(&mut self, step: &ReachabilityStep, budget: &Budget) -> ControlFlow<Ended> {
        let own = match step.method {
            Method::Others => None,
            _ => self.before_others.clone(),
        };
        let budget = own.as_ref().unwrap_or(budget);
        let _finds = budget.finds_by(step.method.engine());
        let engine: &mut dyn ReachabilityEngine = match (step.method, &mut self.others) {
            (Method::Bmc, _) => {
                return match self.search(&step.effort, budget) {
                    Some(found) => self.solved_by(found),
                    None => ControlFlow::Continue(()),
                };
            }
            (Method::Induction, _) if self.unbased.is_some() => {
                return self.based(&step.effort, budget);
            }
            (Method::Correspondence { .. }, _) => &mut self.merging,
            (Method::Facts { .. } | Method::Induction, _) => &mut self.inducing,
            (Method::Pdr, _) => &mut self.directing,
            (Method::Others, Some(others)) => {
                self.before_others = None;
                others
            }
            (Method::Others, None) => return ControlFlow::Continue(()),
        };
        match engine.advance(&mut self.common, step, budget) {
            Progress::Reached(found) => self.reached(found, step, budget),
            Progress::Unreachable(proof) => {
                ControlFlow::Break(Ended::Solved(Solved::Unreachable(proof)))
            }
            Progress::Inductive(proof) => {
                self.unbased = Some(proof);
                self.based(&step.effort, budget)
            }
            Progress::Smaller(smaller) => ControlFlow::Break(Ended::Smaller(smaller)),
            Progress::Open => ControlFlow::Continue(()),
        }
    }

    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Ended> {
        let refuted = self.refuted();
        let over = |stop: Stop| {
            ControlFlow::Break(Ended::Solved(Solved::Open {
                refuted: refuted.min(self.options.bound.unwrap_or(usize::MAX)),
                stop,
            }))
        };
        if let Some(stop) = stopped {
            return over(stop);
        }
        if self.before_others.is_some() {
            return ControlFlow::Continue(());
        }
        let engines = self.options.engines;
        let proves = self.asks_for(Method::Induction) || self.asks_for(Method::Pdr);
        if !engines.bmc && !proves {
            // Whether external model checkers would succeed with more time is unknown.
            let limited = self.vain || self.others.is_some();
            return over(if limited { Stop::Bound } else { Stop::Engines });
        }
        let searched = self.options.bound.is_some_and(|bound| refuted >= bound);
        let goes_on_in_vain = !proves || turn + 1 >= efforts::TURNS_BEYOND_THE_BOUND;
        if self.options.is_last(turn) || (searched && goes_on_in_vain) {
            return over(Stop::Bound);
        }
        ControlFlow::Continue(())
    }
}
