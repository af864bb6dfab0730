//! Words that mutants have assigned by `=` in the place of `<=`.

use std::collections::BTreeMap;
use std::ops::Range;

/// A word: a variable, or an element of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WordId(pub usize);

/// The words, by mutant. Neighbouring words, as of a memory, are kept as one stretch. After a mutant has written to a memory, each later
/// read of a word is noted with the written words: without stretches, two memories would need the product of their sizes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Early {
    /// Stretches of words by their first; no two of a mutant overlap or touch.
    mutants: BTreeMap<usize, BTreeMap<usize, usize>>,
}

impl Early {
    /// Whether no word is noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mutants.is_empty()
    }

    /// Returns the number of stretches, of all mutants together.
    #[must_use]
    pub fn stretches(&self) -> usize {
        self.mutants.values().map(BTreeMap::len).sum()
    }

    /// Records that a mutant has assigned a word.
    pub fn insert(&mut self, mutant: usize, word: WordId) {
        self.insert_stretch(mutant, word.0..word.0 + 1);
    }

    /// Adds all words of another set.
    pub fn extend(&mut self, other: &Early) {
        for (mutant, stretches) in &other.mutants {
            for (start, end) in stretches {
                self.insert_stretch(*mutant, *start..*end);
            }
        }
    }

    fn insert_stretch(&mut self, mutant: usize, mut words: Range<usize>) {
        let stretches = self.mutants.entry(mutant).or_default();
        while let Some((&start, &end)) = stretches.range(..=words.end).next_back() {
            if end < words.start {
                break;
            }
            stretches.remove(&start);
            words = words.start.min(start)..words.end.max(end);
        }
        stretches.insert(words.start, words.end);
    }

    /// Returns the mutants for which this word is recorded, ascending: those that have assigned it by `=` in the place of `<=`.
    pub fn mutants(&self, word: WordId) -> impl Iterator<Item = usize> + '_ {
        let holds = move |stretches: &BTreeMap<usize, usize>| {
            let below = stretches.range(..=word.0).next_back();
            below.is_some_and(|(_, end)| word.0 < *end)
        };
        let mutants = self.mutants.iter();
        mutants.filter_map(move |(mutant, stretches)| holds(stretches).then_some(*mutant))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_words_of_a_memory_are_one_stretch_in_whatever_order_they_come() {
        let orders: [Vec<usize>; 3] = [
            (0..1000).collect(),
            (0..1000).rev().collect(),
            (0..1000).map(|at| at * 7 % 1000).collect(),
        ];
        for order in orders {
            let mut early = Early::default();
            for word in order {
                early.insert(3, WordId(word));
            }
            assert_eq!(early.stretches(), 1);
        }
    }

    #[test]
    fn stretches_hold_the_same_words_as_a_set_would() {
        let (mut early, mut set) = (Early::default(), BTreeSet::new());
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (mutant, word) = ((state >> 33) as usize % 3, (state >> 40) as usize % 600);
            early.insert(mutant, WordId(word));
            set.insert((word, mutant));
            let (half, rest) = (Early::default(), early.clone());
            let mut joined = half;
            joined.extend(&rest);
            assert_eq!(joined, early);
        }
        for word in 0..600 {
            let found: Vec<usize> = early.mutants(WordId(word)).collect();
            let expected = set
                .range((word, 0)..=(word, usize::MAX))
                .map(|(_, mutant)| *mutant);
            assert_eq!(found, expected.collect::<Vec<usize>>(), "of word {word}");
        }
    }
}
