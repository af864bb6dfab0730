//! Planted faults: comparisons with an oracle, and the checks of evidence, must notice every one of them.

use std::cell::Cell;

/// A way in which zones or searches could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A bound derived from a strict one is not strict.
    ClosureLosesStrictness,
    /// Subtraction of a zone omits the part below it.
    SubtractionLacksFace,
    /// A zone is dropped because it includes a known zone.
    InclusionReversed,
    /// An edge is taken without the target's invariant.
    TargetInvariantUnchecked,
    /// Silence of the mutant counts as allowed, although the model cannot wait so long.
    ModelDelayUnchecked,
    /// An output at the moment of a bad input makes the input harmless.
    OutputExcusesBadInput,
    /// Time passes over bad states if states behind them are good again.
    DelayJumpsOverBad,
    /// Inputs that leave the good states are ignored.
    BadInputsIgnored,
    /// Time must go on for ever: no output ends waiting.
    OutputNeverEndsWaiting,
    /// Waiting without end is always good.
    WaitingAlwaysGood,
    /// Inputs that the mutant refuses are passed over.
    RefusalsIgnored,
    /// Outputs of the mutant that the model lacks are passed over.
    OutputsIgnored,
    /// Clocks keep their values over updates.
    UpdatesIgnored,
    /// Only the first edge of the mutant for an action is followed.
    FirstEdgeOnly,
    /// Extrapolation uses constants that are too small by one.
    ConstantsTooSmall,
    /// The mutant's moves out of its good states are followed.
    MutantNotPruned,
    /// The model's moves out of its good states are taken for possible.
    ModelNotPruned,
    /// With many mutants, a zone is dropped for all of its mutants if a known zone includes it, even a zone of other mutants.
    MutantsLostWithZones,
    /// With many mutants, differences of their locations are ignored.
    MutantsNotSplit,
    /// The result of a test on one mutant is used for all mutants that start alike.
    MutantsPlayedAlike,
    /// A state is bad if the tester stops time in it.
    TesterBlamesAutomaton,
    /// Waiting where the tester cannot wait is a failure.
    TesterStopsIgnored,
    /// Moves of the tester alone are refused by not doing them.
    TesterRefused,
    /// The times of events seen of a system are ignored.
    MomentsForgotten,
    /// The identity relation is used without checking that it proves refinement.
    IdentityUnchecked,
    /// The identity relation contains all good states of the model, instead of states that are good in both.
    IdentityOfModel,
    /// A system that is followed counts as accepting an input if only some possible states accept it.
    AskedOnce,
}

/// Faults that occur only when a system is followed.
pub const OF_FOLLOWING: [Fault; 3] = [
    Fault::MomentsForgotten,
    Fault::AskedOnce,
    Fault::UpdatesIgnored,
];

/// Faults that occur only in networks.
pub const OF_NETWORKS: [Fault; 3] = [
    Fault::TesterBlamesAutomaton,
    Fault::TesterStopsIgnored,
    Fault::TesterRefused,
];

/// Faults that occur only with many mutants.
pub const OF_FAMILIES: [Fault; 2] = [Fault::MutantsLostWithZones, Fault::MutantsNotSplit];

/// Faults that occur only when a relation is made without a search.
pub const OF_IDENTITY: [Fault; 2] = [Fault::IdentityUnchecked, Fault::IdentityOfModel];

/// Faults that occur with a single mutant.
pub const ALL: [Fault; 17] = [
    Fault::ClosureLosesStrictness,
    Fault::SubtractionLacksFace,
    Fault::InclusionReversed,
    Fault::TargetInvariantUnchecked,
    Fault::ModelDelayUnchecked,
    Fault::OutputExcusesBadInput,
    Fault::DelayJumpsOverBad,
    Fault::BadInputsIgnored,
    Fault::OutputNeverEndsWaiting,
    Fault::WaitingAlwaysGood,
    Fault::RefusalsIgnored,
    Fault::OutputsIgnored,
    Fault::UpdatesIgnored,
    Fault::FirstEdgeOnly,
    Fault::ConstantsTooSmall,
    Fault::MutantNotPruned,
    Fault::ModelNotPruned,
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

/// Whether this fault is planted.
pub(crate) fn planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
