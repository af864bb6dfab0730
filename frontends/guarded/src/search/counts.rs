//! The effort of a search.

/// How much was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// States of the model in which mutants were tried.
    pub reached: usize,
    /// States that searches for observations have taken.
    pub taken: usize,
    /// Those of them that they went on from.
    pub visited: usize,
    /// Those that were cut and taken again.
    pub resumed: usize,
    /// Steps of the interpreter.
    pub steps: usize,
}
