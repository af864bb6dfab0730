//! What may be done in a state on an event: one out of some transitions.

/// More transitions than these are kept by nobody.
pub(crate) const MOST: u64 = 4_000_000;

/// What an implementation may do in a state on an event; `None`: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<T> {
    /// The transition.
    pub does: Option<T>,
    /// How many of the transitions written it stands for.
    pub ways: u64,
}

/// The transitions of a state on an event. There is one at least; in states of the specification its own comes first.
pub type Group<T> = Vec<Choice<T>>;

pub(crate) fn only<T>(does: Option<T>) -> Choice<T> {
    Choice { does, ways: 1 }
}

pub(crate) fn ways<T>(group: &Group<T>) -> u64 {
    group.iter().map(|choice| choice.ways).sum()
}

pub(crate) fn add<T: PartialEq>(group: &mut Group<T>, does: Option<T>, ways: u64) {
    match group.iter_mut().find(|choice| choice.does == does) {
        Some(known) => known.ways = known.ways.max(ways),
        None => group.push(Choice { does, ways }),
    }
}
