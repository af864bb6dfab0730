//! Guards whose bounds move.
//!
//! If a neighbour touches the bound that moves, its bound moves too. Delays that no guard covers have no transition.

use crate::guard::Interval;
use crate::machine::{Answer, Guarded, Part, State};
use crate::syntax::Kind;

/// The number of moments in a unit of time: its beginning, and all times within it.
pub const UNIT: u32 = 2;

/// Returns the faults that a kind of faults makes of one guard for an input: the parts with other answers, one or two each.
#[must_use]
pub fn moved(state: &State, input: usize, own: Guarded, kind: Kind) -> Vec<[Option<Part>; 2]> {
    let guard = Guard::new(state, input, own);
    let begins = own.during.from;
    let is_open = begins % 2 == 1;
    let ends_open = own.during.until.is_some_and(|until| until % 2 == 0);
    let single = |part: Option<Part>| part.map(|part| [Some(part), None]);
    let all = match kind {
        Kind::Narrowed => vec![
            single(guard.begins_later(UNIT)),
            single(guard.begins_later(1)).filter(|_| !is_open),
            single(guard.ends_sooner(UNIT)),
            single(guard.ends_sooner(1)).filter(|_| !ends_open),
        ],
        Kind::Widened => vec![
            single(guard.begins_sooner(UNIT.min(begins))),
            single(guard.begins_sooner(1)).filter(|_| is_open),
            single(guard.ends_later(UNIT)),
            single(guard.ends_later(1)).filter(|_| ends_open),
        ],
        Kind::Shifted => {
            let both = |first: Option<Part>, second: Option<Part>| {
                first.zip(second).map(|(one, two)| [Some(one), Some(two)])
            };
            vec![
                both(guard.left_behind(), guard.entered_later()),
                both(guard.entered_sooner(), guard.left_before()),
            ]
        }
        Kind::Transfer | Kind::Output | Kind::Any | Kind::Never => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

/// Returns the faults that move a guard for an input: the parts with other answers, one or two each.
#[must_use]
pub fn all(state: &State, input: usize) -> Vec<[Option<Part>; 2]> {
    let kinds = [Kind::Narrowed, Kind::Widened, Kind::Shifted];
    let all = state.on(input).into_iter();
    let all = all.flat_map(|own| kinds.map(|kind| moved(state, input, own, kind)));
    all.flatten().collect()
}

/// A guard between its neighbours, to compute moves of its bounds.
struct Guard {
    own: Guarded,
    /// The answer right before the guard.
    before: Option<Answer>,
    /// The answer right after the guard.
    behind: Option<Answer>,
}

impl Guard {
    fn new(state: &State, input: usize, own: Guarded) -> Guard {
        let all = state.on(input);
        let found = |is: &dyn Fn(&Interval) -> bool| {
            let mut all = all.iter();
            all.find(|other| is(&other.during))
                .map(|other| other.answer)
        };
        Guard {
            before: found(&|other| other.until == Some(own.during.from)),
            behind: found(&|other| own.during.until == Some(other.from)),
            own,
        }
    }

    fn part(from: u32, until: Option<u32>, does: Option<Answer>) -> Option<Part> {
        let during = Interval::new(from, until)?;
        Some(Part { during, does })
    }

    /// Returns the change if the guard begins `by` moments later: these have the answer before it. `None` if the guard becomes empty.
    fn begins_later(&self, by: u32) -> Option<Part> {
        let from = self.own.during.from;
        let then = from.checked_add(by)?;
        let is_left = self.own.during.until.is_none_or(|until| then < until);
        let part = Guard::part(from, Some(then), self.before);
        part.filter(|_| is_left)
    }

    fn begins_sooner(&self, by: u32) -> Option<Part> {
        let from = self.own.during.from;
        Guard::part(from.checked_sub(by)?, Some(from), Some(self.own.answer))
    }

    /// Returns the change if the guard ends `by` moments earlier: these have the answer after it. `None` if the guard becomes empty.
    fn ends_sooner(&self, by: u32) -> Option<Part> {
        let until = self.own.during.until?;
        let then = until.checked_sub(by)?;
        let part = Guard::part(then, Some(until), self.behind);
        part.filter(|_| self.own.during.from < then)
    }

    fn ends_later(&self, by: u32) -> Option<Part> {
        let until = self.own.during.until?;
        let then = until.checked_add(by)?;
        Guard::part(until, Some(then), Some(self.own.answer))
    }

    /// Returns the change in the unit that the guard leaves when it moves one unit later: the answer before it is extended.
    fn left_behind(&self) -> Option<Part> {
        let from = self.own.during.from;
        Guard::part(from, Some(from.checked_add(UNIT)?), self.before)
    }

    /// Returns the change at the delays that the guard enters when it moves one unit later.
    fn entered_later(&self) -> Option<Part> {
        let Interval { from, until } = self.own.during;
        let until = until?;
        let first = until.max(from.checked_add(UNIT)?);
        Guard::part(first, Some(until.checked_add(UNIT)?), Some(self.own.answer))
    }

    /// Returns the change at the delays that the guard enters when it moves one unit earlier.
    fn entered_sooner(&self) -> Option<Part> {
        let Interval { from, until } = self.own.during;
        let last = until?.checked_sub(UNIT)?.min(from);
        Guard::part(from.checked_sub(UNIT)?, Some(last), Some(self.own.answer))
    }

    /// Returns the change in the unit that the guard leaves when it moves one unit earlier: the answer after it is extended.
    fn left_before(&self) -> Option<Part> {
        let until = self.own.during.until?;
        Guard::part(until.checked_sub(UNIT)?, Some(until), self.behind)
    }
}
