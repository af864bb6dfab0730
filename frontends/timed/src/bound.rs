//! Bounds of clock differences: < c, ≤ c, or none.

use std::fmt;

/// An upper bound of a difference of clocks: < c, ≤ c, or none. Ordered from tight to loose; of two with the same constant, the strict one
/// is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound(i64);

impl Bound {
    /// The bound that excludes nothing.
    pub const NONE: Bound = Bound(i64::MAX);
    /// The bound ≤ 0.
    pub const ZERO: Bound = Bound::at_most(0);

    /// Returns the bound ≤ `constant`.
    #[must_use]
    pub const fn at_most(constant: i64) -> Bound {
        Bound((constant << 1) | 1)
    }

    /// Returns the bound < `constant`.
    #[must_use]
    pub const fn below(constant: i64) -> Bound {
        Bound(constant << 1)
    }

    /// Returns the constant; `None` if there is no bound.
    #[must_use]
    pub fn constant(self) -> Option<i64> {
        (self != Bound::NONE).then_some(self.0 >> 1)
    }

    /// Whether the bound is strict, so that the difference is below the constant.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the bound of the sum of two differences: strict if one of their bounds is.
    #[must_use]
    pub fn plus(self, other: Bound) -> Bound {
        if self == Bound::NONE || other == Bound::NONE {
            return Bound::NONE;
        }
        Bound((((self.0 >> 1) + (other.0 >> 1)) << 1) | (self.0 & other.0 & 1))
    }

    /// Returns the bound of the opposite difference where this bound does not hold: for x − y ≤ c, it is y − x < −c. Must not be called for
    /// no bound.
    #[must_use]
    pub fn negated(self) -> Bound {
        match self.is_strict() {
            true => Bound::at_most(-(self.0 >> 1)),
            false => Bound::below(-(self.0 >> 1)),
        }
    }

    /// Returns the strict bound with the same constant.
    #[must_use]
    pub fn strictly(self) -> Bound {
        match self {
            Bound::NONE => self,
            Bound(raw) => Bound(raw & !1),
        }
    }

    /// Returns the bound with the same constant that is not strict.
    #[must_use]
    pub fn weakly(self) -> Bound {
        match self {
            Bound::NONE => self,
            Bound(raw) => Bound(raw | 1),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => f.write_str("∞"),
            Some(constant) if self.is_strict() => write!(f, "<{constant}"),
            Some(constant) => write!(f, "≤{constant}"),
        }
    }
}
