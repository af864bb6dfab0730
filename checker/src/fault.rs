//! Planted faults: the differential tests must catch every one of them, with the certifier and without.
//!
//! A fault is switched on, and the certifier off, per thread and only in builds with the feature `planted-faults`; in all
//! other builds `planted` and `evidence_is_believed` are the constant false.

/// A way in which an engine could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// BMC asks for the goal one step too early.
    OffByOneFrame,
    /// BMC forgets the constraints of the second step.
    ForgottenConstraint,
    /// An uninitialised latch starts at 0 in the unrolling.
    ForgottenFreeReset,
    /// A latch reset to 1 starts at 0 in the unrolling.
    ForgottenReset,
    /// The encoder drops the clause that forces a gate's output up.
    DroppedClause,
    /// The encoder swaps the sign of one operand.
    SwappedLiteral,
    /// Induction skips its base case.
    SkippedBase,
    /// Induction believes candidate facts without checking that they are kept.
    UncheckedFacts,
    /// Simulation ignores constraints.
    UnconstrainedSimulation,
    /// Shortening accepts a test that no longer kills.
    CarelessShortening,
    /// The goal compares all outputs but the last.
    ForgottenOutput,
}

/// All of them.
pub const ALL: [Fault; 11] = [
    Fault::OffByOneFrame,
    Fault::ForgottenConstraint,
    Fault::ForgottenFreeReset,
    Fault::ForgottenReset,
    Fault::DroppedClause,
    Fault::SwappedLiteral,
    Fault::SkippedBase,
    Fault::UncheckedFacts,
    Fault::UnconstrainedSimulation,
    Fault::CarelessShortening,
    Fault::ForgottenOutput,
];

#[cfg(feature = "planted-faults")]
mod switch {
    use super::Fault;
    use std::cell::Cell;

    thread_local! {
        static ON: Cell<Option<Fault>> = const { Cell::new(None) };
        static BELIEVE: Cell<bool> = const { Cell::new(false) };
    }

    /// Switches a fault on for this thread, or all off.
    pub fn plant(fault: Option<Fault>) {
        ON.with(|on| on.set(fault));
    }

    pub(crate) fn planted(fault: Fault) -> bool {
        ON.with(|on| on.get() == Some(fault))
    }

    /// Lets proofs and kills out without a check on this thread, or has them checked again: whether an independent
    /// judge would notice a fault shows only if the certifier does not notice it first.
    pub fn believe_evidence(believe: bool) {
        BELIEVE.with(|on| on.set(believe));
    }

    pub(crate) fn evidence_is_believed() -> bool {
        BELIEVE.with(Cell::get)
    }
}

#[cfg(feature = "planted-faults")]
pub use switch::{believe_evidence, plant};
#[cfg(feature = "planted-faults")]
pub(crate) use switch::{evidence_is_believed, planted};

/// Whether this fault is switched on.
#[cfg(not(feature = "planted-faults"))]
pub(crate) const fn planted(_: Fault) -> bool {
    false
}

/// Whether evidence is let out without a check.
#[cfg(not(feature = "planted-faults"))]
pub(crate) const fn evidence_is_believed() -> bool {
    false
}
