//! Closed sets that show that every choice of existential traces is refuted: an inclusion of automata, with the data that a check needs.
//!
//! An automaton reads the existential (outer) traces and accepts if inner traces refute them: `formulas::Inner`. Its positions are the
//! values of the inner latches and the condition that is awaited next. Conditions are met in their order, and the automaton accepts if the
//! last one is met infinitely often.

/// A position of the automaton, which reads the existential traces.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Values of the inner latches, one bool each.
    pub latches: Vec<bool>,
    /// The index of the acceptance condition that is awaited; 0 if there are none.
    pub waits_for: usize,
}

/// A lower bound on the positions of the automaton after a finite prefix of outer traces: it can be in all of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The outer state at the end of the prefix, as an index of [`Inclusion::outer`].
    pub outer: usize,
    /// The positions, as ascending indices of [`Inclusion::inner`].
    pub positions: Vec<usize>,
}

/// A lower bound on the links between positions of the automaton along outer paths from one state to another: a transition profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ways {
    /// The outer state at the start, as an index of [`Inclusion::outer`].
    pub from: usize,
    /// The outer state at the end, as an index of [`Inclusion::outer`].
    pub to: usize,
    /// The links, ascending: the positions at the start and the end (indices of [`Inclusion::inner`]), and whether all conditions are met
    /// between.
    pub ways: Vec<(usize, usize, bool)>,
}

/// The evidence that the automaton accepts all infinite outer traces.
///
/// The sets contain the initial positions, and the successors of each set under a step contain a listed set; none is empty. This suffices
/// if the automaton has no conditions. Otherwise the profiles start at outer states that every infinite trace meets infinitely often. They
/// contain the profiles of single steps, and each sequence of steps has at least the links of a listed profile. From each set with the same
/// outer state each loop leads into an accepting one. By Ramsey's theorem each outer trace is, from some step on, a sequence of loops with
/// one profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inclusion {
    /// The states of the outer traces that the evidence lists, as values of the outer latches.
    pub outer: Vec<Vec<bool>>,
    /// The positions of the automaton that the evidence lists.
    pub inner: Vec<Position>,
    /// The lower bounds on positions after finite prefixes.
    pub sets: Vec<Reached>,
    /// The transition profiles of loops and of their beginnings.
    pub ways: Vec<Ways>,
}
