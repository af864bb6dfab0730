//! Guards: the delays since its state was entered at which a transition is enabled.
//!
//! Only the difference between bounds and the times between them matters. So delays are counted in *moments*: moment 2n is n units, and
//! moment 2n + 1 represents all times between n and n + 1 units, as n + ½.

use std::fmt;

use hyperkill_core::time::Time;

/// The largest number of units in a bound.
pub const LONGEST: u32 = (u32::MAX - 1) / 2;

/// A non-empty interval of moments: moment 2n is n units, and moment 2n + 1 represents all times between n and n + 1 units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Interval {
    /// The first moment of the interval.
    pub from: u32,
    /// The first moment after the interval; `None`: it is unbounded.
    pub until: Option<u32>,
}

impl Interval {
    /// The interval of all moments.
    pub const ALWAYS: Interval = Interval {
        from: 0,
        until: None,
    };

    /// Returns the interval of moments from `from` to before `until`; `None` if it is empty.
    #[must_use]
    pub fn new(from: u32, until: Option<u32>) -> Option<Interval> {
        let is_some = until.is_none_or(|until| from < until);
        is_some.then_some(Interval { from, until })
    }

    /// Whether the interval contains a moment.
    #[must_use]
    pub fn holds(&self, moment: u32) -> bool {
        self.from <= moment && self.until.is_none_or(|until| moment < until)
    }

    /// Returns the intersection; `None` if it is empty.
    #[must_use]
    pub fn common(&self, other: &Interval) -> Option<Interval> {
        let until = match (self.until, other.until) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        Interval::new(self.from.max(other.from), until)
    }

    /// Returns the parts of the interval before and after another one; `None` for an empty part.
    #[must_use]
    pub fn without(&self, other: &Interval) -> [Option<Interval>; 2] {
        let before = Interval {
            from: 0,
            until: Some(other.from),
        };
        let behind = other.until.map(|until| Interval {
            from: until,
            until: None,
        });
        let before = (other.from > 0).then(|| self.common(&before)).flatten();
        [before, behind.and_then(|behind| self.common(&behind))]
    }

    /// Returns the bounds of the interval as moments, without 0.
    pub fn bounds(&self) -> impl Iterator<Item = u32> {
        let from = (self.from > 0).then_some(self.from);
        from.into_iter().chain(self.until)
    }
}

/// Writes the interval: `[2,5)`; `(5,never)` is unbounded.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = if self.from.is_multiple_of(2) {
            '['
        } else {
            '('
        };
        write!(f, "{open}{},", self.from / 2)?;
        match self.until {
            None => write!(f, "never)"),
            Some(until) if until.is_multiple_of(2) => write!(f, "{})", until / 2),
            Some(until) => write!(f, "{}]", until / 2),
        }
    }
}

/// Returns the time of a number of parts of a unit, which has `scale` parts. `None` if the time exceeds the range.
#[must_use]
pub fn time(parts: u64, scale: u32) -> Option<Time> {
    Time::fraction(parts, scale.into()).ok()
}

/// Returns a delay in parts of a unit. With one part per unit only its integer part matters; with two parts also whether it is an integer.
#[must_use]
pub fn parts(delay: Time, scale: u32) -> Option<u64> {
    if scale == 1 {
        return Some(delay.floor());
    }
    let is_between = delay.parts().1 > 1;
    delay.floor().checked_mul(2)?.checked_add(is_between.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_written_with_the_brackets_that_their_bounds_have() {
        let spelled = |from, until| Interval::new(from, until).map(|guard| guard.to_string());
        assert_eq!(spelled(4, Some(10)).as_deref(), Some("[2,5)"));
        assert_eq!(spelled(5, Some(11)).as_deref(), Some("(2,5]"));
        assert_eq!(spelled(4, Some(5)).as_deref(), Some("[2,2]"));
        assert_eq!(spelled(3, None).as_deref(), Some("(1,never)"));
        assert_eq!(spelled(4, Some(4)), None);
    }

    #[test]
    fn what_is_left_of_an_interval_has_the_moments_that_the_other_one_lacks() {
        let all = |last: u32| {
            let ends = (0..=last + 1).map(Some).chain([None]);
            ends.flat_map(move |until| {
                (0..=last).filter_map(move |from| Interval::new(from, until))
            })
        };
        for one in all(4) {
            for two in all(4) {
                let rest = one.without(&two);
                for moment in 0..8 {
                    let is_left = rest.iter().flatten().any(|rest| rest.holds(moment));
                    assert_eq!(is_left, one.holds(moment) && !two.holds(moment));
                    let is_common = one.common(&two).is_some_and(|both| both.holds(moment));
                    assert_eq!(is_common, one.holds(moment) && two.holds(moment));
                }
            }
        }
    }

    #[test]
    fn the_parts_of_a_delay_say_what_matters_of_it() {
        let of = |text: &str, scale| parts(text.parse().unwrap(), scale);
        assert_eq!([of("6.7", 1), of("6", 1)], [Some(6), Some(6)]);
        assert_eq!(
            [of("6.7", 2), of("6", 2), of("1/4", 2)],
            [Some(13), Some(12), Some(1)]
        );
        assert_eq!(time(13, 2), "6.5".parse().ok());
    }
}
