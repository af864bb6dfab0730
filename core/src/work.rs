//! Counted work: what engines and the certifier do, in units that are the same on every machine.
//!
//! Each thread counts for itself. The difference between two looks at [`done`] is the work in between.

use std::cell::Cell;
use std::ops::{Add, AddAssign, Sub};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Gates evaluated by simulation, each in all lanes at once, and by lists of states.
    Gates,
    /// Conflicts of SAT solvers.
    Conflicts,
    /// Calls of operations on decision diagrams that no table of results answers.
    Calls,
    /// Clauses given to the certifier's solver.
    Clauses,
}

/// Numbers of each unit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// See [`Unit::Gates`].
    pub gates: u64,
    /// See [`Unit::Conflicts`].
    pub conflicts: u64,
    /// See [`Unit::Calls`].
    pub calls: u64,
    /// See [`Unit::Clauses`].
    pub clauses: u64,
}

impl Work {
    /// Whether nothing was done.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Work::default()
    }

    /// One of so many parts, which add up to the whole.
    #[must_use]
    pub fn part(self, place: u64, parts: u64) -> Work {
        let of = |whole: u64| {
            let parts = parts.max(1);
            whole / parts + u64::from(place < whole % parts)
        };
        Work {
            gates: of(self.gates),
            conflicts: of(self.conflicts),
            calls: of(self.calls),
            clauses: of(self.clauses),
        }
    }

    fn with(self, other: Work, combine: impl Fn(u64, u64) -> u64) -> Work {
        Work {
            gates: combine(self.gates, other.gates),
            conflicts: combine(self.conflicts, other.conflicts),
            calls: combine(self.calls, other.calls),
            clauses: combine(self.clauses, other.clauses),
        }
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        self.with(other, u64::saturating_add)
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        *self = *self + other;
    }
}

impl Sub for Work {
    type Output = Work;

    fn sub(self, other: Work) -> Work {
        self.with(other, u64::saturating_sub)
    }
}

thread_local! {
    static DONE: Cell<Work> = const {
        Cell::new(Work {
            gates: 0,
            conflicts: 0,
            calls: 0,
            clauses: 0,
        })
    };
}

/// The work that this thread has done so far.
#[must_use]
pub fn done() -> Work {
    DONE.get()
}

/// Counts work of this thread.
pub fn count(unit: Unit, number: u64) {
    let mut work = DONE.get();
    let counter = match unit {
        Unit::Gates => &mut work.gates,
        Unit::Conflicts => &mut work.conflicts,
        Unit::Calls => &mut work.calls,
        Unit::Clauses => &mut work.clauses,
    };
    *counter = counter.saturating_add(number);
    DONE.set(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = Work {
            gates: 17,
            conflicts: 2,
            calls: 0,
            clauses: 300,
        };
        for parts in 1..9 {
            let mut sum = Work::default();
            for place in 0..parts {
                sum += whole.part(place, parts);
            }
            assert_eq!(sum, whole);
        }
    }

    #[test]
    fn each_thread_counts_for_itself() {
        let before = done();
        count(Unit::Gates, 3);
        std::thread::spawn(|| count(Unit::Gates, 100))
            .join()
            .unwrap();
        count(Unit::Clauses, 1);
        let work = done() - before;
        assert_eq!((work.gates, work.clauses, work.calls), (3, 1, 0));
    }
}
