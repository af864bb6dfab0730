//! Counted work of engines and the certifier, in units that are the same on every machine.
//!
//! Each thread counts its own work. The difference between two values of [`done`] is the work in between.

use std::cell::Cell;
use std::ops::{Add, AddAssign, Sub};

/// The unit of counted work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Gates evaluated by simulation, each in all lanes at once, and by lists of states.
    Gates,
    /// Gates requested while graphs are built, including existing ones.
    Nodes,
    /// Conflicts of SAT solvers.
    Conflicts,
    /// Cache lines that searches of SAT solvers read, by their own estimates.
    Ticks,
    /// Calls of operations on decision diagrams that miss the table of results.
    Calls,
    /// Clauses given to SAT solvers.
    Clauses,
}

/// Gates, of 512 lanes each, that a core evaluates in a microsecond.
const GATES_IN_A_MICROSECOND: u64 = 48;
const NODES_IN_A_MICROSECOND: u64 = 4;
/// Microseconds for the analysis of a conflict, without the propagation before it.
const MICROSECONDS_OF_A_CONFLICT: u64 = 10;
const TICKS_IN_A_MICROSECOND: u64 = 25;
const CALLS_IN_A_MICROSECOND: u64 = 2;
const CLAUSES_IN_A_MICROSECOND: u64 = 4;

/// Counts of each unit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// See [`Unit::Gates`].
    pub gates: u64,
    /// See [`Unit::Nodes`].
    pub nodes: u64,
    /// See [`Unit::Conflicts`].
    pub conflicts: u64,
    /// See [`Unit::Ticks`].
    pub ticks: u64,
    /// See [`Unit::Calls`].
    pub calls: u64,
    /// See [`Unit::Clauses`].
    pub clauses: u64,
}

/// Converts counted work ([`Work::effort`]) to ticks of a SAT solver.
#[must_use]
pub const fn ticks_of(effort: u64) -> u64 {
    effort.saturating_mul(TICKS_IN_A_MICROSECOND)
}

impl Work {
    /// Whether nothing was done.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Work::default()
    }

    /// Returns the share with index `place`, from 0, of `parts` nearly equal shares, which add up to the total.
    #[must_use]
    pub fn part(self, place: u64, parts: u64) -> Work {
        let of = |whole: u64| {
            let parts = parts.max(1);
            whole / parts + u64::from(place < whole % parts)
        };
        Work {
            gates: of(self.gates),
            nodes: of(self.nodes),
            conflicts: of(self.conflicts),
            ticks: of(self.ticks),
            calls: of(self.calls),
            clauses: of(self.clauses),
        }
    }

    /// Returns all units as one number: approximately the microseconds that a core of 2020 needs. The weights define slices of work, so
    /// results change with them.
    #[must_use]
    pub fn effort(self) -> u64 {
        let units = [
            self.gates / GATES_IN_A_MICROSECOND,
            self.nodes / NODES_IN_A_MICROSECOND,
            self.conflicts * MICROSECONDS_OF_A_CONFLICT,
            self.ticks / TICKS_IN_A_MICROSECOND,
            self.calls / CALLS_IN_A_MICROSECOND,
            self.clauses / CLAUSES_IN_A_MICROSECOND,
        ];
        units.into_iter().fold(0, u64::saturating_add)
    }

    fn with(self, other: Work, combine: impl Fn(u64, u64) -> u64) -> Work {
        Work {
            gates: combine(self.gates, other.gates),
            nodes: combine(self.nodes, other.nodes),
            conflicts: combine(self.conflicts, other.conflicts),
            ticks: combine(self.ticks, other.ticks),
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
    /// The counters, by unit.
    static DONE: [Cell<u64>; 6] = const { [const { Cell::new(0) }; 6] };
}

/// Returns the work that this thread has done so far.
#[must_use]
pub fn done() -> Work {
    let of = |unit: Unit| DONE.with(|done| done[unit as usize].get());
    Work {
        gates: of(Unit::Gates),
        nodes: of(Unit::Nodes),
        conflicts: of(Unit::Conflicts),
        ticks: of(Unit::Ticks),
        calls: of(Unit::Calls),
        clauses: of(Unit::Clauses),
    }
}

/// Adds this number of units to the counted work of this thread.
pub fn count(unit: Unit, number: u64) {
    DONE.with(|done| {
        let done = &done[unit as usize];
        done.set(done.get().saturating_add(number));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = Work {
            gates: 17,
            nodes: 4,
            conflicts: 2,
            ticks: 70,
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
