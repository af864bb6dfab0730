//! Planted faults of circuits: the comparison with zones must notice every one of them.

use std::cell::Cell;

/// A way in which a circuit could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Constants of good sets and guards are read as steps instead of units.
    ConstantsInSteps,
    /// A clock stops at the largest constant, so that it is never above it.
    ClocksStopEarly,
    /// Clocks keep their values over updates.
    UpdatesIgnored,
    /// An edge is enabled wherever its location is left.
    GuardsIgnored,
    /// Mutants have the edges that they lack.
    LackingIgnored,
    /// Mutants may wait where the model may wait alone.
    GoodSetsOfModel,
    /// Time may pass in every state.
    WaitingUnchecked,
    /// An output is not forced when time cannot pass.
    NothingForced,
    /// Time passes in a step with an output, too.
    OutputsTakeTime,
    /// The step that refuses an input keeps the successor of the state before it.
    RefusalsForgotten,
    /// The step that refuses an input shows just that.
    RefusalsShown,
    /// The first of several edges with one action is always taken.
    FirstEdgeOnly,
}

/// All of them.
pub const ALL: [Fault; 12] = [
    Fault::ConstantsInSteps,
    Fault::ClocksStopEarly,
    Fault::UpdatesIgnored,
    Fault::GuardsIgnored,
    Fault::LackingIgnored,
    Fault::GoodSetsOfModel,
    Fault::WaitingUnchecked,
    Fault::NothingForced,
    Fault::OutputsTakeTime,
    Fault::RefusalsForgotten,
    Fault::RefusalsShown,
    Fault::FirstEdgeOnly,
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
