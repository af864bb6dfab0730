//! Limits of all methods for a user's formula. A step that reaches its limit leaves the question to other steps, or open.

use super::efforts::Growing;

/// Number of turns of copying and expansion for formulas of the killing shape, □A ∧ (□B → ◇C), before the general steps.
pub const TURNS_OF_KILLING_SHAPE: u32 = 3;
/// Number of turns of each question about infinite runs in the first turn of the schedule, before the states of a small model are listed.
pub const TURNS_OF_RESPONSES: u32 = 2;

/// Length, in steps, of the first traces that are searched up to a bound. It doubles until the bound.
pub const FIRST_STEPS_WITHIN_THE_BOUND: usize = 4;

/// Number of steps that a run with finite traces needs after their end until its state recurs, without past operators.
pub const END_OF_FINITE_TRACES: usize = 2;

/// Largest number of ways in which universal traces copy existential ones that are tried.
pub const WAYS_TO_COPY: usize = 16;
/// Largest number of ways in which universal traces copy existential ones that are tried before responses are collected.
pub const WAYS_TO_COPY_FIRST: usize = 8;

/// Limit on the responses of universal traces collected in all by the end of a turn: 12 in the first, doubled with each turn.
const FIRST_RESPONSES: Growing = Growing::new(12, 1, 20);

/// Returns the limit on the total number of responses collected by the end of a turn, counted from 0.
#[must_use]
pub fn responses(turn: u32) -> usize {
    FIRST_RESPONSES.count(turn)
}

/// Largest number of responses for which each is also tried alone as a refutation of all existential traces.
pub const RESPONSES_ASKED_ALONE: usize = 4;
/// Largest model, in gates, for which each response is also tried alone. The formula's answer is known by then and must not wait for this.
pub const GATES_ASKED_ALONE: usize = 1 << 10;

/// Length in steps of the longest infinite continuation of a run that is tried.
pub const STEPS_OF_CONTINUATION: usize = 256;
/// Limit on the gates of the unrolling of an infinite continuation.
pub const GATES_OF_CONTINUATION: usize = 4_000_000;
/// Limit on conflicts of each solver call about an infinite continuation.
pub const CONFLICTS_OF_CONTINUATION: u32 = 100_000;

/// Limit of k-liveness: the largest number of times that a fairness condition is required to hold.
pub const TIMES_FAIR: usize = 64;
/// Limit on the steps by which a run is extended with constant inputs.
pub const STEPS_LED_ON: usize = 1 << 16;
/// Limit on the gates evaluated to extend a run with constant inputs.
pub const GATES_LED_ON: usize = 1 << 27;

/// Iterations of a loop within which the complete state of a trace must recur, not only the part that its formula depends on.
pub const ROUNDS_OF_LOOP: usize = 1 << 12;

/// Largest number of latches of one side of an inclusion whose states are listed: a state is one 64-bit word.
pub const LATCHES_OF_SIDE: usize = 64;
/// Number of levels of growing effort for listing. States beyond the last level do not fit into memory.
pub const LEVELS_OF_LISTING: u32 = 3;

/// Limits of listing the states of existential traces and the automaton of their refutations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Inputs of existential traces, universal traces and monitor together, in bits.
    pub inputs: usize,
    /// Number of states of the existential traces.
    pub states: usize,
    /// Number of steps of the existential traces, and of the automaton beside them.
    pub steps: usize,
    /// Pairs of a state of the existential traces and a position of the automaton.
    pub pairs: usize,
    /// Number of evaluated gates, each for 64 valuations at once.
    pub gates: usize,
}

/// Limits of a game that decides an inclusion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    /// Number of sets of positions of the automaton.
    pub sets: usize,
    /// Number of transition profiles of sequences of steps (Ramsey).
    pub rounds: usize,
    /// Total number of pairs of positions in transition profiles.
    pub ways: usize,
}

/// Returns the limits of listing at a level, counted from 0.
#[must_use]
pub fn listing(level: u32) -> Listing {
    Listing {
        inputs: 16 + 2 * level as usize,
        states: Growing::new(1 << 14, 2, 4).count(level),
        steps: Growing::new(1 << 22, 1, 1).count(level),
        pairs: Growing::new(1 << 17, 2, 4).count(level),
        gates: Growing::new(1 << 28, 3, 6).count(level),
    }
}

/// Returns the limits of games at a level, counted from 0.
#[must_use]
pub fn game(level: u32) -> Game {
    Game {
        sets: Growing::new(1 << 16, 2, 4).count(level),
        rounds: Growing::new(1 << 16, 2, 4).count(level),
        ways: Growing::new(1 << 25, 1, 2).count(level),
    }
}
