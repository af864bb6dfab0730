//! The schedule of the question whether a circuit has a fair infinite run. It reduces to two reachability questions, in turns of growing
//! effort.

use super::reachability::Options as Reachability;

/// The parameters of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bound, turns and engines of each reachability question.
    pub reachability: Reachability,
    /// Whether there are fairness conditions. Without them every step meets them all, and counting only detects that all runs end.
    pub has_conditions: bool,
}

/// A step of the schedule of a question about fair infinite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairnessStep {
    /// k-liveness: are the conditions met more than k times? If so, the run found is extended to a lasso.
    Count(Reachability),
    /// Liveness to safety: does a state recur with all conditions met in between?
    Close(Reachability),
}

impl Options {
    /// Returns the steps of a turn, counted from 0.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<FairnessStep> {
        let limited = Reachability {
            turns: Some(turn + 1),
            ..self.reachability
        };
        match self.has_conditions || turn > 0 {
            true => vec![FairnessStep::Count(limited), FairnessStep::Close(limited)],
            false => vec![FairnessStep::Close(limited)],
        }
    }
}
