//! Faults of adjacent guards.

use hyperkill_timed_fsm::guard::Interval;
use hyperkill_timed_fsm::machine::{Answer, Guarded, State};
use hyperkill_timed_fsm::syntax::Kind;

use super::content::Otherwise;

/// The number of moments in a unit of time: its beginning, and all times within it.
pub(super) const UNIT: u32 = 2;

/// Returns the answers of a state to an input, in the order of delays. An answer without a guard always holds.
pub(super) fn in_a_row(state: &State, input: usize) -> Vec<Guarded> {
    let always = state.answers.get(&input).map(|answer| Guarded {
        during: Interval::ALWAYS,
        answer: *answer,
    });
    let guarded = state.guarded.get(&input).into_iter().flatten();
    always.into_iter().chain(guarded.copied()).collect()
}

/// Returns all intervals to which a kind of faults moves a guard.
fn places(own: Interval, kind: Kind) -> Vec<Interval> {
    let Interval { from, until } = own;
    let mut found: Vec<(Option<u32>, Option<u32>)> = Vec::new();
    let mut begins = |from: Option<u32>| found.push((from, until));
    match kind {
        Kind::Narrowed => {
            begins(from.checked_add(UNIT));
            begins((from % 2 == 0).then(|| from + 1));
        }
        Kind::Widened => {
            begins(Some(from.saturating_sub(UNIT)));
            begins((from % 2 == 1).then(|| from - 1));
        }
        _ => {}
    }
    if let Some(until) = until {
        let mut ends = |until: Option<u32>| {
            if until.is_some() {
                found.push((Some(from), until));
            }
        };
        match kind {
            Kind::Narrowed => {
                ends(until.checked_sub(UNIT));
                ends((until % 2 == 1).then(|| until - 1));
            }
            Kind::Widened => {
                ends(until.checked_add(UNIT));
                ends((until % 2 == 0).then(|| until + 1));
            }
            Kind::Shifted => {
                let later = from.checked_add(UNIT).zip(until.checked_add(UNIT));
                let sooner = from.checked_sub(UNIT).zip(until.checked_sub(UNIT));
                let both = later.into_iter().chain(sooner);
                found.extend(both.map(|(from, until)| (Some(from), Some(until))));
            }
            _ => {}
        }
    }
    let found = found.into_iter();
    let found = found.filter_map(|(from, until)| Interval::new(from?, until));
    found.filter(|moved| *moved != own).collect()
}

/// Returns the transitions `row` with the guard at the index `at` moved, for each move of a kind of faults. Adjacent guards end or begin at
/// its new bounds.
pub(super) fn moved(row: &[Guarded], at: usize, kind: Kind) -> Vec<Otherwise> {
    let own = row[at];
    let all = places(own.during, kind).into_iter();
    let all = all.map(|to| {
        let mut stretches = vec![(to, Some(own.answer))];
        for (_, other) in row.iter().enumerate().filter(|(index, _)| *index != at) {
            let Interval {
                mut from,
                mut until,
            } = other.during;
            if until == Some(own.during.from) {
                until = Some(to.from);
            }
            if let (true, Some(end)) = (own.during.until == Some(from), to.until) {
                from = end;
            }
            let during = Interval::new(from, until);
            stretches.extend(during.map(|during| (during, Some(other.answer))));
        }
        Otherwise {
            stretches,
            bounds: to.bounds().collect(),
        }
    });
    all.collect()
}

/// Returns the transitions `row` with the answer `does` during an interval.
pub(super) fn replaced(row: &[Guarded], during: Interval, does: Option<Answer>) -> Otherwise {
    let own = row
        .iter()
        .map(|guarded| (guarded.during, Some(guarded.answer)));
    Otherwise {
        stretches: std::iter::once((during, does)).chain(own).collect(),
        bounds: during.bounds().collect(),
    }
}

/// Whether two rows of transitions have the same answer at every moment.
pub(super) fn are_alike(one: &Otherwise, other: &Otherwise) -> bool {
    let all = one.stretches.iter().chain(&other.stretches);
    let mut moments = all.flat_map(|(during, _)| during.bounds()).chain([0]);
    // The answer is constant between two bounds.
    moments.all(|moment| one.at(moment) == other.at(moment))
}

/// Returns the transitions `row` without changes.
pub(super) fn as_it_is(row: &[Guarded]) -> Otherwise {
    let own = row
        .iter()
        .map(|guarded| (guarded.during, Some(guarded.answer)));
    Otherwise {
        stretches: own.collect(),
        bounds: Vec::new(),
    }
}
