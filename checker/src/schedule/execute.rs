//! The loop that executes a schedule.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use hyperkill_core::budget::{Budget, Stop};

/// The remaining steps of a schedule.
pub struct Turns<S> {
    of: Box<dyn Fn(u32) -> Vec<S>>,
    turn: u32,
    steps: VecDeque<S>,
}

impl<S> Turns<S> {
    /// Returns all steps of a schedule. `of` gives the steps of each turn, counted from 0.
    pub fn new(of: impl Fn(u32) -> Vec<S> + 'static) -> Turns<S> {
        let steps = of(0).into();
        Turns {
            of: Box::new(of),
            turn: 0,
            steps,
        }
    }
}

/// Executes the steps of a schedule, and keeps results from one step to the next.
pub trait Work {
    /// The type of the steps of the schedule.
    type Step;
    /// The type of the answer with which the work ends.
    type Answer;

    /// Whether the step is still useful, given the results so far; others are skipped.
    fn wants(&self, step: &Self::Step) -> bool;

    /// Whether the step is taken even after time is over, because it only completes existing results.
    fn finishes(&self, _: &Self::Step) -> bool {
        false
    }

    /// Takes a step within the budget. Breaks with the answer if that ends the work.
    fn take(&mut self, step: &Self::Step, budget: &Budget) -> ControlFlow<Self::Answer>;

    /// Called after each turn, counted from 0. Breaks with the answer unless another turn may contribute. `stopped` says why the budget
    /// ended the turn early; then no turn follows.
    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Self::Answer>;
}

/// Takes the steps of each turn in order until one breaks with an answer, which it returns. Steps that are not wanted are skipped.
pub fn execute<W: Work>(work: &mut W, turns: &mut Turns<W::Step>, budget: &Budget) -> W::Answer {
    loop {
        while let Some(step) = turns.steps.pop_front() {
            let late = budget.stopped().is_some() && !work.finishes(&step);
            if late || !work.wants(&step) {
                continue;
            }
            if let ControlFlow::Break(answer) = work.take(&step, budget) {
                return answer;
            }
        }
        if let ControlFlow::Break(answer) = work.after(turns.turn, budget.stopped()) {
            return answer;
        }
        turns.turn += 1;
        turns.steps = (turns.of)(turns.turn).into();
    }
}
