//! Planted faults of networks: walking through regions must notice every one of them.

use std::cell::Cell;

/// A bug in the automaton of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The receiver's updates are made before the sender's.
    ReceiverFirst,
    /// Committed locations do not block other processes.
    CommittedIgnored,
    /// A process that could receive a broadcast may leave it.
    BroadcastLeft,
    /// An output without a receiver is made.
    BlockedMade,
    /// Guards of receivers are ignored.
    ReceiversUnguarded,
    /// Labels do not say which edges the other processes take.
    WaysMixed,
    /// Data that the process under test writes for others are invisible.
    EffectsUnseen,
    /// A clock that is set to the value that it has is seen to change.
    EffectsOfNothing,
    /// Time may pass before written data are visible.
    EffectsLate,
    /// Steps on urgent channels may wait.
    UrgentIgnored,
    /// Time that others stop by their locations and channels is stopped by the process under test.
    OthersStopForTested,
    /// The process under test has to keep the invariants of others.
    InvariantsOwed,
    /// Other processes with the same template mutate too.
    OthersMutate,
}

/// All of them.
pub const ALL: [Fault; 13] = [
    Fault::ReceiverFirst,
    Fault::CommittedIgnored,
    Fault::BroadcastLeft,
    Fault::BlockedMade,
    Fault::ReceiversUnguarded,
    Fault::WaysMixed,
    Fault::EffectsUnseen,
    Fault::EffectsOfNothing,
    Fault::EffectsLate,
    Fault::UrgentIgnored,
    Fault::OthersStopForTested,
    Fault::InvariantsOwed,
    Fault::OthersMutate,
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
