//! Exact points of time: fractions, and the simplest one of an interval.

use std::cmp::Ordering;
use std::fmt;

/// A rational number in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: i64,
    /// The denominator, at least 1.
    denominator: i64,
}

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational::whole(0);

    /// Returns an integer as a rational number.
    #[must_use]
    pub const fn whole(value: i64) -> Rational {
        Rational {
            numerator: value,
            denominator: 1,
        }
    }

    /// Returns a fraction in lowest terms; `None` if the denominator is not positive, or the result is too large.
    #[must_use]
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        if denominator <= 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a.max(1)).ok()?;
        Some(Rational {
            numerator: i64::try_from(numerator / divisor).ok()?,
            denominator: i64::try_from(denominator / divisor).ok()?,
        })
    }

    /// Returns the numerator and the denominator.
    #[must_use]
    pub fn parts(self) -> (i64, i64) {
        (self.numerator, self.denominator)
    }

    /// Returns the sum; `None` if it is too large.
    #[must_use]
    pub fn plus(self, other: Rational) -> Option<Rational> {
        let [a, b, c, d] = [
            self.numerator,
            self.denominator,
            other.numerator,
            other.denominator,
        ]
        .map(i128::from);
        Rational::new(a * d + c * b, b * d)
    }

    /// Returns the difference; `None` if it is too large.
    #[must_use]
    pub fn minus(self, other: Rational) -> Option<Rational> {
        let opposite = Rational {
            numerator: other.numerator.checked_neg()?,
            denominator: other.denominator,
        };
        self.plus(opposite)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        let left = i128::from(self.numerator) * i128::from(other.denominator);
        let right = i128::from(other.numerator) * i128::from(self.denominator);
        left.cmp(&right)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// An interval of numbers; each end may be included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The lower end of the interval.
    pub from: Rational,
    /// Whether the lower end is included.
    pub has_from: bool,
    /// The upper end; `None` if unbounded.
    pub to: Option<Rational>,
    /// Whether the upper end is included.
    pub has_to: bool,
}

impl Interval {
    /// The interval of all delays.
    pub const ALL: Interval = Interval {
        from: Rational::ZERO,
        has_from: true,
        to: None,
        has_to: false,
    };

    /// Whether the interval is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to.is_some_and(|to| match self.from.cmp(&to) {
            Ordering::Less => false,
            Ordering::Equal => !(self.has_from && self.has_to),
            Ordering::Greater => true,
        })
    }

    /// Returns the part of the interval from a number on. `has_from` states whether the number itself is included.
    #[must_use]
    pub fn after(mut self, from: Rational, has_from: bool) -> Interval {
        match from.cmp(&self.from) {
            Ordering::Greater => (self.from, self.has_from) = (from, has_from),
            Ordering::Equal => self.has_from &= has_from,
            Ordering::Less => {}
        }
        self
    }

    /// Returns the part of the interval up to a number. `has_to` states whether the number itself is included.
    #[must_use]
    pub fn before(mut self, to: Rational, has_to: bool) -> Interval {
        match self.to.map(|own| to.cmp(&own)) {
            None | Some(Ordering::Less) => (self.to, self.has_to) = (Some(to), has_to),
            Some(Ordering::Equal) => self.has_to &= has_to,
            Some(Ordering::Greater) => {}
        }
        self
    }

    /// Returns the intersection of two intervals.
    #[must_use]
    pub fn and(self, other: Interval) -> Interval {
        let both = self.after(other.from, other.has_from);
        match other.to {
            None => both,
            Some(to) => both.before(to, other.has_to),
        }
    }

    /// Whether this interval and `later`, which does not begin earlier, have no gap between them.
    pub(crate) fn touches(&self, later: &Interval) -> bool {
        self.to.is_none_or(|to| match later.from.cmp(&to) {
            Ordering::Less => true,
            Ordering::Equal => self.has_to || later.has_from,
            Ordering::Greater => false,
        })
    }

    /// Returns the union with an interval that touches it.
    pub(crate) fn joined(self, later: &Interval) -> Interval {
        let (to, has_to) = match (self.to, later.to) {
            (Some(own), Some(other)) => match own.cmp(&other) {
                Ordering::Less => (Some(other), later.has_to),
                Ordering::Equal => (Some(own), self.has_to || later.has_to),
                Ordering::Greater => (Some(own), self.has_to),
            },
            _ => (None, false),
        };
        Interval { to, has_to, ..self }
    }

    /// Returns the number of the interval that is simplest to write; `None` if the interval is empty. This is the lower end if it is
    /// included. Otherwise it is the least of the fractions with the least denominator.
    #[must_use]
    pub fn simplest(&self) -> Option<Rational> {
        if self.is_empty() {
            return None;
        }
        if self.has_from {
            return Some(self.from);
        }
        let (numerator, denominator) = self.from.parts();
        for q in 1..=(1 << 20) {
            let p = (i128::from(numerator) * i128::from(q)).div_euclid(i128::from(denominator)) + 1;
            let candidate = Rational::new(p, i128::from(q))?;
            let fits = self.to.is_none_or(|to| match self.has_to {
                true => candidate <= to,
                false => candidate < to,
            });
            if fits {
                return Some(candidate);
            }
        }
        None
    }
}
