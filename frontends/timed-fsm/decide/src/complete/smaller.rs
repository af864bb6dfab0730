//! Reduces a complete suite to fewer and shorter tests; each removal is confirmed.

use std::collections::BTreeSet;

use hyperkill_core::budget::Budget;
use hyperkill_frontend::domain::Cost;
use hyperkill_timed_fsm::choices::Selection;

use super::Stimulus;
use super::formula::Survivor;
use super::search::{SuiteSearch, Test};
use crate::implementation::{Runs, expected, singles};

/// The conflict limits of a query to remove a test, in rounds. Cheap removals come first, and their learned clauses help with the others.
const CONFLICTS: [usize; 3] = [40, 300, 2000];

/// The number of conflicts without result is limited: the fourth power of the number of single faults divided by `PART`, and at least
/// `LEAST`. A suite that is found in milliseconds must not be reduced for seconds.
const PART: usize = 250_000;
const LEAST: usize = 700;

/// The work that is spent on conflicts without result, at most. The cost of a conflict is about the number of clauses.
const MOST_WORK: usize = 3_000_000_000;

/// The factor by which the limit is smaller for another order than the usual one.
const LESS: usize = 4;

/// The number of single faults up to which they are examined beforehand.
const MOST_SINGLES: usize = 5_000;

/// A nonconforming implementation, and the prefixes of the tests that it fails.
struct Known {
    selection: Selection,
    fails: BTreeSet<usize>,
}

/// The state of the reduction of a suite.
struct Shrink<'s, 'a> {
    search: &'s mut SuiteSearch<'a>,
    known: Vec<Known>,
    /// The number of conflicts without result that are left.
    left: usize,
    /// The number of conflicts per removal.
    conflicts: usize,
}

/// Removes tests and last inputs of tests as long as no nonconforming implementation survives. Conforming classes are excluded already,
/// since they pass all tests. A test whose removal cannot be decided in time is kept.
pub(crate) fn shrink(search: &mut SuiteSearch<'_>, budget: &Budget) {
    without_prefixes(search);
    if search.options.cost == Cost::Tests {
        // Short tests first: longer ones often show the same.
        return shrink_in_order(search, |test| test.stimuli.len() as u64, budget);
    }
    let all = search.tests.clone();
    shrink_in_order(search, |test| test.stimuli.len() as u64, budget);
    let few = std::mem::replace(&mut search.tests, all);
    let cost = search.options.cost;
    shrink_in_order(search, |test| u64::MAX - weight(cost, test), budget);
    let sum = |tests: &[Test]| tests.iter().map(|test| weight(cost, test)).sum::<u64>();
    if sum(&few) <= sum(&search.tests) {
        search.tests = few;
    }
}

/// Returns the cost of a test: 1, the number of its inputs, or its time, as `cost` says.
pub(crate) fn weight(cost: Cost, test: &Test) -> u64 {
    match cost {
        Cost::Tests => 1,
        Cost::Inputs => test.stimuli.len() as u64,
        Cost::Time => {
            let delays = test.stimuli.iter().map(|(delay, _)| *delay);
            delays.fold(0, u64::saturating_add)
        }
    }
}

/// Reduces the suite as [`shrink`] does, with long tests first.
pub(crate) fn shrink_long_first(search: &mut SuiteSearch<'_>, budget: &Budget) {
    without_prefixes(search);
    let most = MOST_WORK / LESS;
    shrink_within(
        search,
        |test| u64::MAX - test.stimuli.len() as u64,
        most,
        budget,
    );
}

fn shrink_in_order(search: &mut SuiteSearch<'_>, place: impl Fn(&Test) -> u64, budget: &Budget) {
    shrink_within(search, place, MOST_WORK, budget);
}

fn shrink_within(
    search: &mut SuiteSearch<'_>,
    place: impl Fn(&Test) -> u64,
    most: usize,
    budget: &Budget,
) {
    let singles = singles(search.mutation).len();
    let left = LEAST.max(singles.saturating_pow(4) / PART);
    let mut shrink = Shrink {
        known: Vec::new(),
        left: left.min(most / search.formula.clauses().max(1)),
        conflicts: CONFLICTS[CONFLICTS.len() - 1],
        search,
    };
    shrink.know_all(budget);
    shrink.drop_unblamed(budget);
    let tests = shrink.search.tests.iter();
    let mut order: Vec<(u64, usize)> = tests.map(|test| (place(test), test.leaf)).collect();
    order.sort_unstable();
    for conflicts in CONFLICTS {
        shrink.conflicts = conflicts;
        for (_, leaf) in &order {
            // There may be hundreds of thousands of tests, and examining one takes time even without a query.
            if shrink.is_over(budget) {
                break;
            }
            shrink.drop(*leaf, budget);
        }
    }
    for index in 0..shrink.search.tests.len() {
        if shrink.is_over(budget) {
            break;
        }
        shrink.shorten(index, budget);
    }
    without_prefixes(search);
}

impl Shrink<'_, '_> {
    fn leaves(&self) -> Vec<usize> {
        self.search.tests.iter().map(|test| test.leaf).collect()
    }

    /// Whether the limit on conflicts, or the budget, allows no further removal.
    fn is_over(&self, budget: &Budget) -> bool {
        self.left == 0 || budget.stopped().is_some()
    }

    /// Records the tests that known nonconforming implementations fail, which saves queries.
    fn know_all(&mut self, budget: &Budget) {
        let own = self.search.mutation.first();
        let singles = singles(self.search.mutation);
        let mut all = self.search.known.clone();
        if singles.len() <= MOST_SINGLES {
            let of = |single| self.search.implementation(&own, Some(single)).selection();
            all.extend(singles.into_iter().map(of));
        }
        for selection in all {
            if budget.stopped().is_some() {
                return;
            }
            self.know(selection);
        }
    }

    fn know(&mut self, selection: Selection) {
        let implementation = self.search.implementation(&selection, None);
        let tests = self.search.tests.iter();
        let failed = tests.filter(|test| {
            let passed = implementation.passes(0, &test.stimuli, &test.outputs);
            passed.is_none()
        });
        let fails = failed.map(|test| test.leaf).collect();
        self.known.push(Known { selection, fails });
    }

    /// Whether it is known, or decided within the limit, that no nonconforming implementation passes these tests.
    fn is_complete(&mut self, leaves: &[usize], budget: &Budget) -> bool {
        let conflicts = self.conflicts.min(self.left);
        if conflicts == 0 {
            return false;
        }
        self.search.questions += 1;
        let formula = &mut self.search.formula;
        match formula.survivor(leaves, u32::try_from(conflicts).ok(), budget) {
            Survivor::None => true,
            Survivor::One(selection) => {
                self.know(selection);
                false
            }
            Survivor::Open(_) => {
                self.left -= conflicts;
                false
            }
        }
    }

    fn drop_unblamed(&mut self, budget: &Budget) {
        loop {
            let all = self.leaves();
            // The answer is known; only its unsatisfiable core is needed.
            if !self.is_complete(&all, budget) {
                return;
            }
            self.forget_unblamed(&all);
            if self.search.tests.len() == all.len() {
                return;
            }
        }
    }

    /// Removes tests that the last answer does not depend on. `all` has the tests that the query was about.
    fn forget_unblamed(&mut self, all: &[usize]) {
        let blamed = self.search.formula.blamed(all);
        let unblamed = all.iter().zip(&blamed).filter(|(_, blamed)| !**blamed);
        let unblamed: Vec<usize> = unblamed.map(|(leaf, _)| *leaf).collect();
        self.forget_unnamed(&unblamed);
    }

    /// Removes tests, except tests that the name of a state needs: names depend on the prefixes of some tests. If the names hold without
    /// all tests of a half, the half is removed at once.
    fn forget_unnamed(&mut self, leaves: &[usize]) {
        if leaves.is_empty() {
            return;
        }
        if !self.names_need(leaves) {
            return self.forget(leaves);
        }
        if leaves.len() > 1 {
            let (first, second) = leaves.split_at(leaves.len() / 2);
            self.forget_unnamed(first);
            self.forget_unnamed(second);
        }
    }

    /// Whether states lose their names without these tests. The symmetry would then return.
    fn names_need(&self, leaves: &[usize]) -> bool {
        let mut all = self.leaves();
        let formula = &self.search.formula;
        if !formula.has_names(&all) {
            return false;
        }
        let leaves: BTreeSet<usize> = leaves.iter().copied().collect();
        all.retain(|other| !leaves.contains(other));
        !formula.has_names(&all)
    }

    fn forget(&mut self, leaves: &[usize]) {
        let leaves: BTreeSet<usize> = leaves.iter().copied().collect();
        let tests = &mut self.search.tests;
        tests.retain(|test| !leaves.contains(&test.leaf));
        for known in &mut self.known {
            known.fails.retain(|leaf| !leaves.contains(leaf));
        }
    }

    fn is_only(&self, known: &Known, leaf: usize) -> bool {
        known.fails.len() == 1 && known.fails.contains(&leaf)
    }

    /// Removes the test with this leaf if the other tests are confirmed to be complete.
    fn drop(&mut self, leaf: usize, budget: &Budget) {
        let all = self.leaves();
        let kept: Vec<usize> = all.iter().copied().filter(|other| *other != leaf).collect();
        let is_needed = self.known.iter().any(|known| self.is_only(known, leaf));
        let is_needed = is_needed || self.names_need(&[leaf]);
        if kept.len() < all.len() && !is_needed && self.is_complete(&kept, budget) {
            self.forget(&[leaf]);
            self.forget_unblamed(&kept);
        }
    }

    /// Removes the last inputs of a test as long as the suite is confirmed to be complete.
    fn shorten(&mut self, index: usize, budget: &Budget) {
        while self.search.tests[index].stimuli.len() > 1 {
            let leaf = self.search.tests[index].leaf;
            let shorter = self.search.formula.parent(leaf);
            let mut stimuli = self.search.tests[index].stimuli.clone();
            stimuli.pop();
            let fails: Vec<bool> = (self.known.iter())
                .map(|known| known.fails.contains(&leaf) && self.fails(&known.selection, &stimuli))
                .collect();
            let mut both = self.known.iter().zip(&fails);
            if both.any(|(known, fails)| self.is_only(known, leaf) && !fails) {
                return;
            }
            let mut all = self.leaves();
            all[index] = shorter;
            if !self.is_complete(&all, budget) {
                return;
            }
            let test = &mut self.search.tests[index];
            test.stimuli.pop();
            test.outputs.pop();
            test.leaf = shorter;
            for (known, fails) in self.known.iter_mut().zip(fails) {
                known.fails.remove(&leaf);
                if fails {
                    known.fails.insert(shorter);
                }
            }
        }
    }

    fn fails(&self, selection: &Selection, stimuli: &[Stimulus]) -> bool {
        let implementation = self.search.implementation(selection, None);
        let expected = expected(self.search.machine, 0, stimuli);
        expected.is_some_and(|(outputs, _)| implementation.passes(0, stimuli, &outputs).is_none())
    }
}

/// Removes tests that are prefixes of other tests, and all but one of equal tests.
pub(crate) fn without_prefixes(search: &mut SuiteSearch<'_>) {
    let tests = &search.tests;
    // In this order tests follow their prefixes, equal ones first.
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_unstable_by_key(|&index| (&tests[index].stimuli, index));
    let mut is_needed = vec![true; tests.len()];
    for pair in order.windows(2) {
        if tests[pair[0]].stimuli == tests[pair[1]].stimuli {
            is_needed[pair[1]] = false;
        }
    }
    let distinct: Vec<usize> = (order.iter().copied())
        .filter(|&index| is_needed[index])
        .collect();
    for pair in distinct.windows(2) {
        if tests[pair[1]].stimuli.starts_with(&tests[pair[0]].stimuli) {
            is_needed[pair[0]] = false;
        }
    }
    let mut needed = is_needed.into_iter();
    search.tests.retain(|_| needed.next().unwrap_or(true));
}
