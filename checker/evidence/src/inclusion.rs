//! Closed sets that show that every choice of existential traces is refuted: an inclusion of automata, with what is needed to check it.
//!
//! What refutes is an automaton that reads the existential (outer) traces: `formulas::Inner`. Its positions are the values of the inner
//! latches and the condition that is waited for next; conditions are met in their order, and the automaton accepts where the last one is
//! met again and again.

/// A position of the automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Values of the inner latches.
    pub latches: Vec<bool>,
    /// Which condition is waited for; 0 if there are none.
    pub waits_for: usize,
}

/// Where the automaton can be after some first steps of outer traces, at least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The outer state, by its number.
    pub outer: usize,
    /// Positions, by their numbers, ascending.
    pub positions: Vec<usize>,
}

/// How the automaton can go while outer traces lead from one state to another, at least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ways {
    /// The outer state before, by its number.
    pub from: usize,
    /// The outer state behind.
    pub to: usize,
    /// From which position to which, and whether all conditions are met on the way; ascending.
    pub ways: Vec<(usize, usize, bool)>,
}

/// That the automaton accepts all outer traces that go on for ever.
///
/// The sets contain the first positions, and with every step some part of what it makes of them; none is empty. That is all where the
/// automaton has no conditions. Else the ways contain, for steps from some outer states that every endless trace meets again and again,
/// some part of what each sequence of steps allows; and from each set with the same outer state each round leads into an accepting loop.
/// By Ramsey's theorem each outer trace is, from some step on, one round after the other, all with the same ways.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inclusion {
    /// Values of the outer latches.
    pub outer: Vec<Vec<bool>>,
    /// Positions.
    pub inner: Vec<Position>,
    /// After the first steps.
    pub sets: Vec<Reached>,
    /// Of rounds, and of beginnings of rounds.
    pub ways: Vec<Ways>,
}
