//! The trait of engines that decide reachability questions, and the results that engines share.

use std::rc::Rc;

use hyperkill_core::Lit;
use hyperkill_core::budget::Budget;
use hyperkill_evidence::proof::Proof;

use crate::engines::correspondence::Correspondence;
use crate::engines::induction::Induction;
use crate::question::{Found, Reachability};
use crate::schedule::reachability::ReachabilityStep;

/// The state shared by the engines that work on a question.
pub(super) struct Common<'q> {
    /// The reachability question to decide.
    pub(super) question: &'q Reachability,
    /// Literals of the question that are known to be true in every step.
    pub(super) known: &'q [Lit],
    /// The inductive facts (true in every first step and kept by every step), once they have been searched.
    pub(super) facts: Option<Rc<Induction>>,
}

/// The result of a step of an engine.
pub(super) enum Progress {
    /// A run that reaches the goal, not necessarily a shortest one.
    Reached(Found),
    /// No run reaches the goal. Not yet certified.
    Unreachable(Proof),
    /// No run reaches the goal, provided that none of at most `Proof::k` steps does. Not yet certified.
    Inductive(Proof),
    /// A smaller question with the same answer.
    Smaller(Box<Correspondence>),
    /// No result; another step with more effort may have one.
    Open,
}

/// An engine that works on a reachability question. It keeps its results from one step of the schedule to the next.
pub(super) trait ReachabilityEngine {
    /// Continues the engine's work on the question within the effort of the step.
    fn advance(
        &mut self,
        common: &mut Common<'_>,
        step: &ReachabilityStep,
        budget: &Budget,
    ) -> Progress;

    /// Returns the length, in steps, up to which the engine has found that no run reaches the goal.
    fn refuted(&self) -> usize {
        0
    }

    /// Whether the engine has ended, so that more effort would have no result.
    fn is_over(&self) -> bool {
        false
    }
}
