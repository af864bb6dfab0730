//! The effort of a search.

/// The effort of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// States of the model in which mutants were tried (the exploration of Fig. 2).
    pub reached: usize,
    /// States that searches for observations have visited.
    pub taken: usize,
    /// The states that were expanded.
    pub visited: usize,
    /// The states that were cut and resumed.
    pub resumed: usize,
    /// Steps of the interpreter.
    pub steps: usize,
}
