//! Fewer and shorter tests that are still complete: each removal is confirmed.

use hyperkill_core::budget::Budget;

use super::formula::Survivor;
use super::search::Search;

/// A removal about which the solver would have to think longer is not made.
const CONFLICTS: u32 = 20_000;

/// Leaves out tests and last inputs of tests as long as no implementation survives that differs. Classes that conform are blocked already:
/// they pass whatever tests there are. What cannot be decided in time stays.
pub(crate) fn shrink(search: &mut Search<'_>, budget: &Budget) {
    drop_unblamed(search, budget);
    // Short tests first: what they show, others show on their way.
    let mut order: Vec<(usize, usize)> = search
        .tests
        .iter()
        .map(|test| (test.stimuli.len(), test.leaf))
        .collect();
    order.sort_unstable();
    for (_, leaf) in order {
        let kept: Vec<usize> = leaves(search).filter(|other| *other != leaf).collect();
        if kept.len() < search.tests.len() && is_complete(search, &kept, budget) {
            search.tests.retain(|test| test.leaf != leaf);
        }
    }
    for index in 0..search.tests.len() {
        shorten(search, index, budget);
    }
    without_prefixes(search);
}

fn leaves(search: &Search<'_>) -> impl Iterator<Item = usize> {
    search.tests.iter().map(|test| test.leaf)
}

fn is_complete(search: &mut Search<'_>, leaves: &[usize], budget: &Budget) -> bool {
    search.questions += 1;
    let found = search.formula.survivor(leaves, Some(CONFLICTS), budget);
    matches!(found, Survivor::None)
}

fn drop_unblamed(search: &mut Search<'_>, budget: &Budget) {
    loop {
        let all: Vec<usize> = leaves(search).collect();
        // The answer is known; what it rests on is asked for.
        if !is_complete(search, &all, budget) {
            return;
        }
        let mut blamed = search.formula.blamed(&all).into_iter();
        search.tests.retain(|_| blamed.next().unwrap_or(true));
        if search.tests.len() == all.len() {
            return;
        }
    }
}

/// Leaves out last inputs of a test.
fn shorten(search: &mut Search<'_>, index: usize, budget: &Budget) {
    while search.tests[index].stimuli.len() > 1 {
        let shorter = search.formula.parent(search.tests[index].leaf);
        let mut all: Vec<usize> = leaves(search).collect();
        all[index] = shorter;
        if !is_complete(search, &all, budget) {
            return;
        }
        let test = &mut search.tests[index];
        test.stimuli.pop();
        test.outputs.pop();
        test.leaf = shorter;
    }
}

/// Leaves out tests that others begin with.
fn without_prefixes(search: &mut Search<'_>) {
    let all: Vec<_> = search
        .tests
        .iter()
        .map(|test| test.stimuli.clone())
        .collect();
    let is_needed = |index: usize| {
        let own = &all[index];
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != index);
        !others.any(|(other, longer)| {
            longer.starts_with(own) && (longer.len() > own.len() || other < index)
        })
    };
    let needed: Vec<bool> = (0..all.len()).map(is_needed).collect();
    let mut needed = needed.into_iter();
    search.tests.retain(|_| needed.next().unwrap_or(true));
}
