//! Progress of the search for runs of a mutant: the shortest run found, and the length up to which runs are refuted. Cheap engines pass it
//! on to the engines that decide the mutant alone.

use hyperkill_evidence::verdict::Engine;

use crate::question::Found;

/// The progress of a question about a mutant: the shortest runs to the goal found so far, and a length up to which there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Runs that reach the goal, if any are known, and the engine that found them.
    pub found: Option<(Engine, Found)>,
    /// The length, in steps, up to which no runs reach the goal.
    pub refuted: usize,
}

impl Known {
    /// The value of [`Known::refuted`] if no run of any length reaches the goal.
    pub const UNREACHABLE: usize = usize::MAX;

    /// Returns the progress with these runs; shorter ones are not refuted.
    #[must_use]
    pub fn found(engine: Engine, found: Found) -> Known {
        Known {
            found: Some((engine, found)),
            refuted: 0,
        }
    }

    /// Returns the progress without the runs, which there is no time to judge.
    #[must_use]
    pub fn without_run(self) -> Known {
        Known {
            found: None,
            ..self
        }
    }

    /// Returns the progress of two searches for the same mutant, with the shorter of their runs.
    #[must_use]
    pub fn joined(self, other: Known) -> Known {
        let found = self.found.into_iter().chain(other.found);
        Known {
            found: found.min_by_key(|(_, found)| found.steps),
            refuted: self.refuted.max(other.refuted),
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
