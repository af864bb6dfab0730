//! States of a system: copies share values until they change.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Formatter};
use std::iter::FlatMap;
use std::ops::{Index, IndexMut};
use std::slice;
use std::sync::Arc;

use hyperkill_core::sort::Value;

/// The number of values per part. Copies of a state share unchanged parts.
const TOGETHER: usize = 32;

/// The values of all variables in their order, then the last values of the ports of the model.
///
/// Values are stored in groups of 32, which copies of a state share. A change of a value copies only its group.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// Groups of [`TOGETHER`] values; the last one may have fewer.
    parts: Vec<Arc<Vec<Value>>>,
}

/// The values of a state in their order.
type Iter<'s> = FlatMap<
    slice::Iter<'s, Arc<Vec<Value>>>,
    slice::Iter<'s, Value>,
    fn(&'s Arc<Vec<Value>>) -> slice::Iter<'s, Value>,
>;

impl State {
    /// Returns a state without values.
    #[must_use]
    pub fn new() -> State {
        State::default()
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.parts.split_last() {
            Some((last, before)) => before.len() * TOGETHER + last.len(),
            None => 0,
        }
    }

    /// Whether the state has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the values in order.
    pub fn iter(&self) -> Iter<'_> {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: Value) {
        match self.parts.last_mut() {
            Some(last) if last.len() < TOGETHER => Arc::make_mut(last).push(value),
            _ => self.parts.push(Arc::new(vec![value])),
        }
    }

    /// Returns the first values; all if there are fewer than `count`.
    #[must_use]
    pub fn first(&self, count: usize) -> State {
        let whole = (count / TOGETHER).min(self.parts.len());
        let mut parts = self.parts[..whole].to_vec();
        if let Some(last) = self.parts.get(whole) {
            let rest = &last[..(count % TOGETHER).min(last.len())];
            if !rest.is_empty() {
                parts.push(Arc::new(rest.to_vec()));
            }
        }
        State { parts }
    }
}

impl Ord for State {
    fn cmp(&self, other: &State) -> Ordering {
        let both = self.parts.iter().zip(&other.parts);
        let mut differing = both.filter(|(ours, theirs)| !Arc::ptr_eq(ours, theirs));
        differing
            .find_map(|(ours, theirs)| Some(ours.cmp(theirs)).filter(|order| order.is_ne()))
            .unwrap_or_else(|| self.parts.len().cmp(&other.parts.len()))
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &State) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Debug for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'s> IntoIterator for &'s State {
    type Item = &'s Value;
    type IntoIter = Iter<'s>;

    fn into_iter(self) -> Iter<'s> {
        self.iter()
    }
}

impl Index<usize> for State {
    type Output = Value;

    fn index(&self, place: usize) -> &Value {
        &self.parts[place / TOGETHER][place % TOGETHER]
    }
}

impl IndexMut<usize> for State {
    fn index_mut(&mut self, place: usize) -> &mut Value {
        &mut Arc::make_mut(&mut self.parts[place / TOGETHER])[place % TOGETHER]
    }
}

impl Extend<Value> for State {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<Value> for State {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> State {
        let mut state = State::new();
        state.extend(values);
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64]) -> State {
        values.iter().map(|value| Value::Int(*value)).collect()
    }

    #[test]
    fn states_are_in_the_order_of_their_values_wherever_they_are_cut() {
        let long: Vec<i64> = (0..70).collect();
        let mut all = Vec::new();
        for length in [0, 1, 31, 32, 33, 64, 65, 70] {
            all.push(long[..length].to_vec());
            for place in [0, 31, 32, 63, 64, 69] {
                if place < length {
                    let mut other = long[..length].to_vec();
                    other[place] = 31;
                    all.push(other);
                }
            }
        }
        for ours in &all {
            let state = of(ours);
            assert_eq!(state.len(), ours.len());
            assert_eq!(state.is_empty(), ours.is_empty());
            let values: Vec<Value> = state.iter().cloned().collect();
            assert_eq!(format!("{state:?}"), format!("{values:?}"));
            for count in [0, 1, 31, 32, 33, 64, 70, 71] {
                assert_eq!(state.first(count), of(&ours[..count.min(ours.len())]));
            }
            for theirs in &all {
                assert_eq!(
                    state.cmp(&of(theirs)),
                    ours.cmp(theirs),
                    "{ours:?} {theirs:?}"
                );
                assert_eq!(state == of(theirs), ours == theirs);
            }
        }
    }

    #[test]
    fn a_changed_copy_leaves_the_state_as_it_was() {
        let before = of(&(0..70).collect::<Vec<i64>>());
        for place in [0, 31, 32, 69] {
            let mut copy = before.clone();
            copy[place] = Value::Int(-1);
            assert_eq!(copy[place], Value::Int(-1));
            assert_eq!(before[place], Value::Int(place as i64));
            let differing = before.iter().zip(copy.iter()).filter(|(a, b)| a != b);
            assert_eq!(differing.count(), 1);
            assert!(copy < before);
        }
    }
}
