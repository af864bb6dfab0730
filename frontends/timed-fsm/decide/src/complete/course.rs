//! The course of the search for a complete suite: first single faults, then surviving implementations, then the reduction of the suite.

use std::collections::BTreeMap;

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::choices::Selection;

use super::outcome::{Shown, Verified};
use super::search::{Compared, SuiteSearch, Test};
use super::{Stimulus, alternatives, extend, names, smaller};
use crate::implementation::{Place, Runs, Single, expected, singles};

/// The number of implementations with one other choice up to which shortest tests are searched for.
const MOST_SINGLES: usize = 5_000;

/// A test and its expected outputs.
type Answered = (Vec<Stimulus>, Vec<usize>);

/// Finds tests until no nonconforming implementation passes all of them, then reduces the tests. `start` has tests to begin with.
pub(super) fn complete(
    search: &mut SuiteSearch<'_>,
    start: &[Vec<Stimulus>],
    budget: &Budget,
) -> Result<(), Stop> {
    for test in start {
        search.add(test, budget)?;
    }
    kill_singles(search, budget)?;
    add_shortest(search, budget)?;
    names::name_states(search, budget)?;
    while let Some((survivor, found)) = search.survivor(budget)? {
        search.kill(&survivor, found, budget)?;
    }
    if !search.options.keep {
        let all = search.tests.clone();
        smaller::shrink(search, budget);
        alternatives::look(search, all, budget);
        alternatives::not_more_than(search, start, budget);
    }
    Ok(())
}

/// Decides whether these tests are complete. States are named as far as the tests separate them, which breaks symmetries.
pub(super) fn verified(
    search: &mut SuiteSearch<'_>,
    tests: &[Vec<Stimulus>],
    budget: &Budget,
) -> Verified {
    for test in tests {
        if let Err(stop) = search.add(test, budget) {
            return Verified::Open(stop);
        }
    }
    names::name_separated(search);
    match search.survivor(budget) {
        Ok(None) => Verified::Complete(Shown {
            classes: std::mem::take(&mut search.classes),
            names: std::mem::take(&mut search.names),
            hull: None,
        }),
        Ok(Some((survivor, test))) => Verified::Survivor(survivor, test),
        Err(stop) => Verified::Open(stop),
    }
}

/// Finds tests for all implementations with one choice different from the specification's.
fn kill_singles(search: &mut SuiteSearch<'_>, budget: &Budget) -> Result<(), Stop> {
    let own = search.mutation.first();
    let mut alive = singles(search.mutation);
    for test in &search.tests {
        budget.check()?;
        keep_alive(search, &own, &mut alive, test);
    }
    let mut next = 0;
    while next < alive.len() {
        budget.check()?;
        let selection = search.implementation(&own, Some(alive[next])).selection();
        let machine = search.mutation.machine(search.machine, &selection);
        let Some(Compared::Differs(test)) = search.difference(&machine, (0, 0), None, budget)?
        else {
            // It conforms, so no test kills it.
            next += 1;
            continue;
        };
        let test = extend::extend(search, test, &own, &alive[next..], budget)?;
        search.add(&test, budget)?;
        if let Some(test) = search.tests.last() {
            keep_alive(search, &own, &mut alive, test);
        }
    }
    Ok(())
}

fn keep_alive(search: &SuiteSearch<'_>, own: &Selection, alive: &mut Vec<Single>, test: &Test) {
    let seen = search.visited(0, &test.stimuli);
    alive.retain(|single| {
        let is_seen = seen.contains(&(single.0, single.1));
        let implementation = search.implementation(own, Some(*single));
        !is_seen
            || implementation
                .passes(0, &test.stimuli, &test.outputs)
                .is_some()
    });
}

/// Adds a shortest test for every implementation with one other choice. Long tests kill them all, but do not locate the fault. Short ones
/// restrict the solver more, and are removed again at the end.
fn add_shortest(search: &mut SuiteSearch<'_>, budget: &Budget) -> Result<(), Stop> {
    let own = search.mutation.first();
    let all = singles(search.mutation);
    if all.len() > MOST_SINGLES {
        return Ok(());
    }
    let mut by_place: BTreeMap<Place, Vec<Answered>> = BTreeMap::new();
    for single in all {
        budget.check()?;
        if search.formula.is_large() {
            return Ok(());
        }
        let place = (single.0, single.1);
        let implementation = search.implementation(&own, Some(single));
        let mut there = by_place.get(&place).into_iter().flatten();
        if there.any(|(test, outputs)| implementation.passes(0, test, outputs).is_none()) {
            continue;
        }
        let selection = implementation.selection();
        let machine = search.mutation.machine(search.machine, &selection);
        let found = search.difference(&machine, (0, 0), None, budget)?;
        let Some(Compared::Differs(test)) = found else {
            continue;
        };
        let Some((outputs, _)) = expected(search.machine, 0, &test) else {
            continue;
        };
        let mut others = search.tests.iter();
        if !others.any(|other| other.stimuli.starts_with(&test)) {
            search.add(&test, budget)?;
        }
        for place in search.visited(0, &test) {
            let there = by_place.entry(place).or_default();
            there.push((test.clone(), outputs.clone()));
        }
    }
    Ok(())
}
