//! Other suites to begin with, for chaos domains: tests of classic methods are complete for these too, and sometimes fewer tests remain of
//! them.

use hyperkill_core::budget::Budget;
use hyperkill_frontend::domain::Cost;

use super::formula::Survivor;
use super::search::{SuiteSearch, Test};
use super::{Stimulus, names, smaller};
use crate::classic::{Everything, Method, suite};

/// The factor by which another suite may exceed the inputs of the first one. Little of a longer one would remain, and only late.
const MOST_TIMES: usize = 6;

/// The number of conflicts of the solver after which a query whether a suite is complete is given up.
const CONFLICTS: u32 = 5_000;

/// Searches for a cheaper complete suite. `all` has all tests from which the tests of the search were selected.
pub(super) fn look(search: &mut SuiteSearch<'_>, all: Vec<Test>, budget: &Budget) {
    let mutation = search.mutation;
    if mutation.pieces.is_some() || !names::is_symmetric(mutation) {
        return;
    }
    let mut best = search.tests.clone();
    search.tests.clone_from(&all);
    smaller::shrink_long_first(search, budget);
    keep_cheaper(search, &mut best);
    let timeouts = mutation.timeouts.iter().flatten();
    let lengths = timeouts.filter_map(|choice| Some(choice.does?.after));
    let everything = Everything {
        states: mutation.states.len(),
        longest: lengths.max().unwrap_or(0),
    };
    // Without timeouts suites are small enough.
    if everything.longest == 0 {
        for method in [Method::Spy, Method::H] {
            let Ok(tests) = suite(search.machine, everything, method, budget) else {
                break;
            };
            begin_with(search, &tests, &mut best, budget);
            add_to(search, (&all, &tests), &mut best, budget);
        }
    }
    search.tests = best;
}

/// Replaces the suite by the initial tests, reduced, if these are complete and cheaper.
pub(super) fn not_more_than(
    search: &mut SuiteSearch<'_>,
    start: &[Vec<Stimulus>],
    budget: &Budget,
) {
    if start.is_empty() {
        return;
    }
    let mut best = std::mem::take(&mut search.tests);
    let before = (search.formula.naming(), search.names.clone());
    let added = start.iter().try_for_each(|test| search.add(test, budget));
    smaller::without_prefixes(search);
    let costs_less = cost(search, &search.tests).0 < cost(search, &best).0;
    let is_taken = added.is_ok() && costs_less && {
        names::name_separated(search);
        matches!(search.survivor(budget), Ok(None)) && {
            smaller::shrink(search, budget);
            keep_cheaper(search, &mut best)
        }
    };
    if !is_taken {
        search.formula.name_again(before.0);
        search.names = before.1;
    }
    search.tests = best;
}

/// Replaces the best suite by all tests together with another suite, reduced, if that is cheaper.
fn add_to(
    search: &mut SuiteSearch<'_>,
    (all, tests): (&[Test], &[Vec<Stimulus>]),
    best: &mut Vec<Test>,
    budget: &Budget,
) {
    search.tests = all.to_vec();
    let mut added = tests.iter().map(|test| search.add(test, budget));
    if added.all(|added| added.is_ok()) {
        smaller::shrink(search, budget);
        keep_cheaper(search, best);
    }
}

/// Replaces the best suite by another suite, reduced, if that is complete and cheaper.
fn begin_with(
    search: &mut SuiteSearch<'_>,
    tests: &[Vec<Stimulus>],
    best: &mut Vec<Test>,
    budget: &Budget,
) {
    let inputs = tests.iter().map(Vec::len).sum::<usize>();
    let known: usize = best.iter().map(|test| test.stimuli.len()).sum();
    if inputs > MOST_TIMES * known {
        return;
    }
    let before = (search.formula.naming(), search.names.clone());
    search.tests.clear();
    let added = tests.iter().try_for_each(|test| search.add(test, budget));
    names::name_separated(search);
    let leaves: Vec<usize> = search.tests.iter().map(|test| test.leaf).collect();
    let is_complete = added.is_ok() && {
        search.questions += 1;
        let found = search.formula.survivor(&leaves, Some(CONFLICTS), budget);
        matches!(found, Survivor::None)
    };
    let is_cheaper = is_complete && {
        smaller::shrink(search, budget);
        keep_cheaper(search, best)
    };
    if !is_cheaper {
        search.formula.name_again(before.0);
        search.names = before.1;
    }
}

/// Replaces the best tests by the tests of the search if these are cheaper. Returns whether they are.
fn keep_cheaper(search: &SuiteSearch<'_>, best: &mut Vec<Test>) -> bool {
    let is_cheaper = cost(search, &search.tests) < cost(search, best);
    if is_cheaper {
        best.clone_from(&search.tests);
    }
    is_cheaper
}

/// Returns the cost of tests: first the cost to minimise, then the number of inputs.
fn cost(search: &SuiteSearch<'_>, tests: &[Test]) -> (u64, u64) {
    let of = |cost: Cost| {
        let each = tests.iter().map(|test| smaller::weight(cost, test));
        each.sum::<u64>()
    };
    (of(search.options.cost), of(Cost::Inputs))
}
