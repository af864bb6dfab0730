//! What is cut where answers depend on delays, and into which pieces.

use crate::group::Group;
use crate::guard::Interval;
use crate::machine::{Answer, Timeout};

/// Delays between two bounds of guards, and what may be answered then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The delays.
    pub during: Interval,
    /// The answers.
    pub group: Group<Answer>,
}

/// A mutation machine whose answers depend on delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    /// Names of states: those of the specification, then others.
    pub states: Vec<String>,
    /// By state and input, in the order of delays; together they are all delays.
    pub answers: Vec<Vec<Vec<Class>>>,
    /// By state.
    pub timeouts: Vec<Group<Timeout>>,
    /// How many states the specification has.
    pub own_states: usize,
}

/// How states were cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// How many parts a unit has: timeouts of pieces are in these.
    pub scale: u32,
    /// For each piece the state that it is of, and when it begins.
    pub begins: Vec<(usize, u32)>,
    /// For each piece and input the first piece of the same class of delays.
    pub places: Vec<Vec<usize>>,
    /// What was cut.
    pub whole: Whole,
}
