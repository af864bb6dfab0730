//! Sets of states as conjunctions of literals over state variables.

use std::ops::Not;

/// A state variable or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct StateLit(u32);

impl StateLit {
    /// Returns the literal that is true where the variable with this index has this value.
    pub(super) fn new(variable: usize, value: bool) -> StateLit {
        StateLit((variable as u32) << 1 | u32::from(value))
    }

    /// Returns the index of the literal's variable.
    pub(super) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns the value of the variable that makes the literal true.
    pub(super) fn value(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for StateLit {
    type Output = StateLit;
    fn not(self) -> StateLit {
        StateLit(self.0 ^ 1)
    }
}

/// The set of states in which all of some literals are true. Its complement is a clause, which a lemma states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cube {
    /// The literals, sorted, with no variable twice.
    lits: Vec<StateLit>,
    /// A hash with one bit per literal, several literals to a bit. A subsuming cube has a subset of the other's bits.
    signature: u64,
}

impl Cube {
    pub(super) fn new(mut lits: Vec<StateLit>) -> Cube {
        lits.sort_unstable();
        lits.dedup();
        let signature = lits.iter().fold(0, |bits, lit| bits | 1 << (lit.0 % 64));
        Cube { lits, signature }
    }

    pub(super) fn lits(&self) -> &[StateLit] {
        &self.lits
    }

    pub(super) fn len(&self) -> usize {
        self.lits.len()
    }

    pub(super) fn contains(&self, lit: StateLit) -> bool {
        self.lits.binary_search(&lit).is_ok()
    }

    /// Returns the cube of those of its literals that `keep` accepts.
    pub(super) fn filtered(&self, keep: impl FnMut(&StateLit) -> bool) -> Cube {
        Cube::new(self.lits.iter().copied().filter(keep).collect())
    }

    /// Whether the cube contains all states of `other`: its literals are a subset of the other's.
    pub(super) fn subsumes(&self, other: &Cube) -> bool {
        if self.lits.len() > other.lits.len() || self.signature & !other.signature != 0 {
            return false;
        }
        let mut theirs = other.lits.iter();
        self.lits.iter().all(|lit| theirs.any(|their| their == lit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(lits: &[(usize, bool)]) -> Cube {
        Cube::new(
            lits.iter()
                .map(|&(v, value)| StateLit::new(v, value))
                .collect(),
        )
    }

    #[test]
    fn a_cube_subsumes_those_with_more_literals() {
        let large = cube(&[(3, true), (40, false)]);
        assert!(large.subsumes(&cube(&[(40, false), (3, true), (7, true)])));
        assert!(large.subsumes(&large));
        assert!(!large.subsumes(&cube(&[(3, true), (40, true), (7, true)])));
        assert!(!large.subsumes(&cube(&[(3, true)])));
        assert!(cube(&[]).subsumes(&large));
    }
}
