//! The trait of engines that decide reachability questions, and what engines pass on to each other.

use std::rc::Rc;

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;

use crate::engines::correspondence::Correspondence;
use crate::engines::induction::Induction;
use crate::question::{Found, Reachability};
use crate::schedule::reachability::Step;

/// What the engines that work on a question share.
pub(super) struct Common<'q> {
    /// The reachability question to decide.
    pub(super) question: &'q Reachability,
    /// Literals of it that are true in every step.
    pub(super) known: &'q [Lit],
    /// Inductive facts (true in every first step and kept by every step), once they have been looked for.
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

/// An engine at work on a reachability question. It keeps what it learns from one step of the schedule to the next.
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
