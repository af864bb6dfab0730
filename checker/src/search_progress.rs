//! How far the search for runs of a mutant has come: the shortest run found, and the length up to which there is none. Cheaper engines
//! leave it to those that decide the mutant alone.

use hyperkill_evidence::verdict::Engine;

use crate::question::Found;

/// The best pair of runs so far, and a lower bound on the length of any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Runs that reach the goal, if any were seen, and who found them.
    pub found: Option<(Engine, Found)>,
    /// No runs of at most this many steps reach the goal.
    pub refuted: usize,
}

impl Known {
    /// As [`Known::refuted`] of what nothing reaches at all.
    pub const UNREACHABLE: usize = usize::MAX;

    /// Runs of which it is not known whether there are shorter ones.
    #[must_use]
    pub fn found(engine: Engine, found: Found) -> Known {
        Known {
            found: Some((engine, found)),
            refuted: 0,
        }
    }

    /// The same without the runs, for want of time to decide what they show.
    #[must_use]
    pub fn without_run(self) -> Known {
        Known {
            found: None,
            ..self
        }
    }

    /// Whether runs are known than which there are no shorter ones.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let found = self.found.as_ref();
        found.is_some_and(|(_, found)| found.steps <= self.refuted.saturating_add(1))
    }

    /// Whether it is known that nothing is to be found.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.refuted == Known::UNREACHABLE
    }
}
