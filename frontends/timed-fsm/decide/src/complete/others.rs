//! Other suites to begin with, where everything is in a domain: tests of classic methods are complete for that as well, and sometimes fewer
//! tests are left of them.

use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::Cost;

use super::formula::Survivor;
use super::search::{Search, Test};
use super::{Stimulus, names, smaller};
use crate::classic::{Everything, Method, suite};

/// A suite that has so many times as many inputs is not looked at: little of it would be left, and late.
const MOST_TIMES: usize = 6;

/// So hard is thought about whether one is complete.
const CONFLICTS: u32 = 5_000;

/// Looks for a suite that costs less. `all`: the tests of which those that there are were left.
pub(super) fn look(search: &mut Search<'_>, all: Vec<Test>, budget: &Budget) {
    let mutation = search.mutation;
    if mutation.pieces.is_some() || !names::is_symmetric(mutation) {
        return;
    }
    let mut best = search.tests.clone();
    search.tests = all;
    smaller::shrink_long_first(search, budget);
    keep_cheaper(search, &mut best);
    let timeouts = mutation.timeouts.iter().flatten();
    let lengths = timeouts.filter_map(|choice| Some(choice.does?.after));
    let everything = Everything {
        states: mutation.states.len(),
        longest: lengths.max().unwrap_or(0),
    };
    // Without time suites are small enough.
    if everything.longest == 0 {
        for method in [Method::Spy, Method::H] {
            let Ok(tests) = suite(search.machine, everything, method, budget) else {
                break;
            };
            begin_with(search, &tests, &mut best, budget);
        }
    }
    search.tests = best;
}

/// Takes another suite, if it is complete and what is left of it costs less.
fn begin_with(
    search: &mut Search<'_>,
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

/// Whether the tests that there are cost less than the best; then they are.
fn keep_cheaper(search: &Search<'_>, best: &mut Vec<Test>) -> bool {
    let cost = |tests: &[Test]| {
        let asked_for = tests
            .iter()
            .map(|t| smaller::weight(search.options.cost, t));
        let asked_for = asked_for.sum::<u64>();
        let others = tests.iter().map(|test| smaller::weight(Cost::Inputs, test));
        (asked_for, others.sum::<u64>())
    };
    let is_cheaper = cost(&search.tests) < cost(best);
    if is_cheaper {
        best.clone_from(&search.tests);
    }
    is_cheaper
}
