//! Variables and literals of an and-inverter graph, in AIGER's numbering.

use std::fmt;
use std::ops::{BitXor, Not};

/// A node of an [`Aig`](crate::Aig). Variable 0 is the constant false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(u32);

impl Var {
    /// The node of the constant false.
    pub const CONST: Var = Var(0);

    /// Returns the variable with this number.
    #[must_use]
    #[inline]
    pub const fn new(index: usize) -> Var {
        Var(index as u32)
    }

    /// Returns the number of the variable, an index into per-node tables.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the positive literal of this variable.
    #[must_use]
    #[inline]
    pub const fn lit(self) -> Lit {
        Lit(self.0 << 1)
    }
}

/// A variable or its complement: AIGER's literal, `2 * variable + complemented`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant false, AIGER literal 0.
    pub const FALSE: Lit = Lit(0);
    /// The constant true, AIGER literal 1.
    pub const TRUE: Lit = Lit(1);

    /// Returns the literal with this AIGER code.
    #[must_use]
    #[inline]
    pub const fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Returns the AIGER code: twice the variable, plus one if negated.
    #[must_use]
    #[inline]
    pub const fn code(self) -> u32 {
        self.0
    }

    /// Returns the constant with this truth value.
    #[must_use]
    #[inline]
    pub const fn constant(value: bool) -> Lit {
        Lit(value as u32)
    }

    /// Returns the variable of the literal.
    #[must_use]
    #[inline]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this is the complement of its variable.
    #[must_use]
    #[inline]
    pub const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether this is one of the two constants.
    #[must_use]
    #[inline]
    pub const fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// Returns the truth value of a constant literal; `None` for other literals.
    #[must_use]
    #[inline]
    pub const fn as_constant(self) -> Option<bool> {
        match self.0 {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// `lit ^ true` is the complement.
impl BitXor<bool> for Lit {
    type Output = Lit;
    fn bitxor(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.is_negated() { "!" } else { "" },
            self.0 >> 1
        )
    }
}
