//! Planted faults: comparisons with the interpreter must detect each of them.

use std::cell::Cell;

/// A bug in lowering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A branch counts as enabled independent of the commands after the choice.
    ChoiceDecidedEarly,
    /// Guards inside of bodies are ignored.
    InnerGuardIgnored,
    /// Values outside of ranges are assigned.
    RangeIgnored,
    /// Prioritised choice (`//`) is treated as plain choice (`[]`).
    PriorityIgnored,
    /// Some values of parameters are not tried.
    ValuesLost,
    /// A mutant may refuse enabled events, as the model may.
    MutantRefusesAtWill,
    /// A system may be quiescent while an output is enabled.
    QuiescenceUnchecked,
    /// A system without an enabled output has no step while the tester waits.
    QuiescenceForgotten,
    /// The first of several enabled transitions is always taken.
    FirstBranch,
    /// `else` is tried before the alternative that it belongs to.
    ElseFirst,
    /// Updates read the values before the step instead of those after earlier updates.
    UpdatesAtOnce,
    /// The parameters of the next event are read.
    OtherParameters,
    /// Variables are shown although only outputs are observed.
    StateShown,
    /// Locations are not compared.
    LocationIgnored,
    /// Places in scripts are computed as if strings had no escapes.
    EscapesIgnored,
    /// Local names are read in scripts of the global context as if the context were local.
    GlobalIgnored,
    /// The actions of a vertex are not executed.
    VertexActionsForgotten,
    /// Walks stay in one model.
    SharedStatesIgnored,
    /// Values outside of ranges are refused although they end runs.
    LeavingDisables,
    /// With `bounded`, a guard is evaluated although an earlier value of the step was outside of its range.
    LeftValueRead,
}

/// Faults that only models of GraphWalker reveal.
pub const OF_WALKS: [Fault; 5] = [
    Fault::EscapesIgnored,
    Fault::GlobalIgnored,
    Fault::VertexActionsForgotten,
    Fault::SharedStatesIgnored,
    Fault::LeavingDisables,
];

/// Faults that only machines reveal.
pub const OF_MACHINES: [Fault; 7] = [
    Fault::FirstBranch,
    Fault::ElseFirst,
    Fault::UpdatesAtOnce,
    Fault::OtherParameters,
    Fault::StateShown,
    Fault::LocationIgnored,
    Fault::LeftValueRead,
];

/// Faults that action systems reveal.
pub const ALL: [Fault; 8] = [
    Fault::ChoiceDecidedEarly,
    Fault::InnerGuardIgnored,
    Fault::RangeIgnored,
    Fault::PriorityIgnored,
    Fault::ValuesLost,
    Fault::MutantRefusesAtWill,
    Fault::QuiescenceUnchecked,
    Fault::QuiescenceForgotten,
];

thread_local! {
    static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Runs a function with a fault planted in this thread.
pub fn with<T>(fault: Option<Fault>, does: impl FnOnce() -> T) -> T {
    let before = PLANTED.replace(fault);
    let done = does();
    PLANTED.set(before);
    done
}

/// Whether this fault is planted in this thread.
#[must_use]
pub fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
