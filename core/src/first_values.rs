//! The first values of a circuit's latches.
//!
//! A model of second order may have 100,000 latches for selectors, whose first values a run leaves at 0. So only the latches that start
//! with 1 are stored.

use std::cmp::Ordering;
use std::ops::Index;

/// One bool for each latch of a circuit, in the order of the latches.
///
/// Values are ordered like the lists of bools that they stand for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FirstValues {
    latches: usize,
    /// The latches that start with 1, ascending.
    ones: Vec<usize>,
}

impl FirstValues {
    /// Returns 0 for each of `latches` latches.
    #[must_use]
    pub fn zeros(latches: usize) -> FirstValues {
        FirstValues {
            latches,
            ones: Vec::new(),
        }
    }

    /// Returns 1 for the latches in `ones`, in any order, and 0 for all other ones of `latches` latches; `None` if there is no such latch.
    #[must_use]
    pub fn with_ones(latches: usize, ones: impl IntoIterator<Item = usize>) -> Option<FirstValues> {
        let mut ones: Vec<usize> = ones.into_iter().collect();
        ones.sort_unstable();
        ones.dedup();
        let fits = ones.last().is_none_or(|&last| last < latches);
        fits.then_some(FirstValues { latches, ones })
    }

    /// Returns the number of latches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.latches
    }

    /// Whether the circuit has no latches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.latches == 0
    }

    /// Returns the first value of a latch; `None` if there is no such latch.
    #[must_use]
    pub fn get(&self, latch: usize) -> Option<bool> {
        (latch < self.latches).then(|| self.ones.binary_search(&latch).is_ok())
    }

    /// Sets the first value of a latch. The latch must exist.
    pub fn set(&mut self, latch: usize, value: bool) {
        debug_assert!(latch < self.latches, "latch {latch} of {}", self.latches);
        match (self.ones.binary_search(&latch), value) {
            (Ok(place), false) => drop(self.ones.remove(place)),
            (Err(place), true) => self.ones.insert(place, latch),
            _ => {}
        }
    }

    /// Returns the values, one for each latch.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            next: 0,
            latches: self.latches,
            ones: &self.ones,
        }
    }

    /// Returns the latches that start with 1, ascending.
    #[must_use]
    pub fn ones(&self) -> &[usize] {
        &self.ones
    }

    /// Returns the values as a list, one bool for each latch.
    #[must_use]
    pub fn to_vec(&self) -> Vec<bool> {
        self.iter().collect()
    }
}

impl Index<usize> for FirstValues {
    type Output = bool;

    /// Returns the first value of a latch. Panics if there is no such latch.
    fn index(&self, latch: usize) -> &bool {
        match self.get(latch) {
            Some(true) => &true,
            Some(false) => &false,
            None => panic!("there is no latch {latch} among {}", self.latches),
        }
    }
}

impl FromIterator<bool> for FirstValues {
    fn from_iter<T: IntoIterator<Item = bool>>(values: T) -> FirstValues {
        let mut found = FirstValues::default();
        for value in values {
            if value {
                found.ones.push(found.latches);
            }
            found.latches += 1;
        }
        found
    }
}

impl From<Vec<bool>> for FirstValues {
    fn from(values: Vec<bool>) -> FirstValues {
        values.into_iter().collect()
    }
}

impl PartialEq<[bool]> for FirstValues {
    fn eq(&self, values: &[bool]) -> bool {
        self.iter().eq(values.iter().copied())
    }
}

impl Ord for FirstValues {
    fn cmp(&self, other: &FirstValues) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        // At the first difference the list with the smaller latch has the value 1, unless it is behind the end of the other list.
        let (own, theirs) = (self.ones.iter(), other.ones.iter());
        let mut pairs = own.zip(theirs);
        if let Some((own, theirs)) = pairs.find(|(own, theirs)| own != theirs) {
            let first = own.min(theirs);
            if *first < self.latches.min(other.latches) {
                return theirs.cmp(own);
            }
        }
        self.iter().cmp(other.iter())
    }
}

impl PartialOrd for FirstValues {
    fn partial_cmp(&self, other: &FirstValues) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The values, one for each latch.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    next: usize,
    latches: usize,
    /// The remaining latches that start with 1.
    ones: &'a [usize],
}

impl Iterator for Iter<'_> {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        if self.next == self.latches {
            return None;
        }
        let value = match self.ones.split_first() {
            Some((&one, rest)) if one == self.next => {
                self.ones = rest;
                true
            }
            _ => false,
        };
        self.next += 1;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.latches - self.next;
        (rest, Some(rest))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a FirstValues {
    type Item = bool;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all lists of up to four bools.
    fn lists() -> Vec<Vec<bool>> {
        let of_length = |length: usize| {
            let list = move |code: usize| (0..length).map(|bit| code >> bit & 1 == 1).collect();
            (0..1 << length).map(list)
        };
        (0..5).flat_map(of_length).collect()
    }

    #[test]
    fn first_values_are_the_list_that_they_were_made_of() {
        for list in lists() {
            let values: FirstValues = list.iter().copied().collect();
            assert_eq!(values.to_vec(), list);
            assert_eq!(values.len(), list.len());
            for (latch, &value) in list.iter().enumerate() {
                assert_eq!((values[latch], values.get(latch)), (value, Some(value)));
            }
            assert_eq!(values.get(list.len()), None);
            let ones = values.ones().iter().copied();
            let again = FirstValues::with_ones(list.len(), ones.rev());
            assert_eq!(again.as_ref(), Some(&values));
            assert_eq!(FirstValues::with_ones(list.len(), [list.len()]), None);
        }
    }

    #[test]
    fn first_values_are_ordered_like_lists() {
        let lists = lists();
        for one in &lists {
            for other in &lists {
                let [left, right] = [one, other].map(|list| FirstValues::from(list.clone()));
                assert_eq!(left.cmp(&right), one.cmp(other), "{one:?} {other:?}");
                assert_eq!(left == right, one == other);
            }
        }
    }

    #[test]
    fn a_value_that_is_set_changes_no_other_one() {
        for list in lists() {
            for latch in 0..list.len() {
                for value in [false, true] {
                    let mut values = FirstValues::from(list.clone());
                    values.set(latch, value);
                    let mut changed = list.clone();
                    changed[latch] = value;
                    assert_eq!(values.to_vec(), changed);
                }
            }
        }
    }
}
