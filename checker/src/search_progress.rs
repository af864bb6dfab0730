//! Progress of the search for runs of a mutant: the shortest run found, and the length up to which runs are refuted. Cheap engines pass it
//! on to the engines that decide the mutant alone.

use hyperkill_evidence::verdict::Engine;

use crate::question::Found;

/// The shortest pair of runs so far, and a lower bound on the length of all pairs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Runs that reach the goal, if any are known, and the engine that found them.
    pub found: Option<(Engine, Found)>,
    /// No runs of at most this many steps reach the goal.
    pub refuted: usize,
}

impl Known {
    /// The value of [`Known::refuted`] if no run of any length reaches the goal.
    pub const UNREACHABLE: usize = usize::MAX;

    /// Returns progress with these runs; shorter ones may exist.
    #[must_use]
    pub fn found(engine: Engine, found: Found) -> Known {
        Known {
            found: Some((engine, found)),
            refuted: 0,
        }
    }

    /// Returns the progress without the runs, for want of time to judge them.
    #[must_use]
    pub fn without_run(self) -> Known {
        Known {
            found: None,
            ..self
        }
    }

    /// Returns whether a shortest run is known: every smaller length is refuted.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let found = self.found.as_ref();
        found.is_some_and(|(_, found)| found.steps <= self.refuted.saturating_add(1))
    }

    /// Returns whether the goal is proved unreachable.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.refuted == Known::UNREACHABLE
    }
}
