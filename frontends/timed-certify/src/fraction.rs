//! Fractions for the replay of tests.

use std::cmp::Ordering;

use hyperkill_core::time::Time;

/// A number over a denominator, not reduced.
#[derive(Clone, Copy, Debug)]
pub struct Fraction {
    over: i128,
    value: i128,
}

impl Fraction {
    /// Returns an integer as a fraction.
    #[must_use]
    pub fn whole(value: i64) -> Fraction {
        Fraction {
            over: 1,
            value: value.into(),
        }
    }

    /// Returns a time as a fraction.
    #[must_use]
    pub fn of(time: Time) -> Fraction {
        let (value, over) = time.parts();
        Fraction {
            over: over.into(),
            value: value.into(),
        }
    }

    fn with(self, other: Fraction, sign: i128) -> Option<Fraction> {
        let value = self.value.checked_mul(other.over)?;
        let added = other.value.checked_mul(self.over)?.checked_mul(sign)?;
        let (mut value, mut over) = (
            value.checked_add(added)?,
            self.over.checked_mul(other.over)?,
        );
        let (mut a, mut b) = (value.unsigned_abs(), over.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).ok()?.max(1);
        (value, over) = (value / divisor, over / divisor);
        Some(Fraction { over, value })
    }

    /// Returns the sum; `None` if it is too large.
    #[must_use]
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        self.with(other, 1)
    }

    /// Returns the difference; `None` if it is too large.
    #[must_use]
    pub fn minus(self, other: Fraction) -> Option<Fraction> {
        self.with(other, -1)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        // If the products overflow, the values are far apart, so integer parts decide.
        let sides = (self.value.checked_mul(other.over)).zip(other.value.checked_mul(self.over));
        match sides {
            Some((left, right)) => left.cmp(&right),
            None => (self.value.div_euclid(self.over)).cmp(&other.value.div_euclid(other.over)),
        }
    }
}
