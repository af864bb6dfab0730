//! Decides one reachability question by the engines in the steps of its schedule.
//!
//! All limits of a step count conflicts and gates, so a question has one answer on every machine. Only the budget's clock can end it
//! earlier.

mod attempt;
mod engine;
mod engines;
mod solved;

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;

use crate::external::External;
use crate::question::Reachability;
use crate::schedule::reachability::{MERGING, Options, ReachabilityStep};
use crate::schedule::{Engines, Turns, execute};
use attempt::{Attempt, Ended};
pub use solved::Solved;

/// Decides a question without external model checkers.
#[must_use]
pub fn solve(question: &Reachability, options: &Options, budget: &Budget) -> Solved {
    solve_with(question, options, None, budget)
}

/// Decides a question, with the external model checkers in `others` if any are given. They are not asked about strategies, whose questions
/// have assumptions that hold only before the goal.
#[must_use]
pub fn solve_with(
    question: &Reachability,
    options: &Options,
    others: Option<&External>,
    budget: &Budget,
) -> Solved {
    let others = others.filter(|_| question.before.is_empty());
    let options = Options {
        others: others.is_some(),
        ..*options
    };
    let mut turns = Turns::new(move |turn| options.steps(turn));
    attempt(question, &[], &options, others, &mut turns, budget)
}

/// Takes the remaining steps of the schedule until the question is decided. If one finds a smaller equivalent question, the steps after it
/// work on that one.
fn attempt(
    question: &Reachability,
    known: &[Lit],
    options: &Options,
    others: Option<&External>,
    turns: &mut Turns<ReachabilityStep>,
    budget: &Budget,
) -> Solved {
    let mut work = Attempt::new(question, known, options, others, budget);
    match execute(&mut work, turns, budget) {
        Ended::Solved(solved) => solved,
        Ended::Smaller(smaller) => {
            let (question, known) = (&smaller.question, &smaller.known);
            match attempt(question, known, options, others, turns, budget) {
                Solved::Unreachable(proof) => Solved::Unreachable(smaller.proof(proof)),
                solved => solved,
            }
        }
    }
}

/// Returns a proof by signal correspondence over single steps alone; `None` if there is none. The attempt is cheap in any case.
#[must_use]
pub fn corresponds(question: &Reachability, budget: &Budget) -> Option<Proof> {
    let options = Options {
        engines: Engines::NONE,
        merging: &MERGING[..2],
        turns: Some(1),
        ..Options::UNLIMITED
    };
    match solve(question, &options, budget) {
        Solved::Unreachable(proof) => Some(proof),
        Solved::Reached { .. } | Solved::Open { .. } => None,
    }
}
