//! Limits of searches among strategies and responses. They are counted, so that a question has the same answer on every machine. Limits on
//! the size of a formula are where formulas of that form are made.

/// Steps after which a strategy that reads nothing has to have come back.
pub(crate) const STRATEGY_STEPS: usize = 1_000;

/// Bits of inputs that may be chosen step by step: all their values are tried, at two steps.
pub(crate) const RESPONSE_CHOICE_BITS: usize = 5;

/// Gates of the circuits that are made for that, at most.
pub(crate) const RESPONSE_GATES: usize = 1 << 20;
