//! Good states: states from which an automaton can avoid inconsistency against every tester (semantics.md §8).
//!
//! They are the greatest fixpoint: no enabled input leaves the set, and time diverges in it or a delay within it reaches an output into it.
//! It is computed from above: bad states are removed until there are none.

use std::collections::BTreeSet;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Atom, Automaton, Edge};

use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;

/// Returns for each location the states within its invariant.
#[must_use]
pub fn invariants(automaton: &Automaton) -> Vec<Federation> {
    let clocks = automaton.clocks.len();
    let locations = 0..automaton.locations.len();
    let states = locations.map(|location| {
        let zone = Zone::universe(clocks).with_all(automaton.invariant(location), 0);
        Federation::of(clocks, zone)
    });
    states.collect()
}

/// Returns the values of clocks for which the comparisons `waits` let the tester wait; `None` if it may always wait.
#[must_use]
pub fn until(clocks: usize, waits: &[Atom]) -> Option<Federation> {
    let zone = || Zone::universe(clocks).with_all(waits, 0);
    (!waits.is_empty()).then(|| Federation::of(clocks, zone()))
}

/// Returns the states that satisfy an edge's guard and from which the edge leads into `target`.
#[must_use]
pub fn enabled_into(edge: &Edge, target: &Federation) -> Federation {
    target.map(|zone| {
        let before = match planted(Fault::UpdatesIgnored) {
            true => zone.clone(),
            false => zone.clone().before(&edge.updates, 0)?,
        };
        before.with_all(&edge.guard, 0)
    })
}

/// A rank of bad states: states of one location that are bad because of states of smaller ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The index of the location.
    pub location: usize,
    /// The states that are bad.
    pub states: Federation,
}

/// The good states of an automaton, and the proof that the other states within its invariants are bad.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The good states of each location.
    pub good: Vec<Federation>,
    /// The bad states by rank.
    pub lost: Vec<Lost>,
}

/// Returns the good states of an automaton, and the bad states by rank.
///
/// # Errors
/// If the budget ends.
pub fn play(automaton: &Automaton, budget: &Budget) -> Result<Game, Stop> {
    let mut good = invariants(automaton);
    let all = good.clone();
    let mut lost = Vec::new();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); automaton.locations.len()];
    for edge in &automaton.edges {
        into[edge.target].push(edge.source);
    }
    // The location with the smallest number comes first: evidence has its ranks in this order, and in no other.
    let mut open: BTreeSet<usize> = (0..automaton.locations.len()).collect();
    while let Some(location) = open.pop_first() {
        budget.check()?;
        let left = step(automaton, location, &all, &good);
        if left.includes(&good[location]) {
            continue;
        }
        lost.push(Lost {
            location,
            states: good[location].minus(&left),
        });
        good[location] = left;
        open.extend(&into[location]);
    }
    Ok(Game { good, lost })
}

/// Returns the good states of an automaton, for each location.
///
/// # Errors
/// If the budget ends.
pub fn good_states(automaton: &Automaton, budget: &Budget) -> Result<Vec<Federation>, Stop> {
    Ok(play(automaton, budget)?.good)
}

/// Returns the states of a location that stay good in one step of the fixpoint. `all` has for each location the states within the
/// invariant, and `good` the good ones so far.
fn step(
    automaton: &Automaton,
    location: usize,
    all: &[Federation],
    good: &[Federation],
) -> Federation {
    let leaving = automaton.leaving(location).map(|(_, edge)| Leaving {
        edge,
        all: &all[edge.target],
        good: &good[edge.target],
    });
    let waits = automaton.tester.waits_in(location);
    lives_on(&good[location], waits, leaving)
}

/// An edge with the states within its target's invariant, and the good ones among them.
pub(crate) struct Leaving<'a> {
    pub(crate) edge: &'a Edge,
    pub(crate) all: &'a Federation,
    pub(crate) good: &'a Federation,
}

/// Returns the states of a location that stay good. `good` are its good states so far, `leaving` its edges with the good states of their
/// targets, and `waits` the limits on the tester's waits there.
pub(crate) fn lives_on<'a>(
    good: &Federation,
    waits: &[Atom],
    leaving: impl Iterator<Item = Leaving<'a>>,
) -> Federation {
    let clocks = good.clocks();
    // States after the tester's longest wait are irrelevant, since time does not reach them.
    let until = until(clocks, waits).filter(|_| !planted(Fault::TesterBlamesAutomaton));
    let within = |set: Federation| match &until {
        Some(until) => set.and(until),
        None => set,
    };
    let not_good = within(good.complement());
    let mut bad = not_good.clone();
    let mut outputs = Federation::empty(clocks);
    for Leaving {
        edge,
        all,
        good: target,
    } in leaving
    {
        if edge.action.is_input {
            let lost = all.minus(target);
            if !planted(Fault::BadInputsIgnored) {
                bad = bad.or(enabled_into(edge, &lost));
            }
        } else {
            let target = match planted(Fault::TargetInvariantUnchecked) {
                true => &Federation::universe(clocks),
                false => target,
            };
            outputs = outputs.or(enabled_into(edge, target));
        }
    }
    if planted(Fault::OutputExcusesBadInput) {
        bad = bad.minus(&outputs).or(not_good);
    }
    let (bad, outputs) = (within(bad), within(outputs));
    let for_ever = match planted(Fault::WaitingAlwaysGood) {
        true => bad.complement(),
        false => bad.down().complement(),
    };
    within(match planted(Fault::OutputNeverEndsWaiting) {
        true => for_ever,
        false => outputs.pred_t(&bad).or(for_ever),
    })
}
