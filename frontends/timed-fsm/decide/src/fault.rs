//! Planted faults: comparisons and the recheck must notice every one of them.

/// A way in which deciding could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An input at the very moment of a timeout comes before it: < for ≤.
    InputBeforeTimeout,
    /// An input does not reset the clock.
    ClockKeptOverInput,
    /// The stamps of steps are the delays before them.
    StampTakenForDelay,
    /// Delays are looked at up to the longest timeout only.
    DelaysToLongestTimeout,
    /// Inputs of which the model says nothing are given.
    UndefinedStimulated,
    /// A mutant that does not answer passes.
    SilencePasses,
}

/// All of them.
pub const ALL: [Fault; 6] = [
    Fault::InputBeforeTimeout,
    Fault::ClockKeptOverInput,
    Fault::StampTakenForDelay,
    Fault::DelaysToLongestTimeout,
    Fault::UndefinedStimulated,
    Fault::SilencePasses,
];

/// A way in which finding complete suites could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompleteFault {
    /// An input at the very moment of a timeout comes before it: < for ≤.
    InputBeforeTimeout,
    /// An input does not reset the clock of implementations.
    ClockKeptOverInput,
    /// The stamps of steps are the delays before them.
    StampTakenForDelay,
    /// Timeouts are widened without a look at the specification's clock when they expire.
    BlocksTooMuch,
    /// States keep their names when the tests that separate them have gone.
    NamesWithoutTests,
    /// What survives of the hull of a domain is said to be of the domain, without a look.
    HullForDomain,
}

/// All of those, but the two that need names of states.
pub const ALL_COMPLETE: [CompleteFault; 4] = [
    CompleteFault::InputBeforeTimeout,
    CompleteFault::ClockKeptOverInput,
    CompleteFault::StampTakenForDelay,
    CompleteFault::BlocksTooMuch,
];
