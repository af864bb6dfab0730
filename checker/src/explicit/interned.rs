//! Bit vectors, numbered: states and outputs.

use rustc_hash::FxHashMap;

/// Bytes that a table takes for an entry besides its content: key, number, and allocation.
pub(super) const PER_ENTRY: usize = 64;

/// Bit vectors of one length, numbered in the order of their first appearance.
#[derive(Debug)]
pub(crate) struct Interned {
    words: usize,
    contents: Vec<u64>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// The one asked for last: neighbouring steps often show the same and lead to the same.
    last: u32,
}

impl Interned {
    /// None of so many bits.
    pub(crate) fn new(bits: usize) -> Interned {
        Interned {
            words: bits.div_ceil(64),
            contents: Vec::new(),
            numbers: FxHashMap::default(),
            last: 0,
        }
    }

    /// The number of a vector, which is new if it is.
    pub(crate) fn number(&mut self, words: &[u64]) -> u32 {
        if !self.numbers.is_empty() && self.words(self.last) == words {
            return self.last;
        }
        self.last = match self.numbers.get(words) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                self.numbers.insert(words.into(), number);
                self.contents.extend_from_slice(words);
                number
            }
        };
        self.last
    }

    /// The number of a vector, if it has one.
    pub(crate) fn find(&self, words: &[u64]) -> Option<u32> {
        self.numbers.get(words).copied()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of_val(self.contents.as_slice()) + PER_ENTRY * self.numbers.len()
    }

    /// The vector with this number.
    pub(crate) fn words(&self, number: u32) -> &[u64] {
        let first = number as usize * self.words;
        &self.contents[first..first + self.words]
    }
}
