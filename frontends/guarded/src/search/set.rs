//! Sets of small numbers.

/// A set of numbers below a limit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Set(Vec<u64>);

impl Set {
    /// Returns the empty set of numbers below `limit`.
    pub(super) fn empty(limit: usize) -> Set {
        Set(vec![0; limit.div_ceil(64)])
    }

    /// Adds a number. Returns whether it is new.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether two sets have a number in common.
    pub(super) fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Returns the numbers, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let bits = (0..64).filter(move |bit| word & (1 << bit) != 0);
            bits.map(move |bit| index * 64 + bit)
        })
    }
}
