//! The states that are cut because answers depend on delays, and their pieces.

use crate::group::Group;
use crate::guard::Interval;
use crate::machine::{Answer, Timeout};

/// Delays between two bounds of guards, with the alternative answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The delays of the class.
    pub during: Interval,
    /// The alternative answers at these delays.
    pub group: Group<Answer>,
}

/// A mutation machine with answers that depend on delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    /// The names of states: those of the specification, then others.
    pub states: Vec<String>,
    /// The classes by state and input, in the order of delays; they cover all delays.
    pub answers: Vec<Vec<Vec<Class>>>,
    /// The timeouts by state.
    pub timeouts: Vec<Group<Timeout>>,
    /// The number of states of the specification.
    pub own_states: usize,
}

/// The pieces into which states are cut at the bounds of guards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The number of parts of a unit. Timeouts of pieces are in parts.
    pub scale: u32,
    /// For each piece the number of its state, and its beginning in parts of a unit.
    pub begins: Vec<(usize, u32)>,
    /// For each piece and input the first piece of the same class of delays.
    pub places: Vec<Vec<usize>>,
    /// The machine before the cut.
    pub whole: Whole,
}
