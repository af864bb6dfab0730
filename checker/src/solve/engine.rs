//! What an engine is that decides reachability questions, and what engines tell each other.

use std::rc::Rc;

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;

use crate::engines::correspondence::Correspondence;
use crate::engines::induction::Induction;
use crate::question::{Found, Reachability};
use crate::schedule::reachability::Step;

/// What all engines that work on a question know of it.
pub(super) struct Common<'q> {
    /// The question.
    pub(super) question: &'q Reachability,
    /// Literals of it that are true in every step.
    pub(super) known: &'q [Lit],
    /// Facts that steps keep, once they have been looked for.
    pub(super) facts: Option<Rc<Induction>>,
}

/// What a step has led to.
pub(super) enum Progress {
    /// A run that reaches the goal, not necessarily a shortest one.
    Reached(Found),
    /// No run does. Not yet certified.
    Unreachable(Proof),
    /// No run does, if none of at most `Proof::k` steps does. Not yet certified.
    Inductive(Proof),
    /// A smaller question with the same answer.
    Smaller(Box<Correspondence>),
    /// Nothing; another step with more effort may lead further.
    Open,
}

/// What works on a reachability question. It keeps what it learns from one step of the schedule to the next.
pub(super) trait ReachabilityEngine {
    /// Goes on within the effort of the step.
    fn advance(&mut self, common: &mut Common<'_>, step: &Step, budget: &Budget) -> Progress;

    /// No run of at most this many steps reaches the goal.
    fn refuted(&self) -> usize {
        0
    }

    /// Whether no effort would lead any further.
    fn is_over(&self) -> bool {
        false
    }
}
