//! The course of the search for a complete suite: single faults first, then whatever survives, then fewer tests.

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::choices::Selection;

use super::implementation::{Runs, Single, singles};
use super::search::{Compared, Search, Test};
use super::{Stimulus, extend, smaller};

/// Finds tests until no implementation that differs passes them all, then fewer of them. `start`: tests to begin with.
pub(super) fn complete(
    search: &mut Search<'_>,
    start: &[Vec<Stimulus>],
    budget: &Budget,
) -> Result<(), Stop> {
    for test in start {
        search.add(test, budget)?;
    }
    kill_singles(search, budget)?;
    while let Some((survivor, found)) = search.survivor(budget)? {
        search.kill(&survivor, found, budget)?;
    }
    if !search.options.keep {
        smaller::shrink(search, budget);
    }
    Ok(())
}

/// Tests for all implementations with one choice that is not the specification's.
fn kill_singles(search: &mut Search<'_>, budget: &Budget) -> Result<(), Stop> {
    let own = search.mutation.first();
    let mut alive = singles(search.mutation);
    for test in &search.tests {
        keep_alive(search, &own, &mut alive, test);
    }
    let mut next = 0;
    while next < alive.len() {
        budget.check()?;
        let selection = search.implementation(&own, Some(alive[next])).selection();
        let machine = search.mutation.machine(search.machine, &selection);
        let Some(Compared::Differs(test)) = search.difference(&machine, (0, 0), None, budget)?
        else {
            // It conforms, and nothing kills it.
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

fn keep_alive(search: &Search<'_>, own: &Selection, alive: &mut Vec<Single>, test: &Test) {
    alive.retain(|single| {
        let implementation = search.implementation(own, Some(*single));
        implementation
            .passes(0, &test.stimuli, &test.outputs)
            .is_some()
    });
}
