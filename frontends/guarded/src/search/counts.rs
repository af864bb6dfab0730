//! The effort of a search.

/// The effort of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// States of the model in which mutants were tried (the exploration of Fig. 2).
    pub reached: usize,
    /// The number of states that searches for observations have visited.
    pub taken: usize,
    /// The number of states that were expanded.
    pub visited: usize,
    /// The number of states that were cut and resumed.
    pub resumed: usize,
    /// The number of steps of the interpreter.
    pub steps: usize,
}
