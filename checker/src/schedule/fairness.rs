//! Whether a circuit has an infinite run that meets conditions again and again: both questions of reachability that it comes down to, in
//! turns of growing effort.

use super::reachability::Options as Reachability;

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bound, turns and engines of each question of reachability.
    pub reachability: Reachability,
    /// Whether there are conditions. Without them every step meets them all, and counting only notices the end of all runs.
    pub has_conditions: bool,
}

/// A step of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Are the conditions met more than k times (k-liveness)? If so, the run found is led on into a lasso.
    Count(Reachability),
    /// Does a state come back with all conditions met in between (liveness to safety)?
    Close(Reachability),
}

impl Options {
    /// The steps of a turn.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Step> {
        let limited = Reachability {
            turns: Some(turn + 1),
            ..self.reachability
        };
        match self.has_conditions || turn > 0 {
            true => vec![Step::Count(limited), Step::Close(limited)],
            false => vec![Step::Close(limited)],
        }
    }
}
