//! Limits of searches among strategies and responses. They are counted, so that a question has the same answer on every machine. Limits on
//! the size of a formula are where formulas of that form are made.

/// Largest number of steps for which a strategy without inputs is run until a state recurs.
pub(crate) const STRATEGY_STEPS: usize = 1_000;

/// Largest number of input bits that a response chooses step by step: all their values are tried, at the current and the next step.
pub(crate) const RESPONSE_CHOICE_BITS: usize = 5;

/// Largest number of gates of the copies that are made for that, one for each pair of values.
pub(crate) const RESPONSE_GATES: usize = 1 << 20;
