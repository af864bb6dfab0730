//! Good states: where an automaton can live on, whatever the tester does (semantics.md §8).
//!
//! The largest set that no enabled input leaves, and in which time passes for ever or a delay inside it reaches an output into it. It is
//! computed from above: bad states are taken away until none is found.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::timed::{Automaton, Edge};

use crate::dbm::Zone;
use crate::fault::{Fault, planted};
use crate::federation::Federation;

/// The states of an automaton that satisfy their invariants.
#[must_use]
pub fn invariants(automaton: &Automaton) -> Vec<Federation> {
    let clocks = automaton.clocks.len();
    let locations = automaton.locations.iter();
    let states = locations.map(|location| {
        let zone = Zone::universe(clocks).with_all(&location.invariant, 0);
        Federation::of(clocks, zone)
    });
    states.collect()
}

/// The states from which an edge leads into a set of its target, guard included.
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

/// The good states of an automaton, for each location.
///
/// # Errors
/// If the budget ends.
pub fn good_states(automaton: &Automaton, budget: &Budget) -> Result<Vec<Federation>, Stop> {
    let mut good = invariants(automaton);
    let all = good.clone();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); automaton.locations.len()];
    for edge in &automaton.edges {
        into[edge.target].push(edge.source);
    }
    let mut open: Vec<usize> = (0..automaton.locations.len()).collect();
    let mut is_open = vec![true; automaton.locations.len()];
    while let Some(location) = open.pop() {
        budget.check()?;
        is_open[location] = false;
        let left = step(automaton, location, &all, &good);
        if left.includes(&good[location]) {
            continue;
        }
        good[location] = left;
        for &source in &into[location] {
            if !std::mem::replace(&mut is_open[source], true) {
                open.push(source);
            }
        }
    }
    Ok(good)
}

/// What is still good of a location if these are the good states.
fn step(
    automaton: &Automaton,
    location: usize,
    all: &[Federation],
    good: &[Federation],
) -> Federation {
    let clocks = automaton.clocks.len();
    let mut bad = good[location].complement();
    let mut outputs = Federation::empty(clocks);
    for (_, edge) in automaton.leaving(location) {
        if edge.action.is_input {
            let lost = all[edge.target].minus(&good[edge.target]);
            if !planted(Fault::BadInputsIgnored) {
                bad = bad.or(enabled_into(edge, &lost));
            }
        } else {
            let target = match planted(Fault::TargetInvariantUnchecked) {
                true => &Federation::universe(clocks),
                false => &good[edge.target],
            };
            outputs = outputs.or(enabled_into(edge, target));
        }
    }
    if planted(Fault::OutputExcusesBadInput) {
        bad = bad.minus(&outputs).or(good[location].complement());
    }
    let for_ever = match planted(Fault::WaitingAlwaysGood) {
        true => bad.complement(),
        false => bad.down().complement(),
    };
    match planted(Fault::OutputNeverEndsWaiting) {
        true => for_ever,
        false => outputs.pred_t(&bad).or(for_ever),
    }
}
