//! Planted faults of priorities and differences of clocks: running the model as it is written must notice every one of them.

use std::cell::Cell;

/// A bug in priorities or differences of clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Comparisons of a difference keep their truth when one clock is set.
    DifferencesKept,
    /// When the second clock of a difference is set, the first is compared in the wrong direction.
    DifferencesTurned,
    /// Priorities are ignored.
    PrioritiesIgnored,
    /// The lower priority goes first.
    PrioritiesReversed,
    /// An edge goes before others where the invariant of its target does not hold, too.
    TargetsIgnored,
}

/// All of them.
pub const ALL: [Fault; 5] = [
    Fault::DifferencesKept,
    Fault::DifferencesTurned,
    Fault::PrioritiesIgnored,
    Fault::PrioritiesReversed,
    Fault::TargetsIgnored,
];

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Returns the result of `does`, which runs with a fault planted in this thread.
pub fn with<T>(fault: Option<Fault>, does: impl FnOnce() -> T) -> T {
    let before = PLANTED.replace(fault);
    let done = does();
    PLANTED.set(before);
    done
}

/// Whether this fault is planted.
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
