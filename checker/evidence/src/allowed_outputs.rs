//! What the tests of a suite allow besides their own outputs (semantics.md §4).

/// What an allowed output has in common with the test's run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Allowing {
    /// Inputs, outputs and states before the step, and the step's input \[3, Def. 2\]. The state at the step itself is free, but for
    /// latches that keep what was state before ([`hyperkill_core::ConditionalMutant::showing_state_before`]).
    Local,
    /// Inputs and outputs before the step, and the step's input.
    Global,
}
