//! The outputs that tests of a suite allow besides their own (semantics.md §4).

/// The parts of a test's run that an allowed output has in common with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Allowing {
    /// Inputs, outputs and states before the step, and the step's input \[3, Def. 2\]. The state at the step itself is free, except for
    /// latches that store the state before ([`hyperkill_core::ConditionalMutant::showing_state_before`]).
    Local,
    /// Inputs and outputs before the step, and the step's input.
    Global,
}
