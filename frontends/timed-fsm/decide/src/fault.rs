//! Planted faults: comparisons and the recheck must detect each of them.

use hyperkill_timed_fsm::choices::MutationMachine;
use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::Machine;
use hyperkill_timed_fsm::pieces::Whole;

/// A bug in the decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An input at the exact time of a timeout precedes it: < for ≤.
    InputBeforeTimeout,
    /// An input does not reset the clock.
    ClockKeptOverInput,
    /// Times of steps are taken for the delays before them.
    StampTakenForDelay,
    /// Delays are examined up to the longest timeout only.
    DelaysToLongestTimeout,
    /// Inputs without a transition of the model are given.
    UndefinedStimulated,
    /// A mutant without an answer passes.
    SilencePasses,
    /// Guards exclude the bound at which they end: < for ≤.
    ClosedBoundTakenForOpen,
    /// No delay represents the times between two units.
    NothingBetweenUnits,
}

/// All faults, except those of guards.
pub const ALL: [Fault; 6] = [
    Fault::InputBeforeTimeout,
    Fault::ClockKeptOverInput,
    Fault::StampTakenForDelay,
    Fault::DelaysToLongestTimeout,
    Fault::UndefinedStimulated,
    Fault::SilencePasses,
];

/// Faults that need guards.
pub const ALL_OF_GUARDS: [Fault; 2] = [Fault::ClosedBoundTakenForOpen, Fault::NothingBetweenUnits];

/// A bug in the search for complete suites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompleteFault {
    /// An input at the exact time of a timeout precedes it: < for ≤.
    InputBeforeTimeout,
    /// An input does not reset the clock of implementations.
    ClockKeptOverInput,
    /// Times of steps are taken for the delays before them.
    StampTakenForDelay,
    /// Timeouts are widened without regard to the specification's clock at their expiry.
    BlocksTooMuch,
    /// States keep their names after the tests that separate them are removed.
    NamesWithoutTests,
    /// A survivor of the hull of a domain is taken for one of the domain.
    HullForDomain,
    /// Guards of the domain exclude the bound at which they end: < for ≤.
    ClosedBoundTakenForOpen,
    /// No delay represents the times between two units.
    NothingBetweenUnits,
    /// Adjacent guards with the same answer are merged before faults apply.
    GuardsMerged,
}

/// All of these, except the two that need names of states, and those of guards.
pub const ALL_COMPLETE: [CompleteFault; 4] = [
    CompleteFault::InputBeforeTimeout,
    CompleteFault::ClockKeptOverInput,
    CompleteFault::StampTakenForDelay,
    CompleteFault::BlocksTooMuch,
];

/// Faults that need guards.
pub const ALL_COMPLETE_OF_GUARDS: [CompleteFault; 2] = [
    CompleteFault::ClosedBoundTakenForOpen,
    CompleteFault::NothingBetweenUnits,
];

/// Returns an interval without the bound at which it ends; `None` if it becomes empty.
fn without_last(during: Interval) -> Option<Interval> {
    let until = during.until.map(|until| until - until % 2);
    Interval::new(during.from, until)
}

/// Returns a machine whose guards exclude the bounds at which they end.
pub(crate) fn open_ends(machine: &Machine) -> Machine {
    let mut open = machine.clone();
    for guarded in open.states.iter_mut().flat_map(|s| s.guarded.values_mut()) {
        let ended = guarded.iter().filter_map(|one| {
            let during = without_last(one.during)?;
            Some(hyperkill_timed_fsm::machine::Guarded { during, ..*one })
        });
        *guarded = ended.collect();
    }
    open
}

/// Returns a domain with a planted fault in its guards; unchanged for other faults. `None` if a timeout is too long.
pub(crate) fn spoil(
    machine: &Machine,
    domain: (Machine, MutationMachine),
    (planted, scale): (Option<CompleteFault>, u32),
) -> Option<(Machine, MutationMachine)> {
    let is_of_guards = planted.is_some_and(|planted| {
        ALL_COMPLETE_OF_GUARDS.contains(&planted) || planted == CompleteFault::GuardsMerged
    });
    if !is_of_guards || domain.1.pieces.is_none() {
        return Some(domain);
    }
    let mut whole = Whole::of(&domain.1);
    if planted == Some(CompleteFault::ClosedBoundTakenForOpen) {
        for classes in whole.answers.iter_mut().flatten() {
            // If a class ends before its bound, the next one begins there.
            for class in classes.iter_mut() {
                class.during.from -= class.during.from % 2;
                class.during.until = class.during.until.map(|until| until - until % 2);
            }
            classes.retain(|class| {
                class
                    .during
                    .until
                    .is_none_or(|until| until > class.during.from)
            });
        }
    }
    if planted == Some(CompleteFault::GuardsMerged) {
        for classes in whole.answers.iter_mut().flatten() {
            classes.dedup_by(|next, last| {
                let is_same = last.group == next.group;
                if is_same {
                    last.during.until = next.during.until;
                }
                is_same
            });
        }
    }
    whole.cut(machine, scale).ok()
}
