//! Tables of bit vectors (states and outputs), numbered.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Estimate of the memory, in bytes, of an entry of a table besides its content: key, number and allocation.
pub(super) const PER_ENTRY: usize = 64;

/// Marks an empty slot of the hash table.
const NONE: u32 = u32::MAX;

/// Bit vectors of one length, numbered in the order of their first appearance.
///
/// The table owns no allocation per vector, so that freeing millions of states is fast.
#[derive(Debug)]
pub(crate) struct VectorTable {
    words: usize,
    contents: Vec<u64>,
    len: usize,
    /// Numbers by hash, with open addressing; the length is a power of two, at most half filled.
    slots: Vec<u32>,
    /// The last vector asked for. Consecutive steps often have equal outputs and next states.
    last: u32,
}

impl VectorTable {
    /// Returns an empty table of vectors with this number of bits.
    pub(crate) fn new(bits: usize) -> VectorTable {
        VectorTable {
            words: bits.div_ceil(64),
            contents: Vec::new(),
            len: 0,
            slots: vec![NONE; 16],
            last: 0,
        }
    }

    /// Returns the number of a vector; a new vector is added to the table.
    pub(crate) fn number(&mut self, words: &[u64]) -> u32 {
        if self.len > 0 && self.words(self.last) == words {
            return self.last;
        }
        let slot = self.slot(words);
        if self.slots[slot] == NONE {
            self.slots[slot] = self.len as u32;
            self.last = self.len as u32;
            self.len += 1;
            self.contents.extend_from_slice(words);
            if 2 * self.len > self.slots.len() {
                self.grow();
            }
        } else {
            self.last = self.slots[slot];
        }
        self.last
    }

    /// Returns the number of a vector; `None` if the table does not contain it.
    pub(crate) fn find(&self, words: &[u64]) -> Option<u32> {
        Some(self.slots[self.slot(words)]).filter(|&number| number != NONE)
    }

    /// Returns the slot in which a vector is, or would be.
    fn slot(&self, words: &[u64]) -> usize {
        let mut hasher = FxHasher::default();
        for &word in words {
            hasher.write_u64(word);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hasher.finish() as usize & mask;
        while self.slots[slot] != NONE && self.words(self.slots[slot]) != words {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![NONE; 2 * self.slots.len()];
        for number in 0..self.len as u32 {
            let slot = self.slot(self.words(number));
            self.slots[slot] = number;
        }
    }

    /// Returns all vectors in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.len as u32).map(|number| self.words(number))
    }

    /// Returns the number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the approximate memory in bytes, for the budget.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.contents.as_slice()) + size_of_val(self.slots.as_slice())
    }

    /// Returns the vector with this number, as words.
    pub(crate) fn words(&self, number: u32) -> &[u64] {
        let first = number as usize * self.words;
        &self.contents[first..first + self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_their_numbers_while_the_table_grows() {
        let mut table = VectorTable::new(70);
        let vector = |number: u64| [number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3, number % 7];
        for round in 0..2 {
            for number in 0..5_000 {
                assert_eq!(
                    table.number(&vector(number)),
                    number as u32,
                    "round {round}"
                );
            }
        }
        assert_eq!(table.len(), 5_000);
        assert_eq!(table.find(&vector(4_321)), Some(4_321));
        assert_eq!(table.find(&[0, 8]), None);
        assert_eq!(table.words(17), vector(17));
        let mut empty = VectorTable::new(0);
        assert_eq!(
            (empty.find(&[]), empty.number(&[]), empty.number(&[])),
            (None, 0, 0)
        );
    }
}
