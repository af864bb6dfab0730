//! The reference: both machines walk through time in half units, and every position counts, clocks included.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hyperkill_timed_fsm::machine::Machine;

/// A state and its clock in half units.
type Timed = (usize, u32);

fn tick(machine: &Machine, (state, clock): Timed) -> Timed {
    match machine.states[state].timeout {
        Some(timeout) if clock + 1 >= 2 * timeout.after => (timeout.target, 0),
        Some(_) => (state, clock + 1),
        None => (state, 0),
    }
}

/// Returns the number of inputs of a shortest test, and the half units that the quickest of these takes; `None` if there is no test.
pub(crate) fn shortest(model: &Machine, mutant: &Machine) -> Option<(usize, u64)> {
    let mut due = BinaryHeap::from([Reverse((0, 0, (0, 0), (0, 0)))]);
    let mut seen: BTreeSet<(Timed, Timed)> = BTreeSet::new();
    let mut best: Option<(usize, u64)> = None;
    while let Some(Reverse((inputs, time, own, other))) = due.pop() {
        if best.is_some_and(|best| best <= (inputs, time)) {
            break;
        }
        if !seen.insert((own, other)) {
            continue;
        }
        due.push(Reverse((
            inputs,
            time + 1,
            tick(model, own),
            tick(mutant, other),
        )));
        for (input, expected) in &model.states[own.0].answers {
            match mutant.states[other.0].answers.get(input) {
                Some(answer) if answer.output == expected.output => due.push(Reverse((
                    inputs + 1,
                    time,
                    (expected.target, 0),
                    (answer.target, 0),
                ))),
                _ => {
                    let found = (inputs + 1, time);
                    best = Some(best.map_or(found, |best| best.min(found)));
                }
            }
        }
    }
    best
}
