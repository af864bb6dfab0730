//! The loop that carries a schedule out.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use hyperkill_core::budget::{Budget, Stop};

/// The steps of a schedule that are still to be taken.
pub struct Turns<S> {
    of: Box<dyn Fn(u32) -> Vec<S>>,
    turn: u32,
    steps: VecDeque<S>,
}

impl<S> Turns<S> {
    /// All of them. `of` says which steps there are in each turn, counted from 0.
    pub fn new(of: impl Fn(u32) -> Vec<S> + 'static) -> Turns<S> {
        let steps = of(0).into();
        Turns {
            of: Box::new(of),
            turn: 0,
            steps,
        }
    }
}

/// What takes the steps of a schedule, and keeps what it learns from one to the next.
pub trait Work {
    /// What can be asked of it.
    type Step;
    /// What it leads to.
    type Answer;

    /// Whether the step may lead any further, from what is known so far.
    fn wants(&self, step: &Self::Step) -> bool;

    /// Whether the step is taken even if time is over, since it only finishes what is at hand.
    fn finishes(&self, _: &Self::Step) -> bool {
        false
    }

    /// Takes a step within the budget. Breaks with the answer if that ends the work.
    fn take(&mut self, step: &Self::Step, budget: &Budget) -> ControlFlow<Self::Answer>;

    /// What is answered after a turn, unless the next one may lead further. There is none if it was `stopped`.
    fn after(&mut self, turn: u32, stopped: Option<Stop>) -> ControlFlow<Self::Answer>;
}

/// Takes step after step until there is an answer.
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
