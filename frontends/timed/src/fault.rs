//! Planted faults: comparisons with an oracle, and the checks of evidence, must notice every one of them.

use std::cell::Cell;

/// A way in which zones or searches could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A bound derived from a strict one is not strict.
    ClosureLosesStrictness,
    /// What is below a zone is forgotten when it is taken away.
    SubtractionLacksFace,
    /// A zone is passed over because it includes one that is known.
    InclusionReversed,
    /// The target's invariant is not asked for when an edge is taken.
    TargetInvariantUnchecked,
    /// Whether the model can wait is not asked.
    ModelDelayUnchecked,
    /// An output at the moment of a bad input makes the input harmless.
    OutputExcusesBadInput,
    /// A bad stretch is passed if time is good again behind it.
    DelayJumpsOverBad,
    /// Inputs that lead out of the good states are not looked at.
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
    /// Of many mutants, those that a known zone has nothing to do with are dropped with a zone in it.
    MutantsLostWithZones,
    /// Of many mutants, all are taken for one where their locations differ.
    MutantsNotSplit,
    /// What a test does to one mutant it is said to do to all that start alike.
    MutantsPlayedAlike,
    /// A state is bad if the tester stops time in it.
    TesterBlamesAutomaton,
    /// Waiting where the tester cannot wait is a failure.
    TesterStopsIgnored,
    /// Moves of the tester alone are refused by not doing them.
    TesterRefused,
    /// Where something was seen of a system, it is forgotten when.
    MomentsForgotten,
    /// Each state is said to be related with itself, and nobody looks whether that shows anything.
    IdentityUnchecked,
    /// The same of all good states of the model.
    IdentityOfModel,
    /// Where a system is followed, it is said to take an input if it may take it.
    AskedOnce,
}

/// Those that go wrong where a system is followed.
pub const OF_FOLLOWING: [Fault; 3] = [
    Fault::MomentsForgotten,
    Fault::AskedOnce,
    Fault::UpdatesIgnored,
];

/// Those that go wrong in networks only.
pub const OF_NETWORKS: [Fault; 3] = [
    Fault::TesterBlamesAutomaton,
    Fault::TesterStopsIgnored,
    Fault::TesterRefused,
];

/// Those that go wrong with many mutants only.
pub const OF_FAMILIES: [Fault; 2] = [Fault::MutantsLostWithZones, Fault::MutantsNotSplit];

/// Those that go wrong where a relation is made without a search.
pub const OF_IDENTITY: [Fault; 2] = [Fault::IdentityUnchecked, Fault::IdentityOfModel];

/// All that go wrong with one mutant.
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
