//! Planted faults: comparisons with the interpreter must notice every one of them.

use std::cell::Cell;

/// A way in which lowering could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Whether a branch can run through is asked without what follows the choice.
    ChoiceDecidedEarly,
    /// Guards inside of bodies are passed over.
    InnerGuardIgnored,
    /// Values outside of ranges are assigned.
    RangeIgnored,
    /// `//` means `[]`.
    PriorityIgnored,
    /// Some values of parameters are not looked at.
    ValuesLost,
    /// A mutant may refuse what it can do, as the model may.
    MutantRefusesAtWill,
    /// A system may be silent while it can make an output.
    QuiescenceUnchecked,
    /// A system that can make no output has no step while the tester waits.
    QuiescenceForgotten,
}

/// All of them.
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

/// Does something with a fault planted in this thread.
pub fn with<T>(fault: Option<Fault>, does: impl FnOnce() -> T) -> T {
    let before = PLANTED.replace(fault);
    let done = does();
    PLANTED.set(before);
    done
}

/// Whether a fault is planted.
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
