//! The states that two machines are in at the same time while no input comes.
//!
//! The stays of each machine are listed with their times, and compared by remainders: two stays with periods p and q meet at all
//! differences of their phases that the greatest common divisor of p and q divides.

use std::collections::BTreeSet;

use hyperkill_timed_fsm::machine::Machine;

/// A stay of a machine in a state.
#[derive(Clone, Copy, Debug)]
struct Stay {
    state: usize,
    begins: i128,
    /// The length of the stay; `None` if it is infinite.
    length: Option<i128>,
    /// The period of the stay in units, if it recurs.
    every: Option<i128>,
}

impl Stay {
    /// Returns the end of the first stay; `None` if it is infinite.
    fn end(&self) -> Option<i128> {
        self.length.map(|length| self.begins + length)
    }
}

fn stays(machine: &Machine, start: usize) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    let mut now: i128 = 0;
    let mut state = start;
    let mut seen = vec![false; machine.states.len()];
    while !std::mem::replace(&mut seen[state], true) {
        let timeout = machine.states[state].timeout;
        let length = timeout.map(|timeout| i128::from(timeout.after));
        stays.push(Stay {
            state,
            begins: now,
            length,
            every: None,
        });
        let (Some(timeout), Some(length)) = (timeout, length) else {
            return stays;
        };
        now += length;
        state = timeout.target;
    }
    let first = stays.iter().find(|stay| stay.state == state);
    let begins = first.map_or(0, |stay| stay.begins);
    for stay in stays.iter_mut().filter(|stay| stay.begins >= begins) {
        stay.every = Some(now - begins);
    }
    stays
}

/// Returns the states that a machine is in from `elapsed` units after it entered `start`, for `lasts` units; `None`: for ever.
pub(crate) fn during(
    machine: &Machine,
    (start, elapsed): (usize, u64),
    lasts: Option<u32>,
) -> BTreeSet<usize> {
    let window = Stay {
        state: start,
        begins: i128::from(elapsed),
        length: lasts.map(i128::from),
        every: None,
    };
    let all = stays(machine, start).into_iter();
    let at_once = all.filter(|stay| are_at_once(stay, &window));
    at_once.map(|stay| stay.state).collect()
}

/// Returns the state of a machine at a time after it entered one, and the time in that state; 0 if it stays there for ever.
pub(crate) fn after(machine: &Machine, start: usize, elapsed: u64) -> (usize, u64) {
    let now = i128::from(elapsed);
    let found = stays(machine, start).into_iter().find_map(|stay| {
        let since = now - stay.begins;
        let since = stay.every.map_or(since, |every| since % every);
        let is_there = now >= stay.begins && stay.length.is_none_or(|length| since < length);
        let clock = u64::try_from(since).ok().filter(|_| is_there)?;
        Some((stay.state, stay.length.map_or(0, |_| clock)))
    });
    found.unwrap_or((start, elapsed))
}

/// Returns all pairs of states that the machines are in at the same time after some delay.
pub(crate) fn pairs(
    model: (&Machine, usize),
    mutant: (&Machine, usize),
) -> BTreeSet<(usize, usize)> {
    let other = stays(mutant.0, mutant.1);
    let own = stays(model.0, model.1);
    let all = own.iter().flat_map(|x| other.iter().map(move |y| (x, y)));
    let at_once = all.filter(|(x, y)| are_at_once(x, y));
    at_once.map(|(x, y)| (x.state, y.state)).collect()
}

fn are_at_once(x: &Stay, y: &Stay) -> bool {
    match (x.every, y.every) {
        (None, None) => {
            let begins = x.begins.max(y.begins);
            let is_before = |end: Option<i128>| end.is_none_or(|end| begins < end);
            is_before(x.end()) && is_before(y.end())
        }
        (None, Some(every)) => comes_into(y, every, x),
        (Some(every), None) => comes_into(x, every, y),
        (Some(p), Some(q)) => {
            let divisor = greatest_common_divisor(p, q);
            // The stays overlap if the start of y minus the start of x lies in `least..long`, modulo the divisor.
            let (long, other) = (x.length.unwrap_or(p), y.length.unwrap_or(q));
            let least = 1 - other;
            let phase = (y.begins - x.begins - least).rem_euclid(divisor);
            least + phase < long
        }
    }
}

/// Whether a recurring stay overlaps with one that does not recur.
fn comes_into(again: &Stay, every: i128, once: &Stay) -> bool {
    let Some(end) = once.end() else {
        return true;
    };
    let from = once.begins.max(again.begins);
    if from >= end {
        return false;
    }
    let since = (from - again.begins) % every;
    since < again.length.unwrap_or(every) || from + (every - since) < end
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two stays overlap at some time below 150, by trying each time. This is enough for the stays of the test below.
    fn by_trying(x: &Stay, y: &Stay) -> bool {
        let is_there = |stay: &Stay, now: i128| {
            let since = now - stay.begins;
            let since = stay.every.map_or(since, |every| since % every);
            now >= stay.begins && stay.length.is_none_or(|length| since < length)
        };
        (0..150).any(|now| is_there(x, now) && is_there(y, now))
    }

    #[test]
    fn stays_are_at_once_when_trying_every_moment_says_so() {
        let mut all = Vec::new();
        for begins in [0, 2, 7] {
            for length in 1..4 {
                for every in [None, Some(length), Some(length + 2), Some(length + 5)] {
                    all.push(Stay {
                        state: 0,
                        begins,
                        length: Some(length),
                        every,
                    });
                }
            }
            all.push(Stay {
                state: 0,
                begins,
                length: None,
                every: None,
            });
        }
        for x in &all {
            for y in &all {
                assert_eq!(are_at_once(x, y), by_trying(x, y), "{x:?} {y:?}");
            }
        }
    }
}
