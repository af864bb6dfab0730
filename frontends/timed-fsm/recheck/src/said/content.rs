//! A machine with its fault domain, as a text defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::{Answer, Machine, Timeout};

/// The number of transitions that are kept, at most.
pub(super) const MAX_KEPT_TRANSITIONS: usize = 4_000_000;

/// The reason why a text is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unread {
    /// The text is no machine.
    Wrong(String),
    /// The domain has too many transitions.
    TooMany,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Wrong(what) => f.write_str(what),
            Unread::TooMany => {
                f.write_str("the domain of faults has more transitions than can be kept")
            }
        }
    }
}

impl Unread {
    pub(super) fn wrong<T>(what: impl Into<String>) -> Result<T, Unread> {
        Err(Unread::Wrong(what.into()))
    }
}

/// The transitions of a state on an input, changed by a fault at some delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Otherwise {
    /// The intervals with their answers; the first one that contains the moment counts. At other moments there is no answer.
    pub(super) stretches: Vec<(Interval, Option<Answer>)>,
    /// The bounds of the delays of the fault.
    pub(super) bounds: Vec<u32>,
}

impl Otherwise {
    pub(super) fn at(&self, moment: u32) -> Option<Answer> {
        let mut met = self
            .stretches
            .iter()
            .filter(|(during, _)| during.holds(moment));
        met.next().and_then(|(_, does)| *does)
    }
}

/// The alternatives of a state on an input, besides the machine's own transition.
#[derive(Clone, Default, Debug)]
pub(super) struct Place {
    /// The alternatives at every delay.
    pub(super) always: BTreeSet<Answer>,
    /// The alternatives at some delays.
    pub(super) faults: Vec<Otherwise>,
}

/// The contents of a text: a machine with its domain of faults.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The machine, with its guards in the order of the text.
    pub(super) machine: Machine,
    /// The names of states: those of the machine, then others.
    pub(super) states: Vec<String>,
    /// The alternatives by state and input.
    pub(super) places: BTreeMap<(usize, usize), Place>,
    /// By state: all timeouts including the machine's own, each with its multiplicity.
    pub(super) timeouts: Vec<BTreeMap<Option<Timeout>, u64>>,
    /// Whether a machine or a fault has a guard.
    pub(super) has_guards: bool,
    /// The number of parts of a unit: 2 if some bound is right after its number.
    pub(super) scale: u32,
    /// The number of transitions that are kept.
    pub(super) kept: usize,
}
