//! Extends tests as long as they kill more implementations.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::{Budget, Stop};
use hyperkill_timed_fsm::choices::Selection;

use super::Stimulus;
use super::search::{Compared, SuiteSearch};
use crate::implementation::{Place, Runs, Single, expected};

/// The number of implementations that are examined to find the next input, at most.
const SAMPLE: usize = 256;

/// The number of implementations that are compared if none fails at the next input, at most.
const COMPARED: usize = 6;

/// An implementation that has passed all inputs so far, and its present state.
type Left = (Single, usize);

/// Returns a test with further inputs, as long as some of the implementations with one other choice fail at them.
pub(crate) fn extend(
    search: &SuiteSearch<'_>,
    test: Vec<Stimulus>,
    own: &Selection,
    alive: &[Single],
    budget: &Budget,
) -> Result<Vec<Stimulus>, Stop> {
    let mut test = test;
    let Some((outputs, mut state)) = expected(search.machine, 0, &test) else {
        return Ok(test);
    };
    let seen = search.visited(0, &test);
    let mut left: Vec<Left> = alive
        .iter()
        .filter_map(|&single| {
            if !seen.contains(&(single.0, single.1)) {
                return Some((single, state));
            }
            let there = search
                .implementation(own, Some(single))
                .passes(0, &test, &outputs);
            Some((single, there?))
        })
        .collect();
    while test.len() < search.longest && !left.is_empty() {
        budget.check()?;
        let room = search.longest - test.len();
        let more = match next_input(search, own, state, &left) {
            Some(more) => vec![more],
            None => match compared(search, own, (state, room), &left, budget)? {
                Some(more) => more,
                None => break,
            },
        };
        let Some((outputs, end)) = expected(search.machine, state, &more) else {
            break;
        };
        let seen = search.visited(state, &more);
        left.retain_mut(|(single, there)| {
            if *there == state && !seen.contains(&(single.0, single.1)) {
                *there = end;
                return true;
            }
            let implementation = search.implementation(own, Some(*single));
            let next = implementation.passes(*there, &more, &outputs);
            *there = next.unwrap_or(0);
            next.is_some()
        });
        test.extend(more);
        state = end;
    }
    Ok(test)
}

/// Returns the input at which most of the implementations in `left` fail; `None` if none fails at the next input.
fn next_input(
    search: &SuiteSearch<'_>,
    own: &Selection,
    state: usize,
    left: &[Left],
) -> Option<Stimulus> {
    let step = left.len().div_ceil(SAMPLE);
    // If an implementation is in the state of the specification, only its differences can be revealed.
    let (same, other): (Vec<&Left>, Vec<&Left>) = left
        .iter()
        .step_by(step)
        .partition(|(_, there)| *there == state);
    let mut by_place: BTreeMap<Place, Vec<&Left>> = BTreeMap::new();
    for single in same {
        let place = (single.0.0, single.0.1);
        by_place.entry(place).or_default().push(single);
    }
    let mut best: Option<(usize, Stimulus)> = None;
    for delay in delays(search, state) {
        let there = search.machine.wait(state, delay);
        for (&input, answer) in &search.machine.states[there].answers {
            let stimulus = [(delay, input)];
            let seen = search.visited(state, &stimulus);
            let same = seen
                .iter()
                .filter_map(|place| by_place.get(place))
                .flatten();
            let failing = same.chain(&other).filter(|left| {
                let (single, from) = ***left;
                let implementation = search.implementation(own, Some(single));
                implementation
                    .passes(from, &stimulus, &[answer.output])
                    .is_none()
            });
            let failing = failing.count();
            if failing > best.map_or(0, |(most, _)| most) {
                best = Some((failing, stimulus[0]));
            }
        }
    }
    best.map(|(_, stimulus)| stimulus)
}

/// Returns the delays at which and right before which a timeout of the state may expire, and 0.
fn delays(search: &SuiteSearch<'_>, state: usize) -> BTreeSet<u64> {
    let group = search.mutation.timeouts[state].iter();
    let lengths = group.filter_map(|choice| choice.does);
    let around = lengths.flat_map(|timeout| {
        let after = u64::from(timeout.after);
        [after - 1, after]
    });
    around.chain([0]).collect()
}

/// Returns the shortest continuation of at most `room` inputs that an implementation of a sample of `left` fails; `None` if there is none.
fn compared(
    search: &SuiteSearch<'_>,
    own: &Selection,
    (state, room): (usize, usize),
    left: &[Left],
    budget: &Budget,
) -> Result<Option<Vec<Stimulus>>, Stop> {
    let step = left.len().div_ceil(COMPARED);
    let mut best: Option<Vec<Stimulus>> = None;
    for (single, there) in left.iter().step_by(step) {
        let room = best.as_ref().map_or(room, |best| best.len() - 1);
        if room == 0 {
            break;
        }
        let selection = search.implementation(own, Some(*single)).selection();
        let machine = search.mutation.machine(search.machine, &selection);
        let found = search.difference(&machine, (state, *there), Some(room), budget)?;
        if let Some(Compared::Differs(more)) = found {
            best = Some(more);
        }
    }
    Ok(best)
}
