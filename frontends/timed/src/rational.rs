//! Exact points of time: fractions, and the simplest one of an interval.

use std::cmp::Ordering;
use std::fmt;

/// A rational number in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: i64,
    /// At least 1.
    denominator: i64,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational::whole(0);

    /// Returns an integer.
    #[must_use]
    pub const fn whole(value: i64) -> Rational {
        Rational {
            numerator: value,
            denominator: 1,
        }
    }

    /// A fraction; `None` if the denominator is not positive, or the result too large.
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

    /// Numerator and denominator.
    #[must_use]
    pub fn parts(self) -> (i64, i64) {
        (self.numerator, self.denominator)
    }

    /// The sum; `None` if it is too large.
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

    /// The difference; `None` if it is too large.
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

/// A stretch of time without gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The lower end.
    pub from: Rational,
    /// Whether the beginning belongs to it.
    pub has_from: bool,
    /// The upper end; `None` if unbounded.
    pub to: Option<Rational>,
    /// Whether the end belongs to it.
    pub has_to: bool,
}

impl Interval {
    /// All delays.
    pub const ALL: Interval = Interval {
        from: Rational::ZERO,
        has_from: true,
        to: None,
        has_to: false,
    };

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to.is_some_and(|to| match self.from.cmp(&to) {
            Ordering::Less => false,
            Ordering::Equal => !(self.has_from && self.has_to),
            Ordering::Greater => true,
        })
    }

    /// Restricts the interval to values from a point on. `has_from` says whether the point is included.
    #[must_use]
    pub fn after(mut self, from: Rational, has_from: bool) -> Interval {
        match from.cmp(&self.from) {
            Ordering::Greater => (self.from, self.has_from) = (from, has_from),
            Ordering::Equal => self.has_from &= has_from,
            Ordering::Less => {}
        }
        self
    }

    /// Restricts the interval to values up to a point. `has_to` says whether the point is included.
    #[must_use]
    pub fn before(mut self, to: Rational, has_to: bool) -> Interval {
        match self.to.map(|own| to.cmp(&own)) {
            None | Some(Ordering::Less) => (self.to, self.has_to) = (Some(to), has_to),
            Some(Ordering::Equal) => self.has_to &= has_to,
            Some(Ordering::Greater) => {}
        }
        self
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(self, other: Interval) -> Interval {
        let both = self.after(other.from, other.has_from);
        match other.to {
            None => both,
            Some(to) => both.before(to, other.has_to),
        }
    }

    /// Whether nothing lies between it and another one that does not begin before it.
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

    /// A point of it that is easy to say: the beginning if it belongs to it, else the fraction with the least denominator, and of those
    /// the least one.
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
