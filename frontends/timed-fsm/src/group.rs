//! The alternatives of a state on an event; an implementation has exactly one of them.

/// The number of transitions in a domain, at most. All of them are kept in memory.
pub(crate) const MAX_TRANSITIONS: u64 = 4_000_000;

/// An alternative of a state on an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<T> {
    /// The transition; `None`: no transition.
    pub does: Option<T>,
    /// The number of transitions in the text that this alternative stands for.
    pub ways: u64,
}

/// The alternatives of a state on an event, at least one. In states of the specification its own comes first.
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
