//! A formula of the user's: existential traces by expansion, and strategies of the universal ones that copy others.

use super::efforts::{self, Effort};
use super::reachability::Options as Reachability;

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bound, turns and engines.
    pub reachability: Reachability,
}

/// A step of the schedule of a user's formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Universal traces copy existential ones: whether that refutes everything, for each way to copy.
    Copy(Reachability),
    /// Existential traces that withstand all universal ones.
    Expand(Effort),
}

impl Options {
    /// The steps of a turn.
    #[must_use]
    pub fn steps(&self, turn: u32) -> Vec<Step> {
        let engines = self.reachability.engines;
        let mut steps = Vec::new();
        if engines.induction || engines.pdr {
            // Where a run ends a question, somebody withstands the copies, within the bound or not.
            let copies = super::Engines {
                bmc: true,
                ..engines
            };
            let options = Reachability {
                bound: None,
                turns: Some(turn + 1),
                others: false,
                ..self.reachability.with(copies)
            };
            steps.push(Step::Copy(options));
        }
        if engines.bmc || engines.exists_forall {
            let effort = efforts::expansion_of_formula(turn);
            let steps_to = effort
                .steps
                .min(self.reachability.bound.unwrap_or(usize::MAX));
            steps.push(Step::Expand(Effort {
                steps: steps_to,
                ..effort
            }));
        }
        steps
    }
}
