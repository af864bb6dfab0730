//! Limits of everything that is done for a user's formula. What is beyond them is left open, or to another step.

use super::efforts::Growing;

/// Turns of copying and expansion for formulas of the killing shape before the general steps.
pub const TURNS_OF_KILLING_SHAPE: u32 = 3;
/// Turns of each question about infinite runs before the states of a small model are listed.
pub const TURNS_OF_RESPONSES: u32 = 2;

/// Ways in which universal traces copy existential ones that are tried.
pub const WAYS_TO_COPY: usize = 16;
/// The same that are tried before responses are collected.
pub const WAYS_TO_COPY_FIRST: usize = 8;

/// Responses that are collected in the first turn.
const FIRST_RESPONSES: Growing = Growing::new(12, 1, 20);

/// Responses that may have been collected after a turn.
#[must_use]
pub fn responses(turn: u32) -> usize {
    FIRST_RESPONSES.count(turn)
}

/// Responses of which each is asked whether it does alone.
pub const RESPONSES_ASKED_ALONE: usize = 4;
/// Gates of a model of which that is asked. The answer to the formula is known by then, and must not be kept waiting.
pub const GATES_ASKED_ALONE: usize = 1 << 10;

/// The length of the longest continuation of a run to infinity that is tried, in steps.
pub const STEPS_OF_CONTINUATION: usize = 256;
/// Gates of the unrolling of such continuations.
pub const GATES_OF_CONTINUATION: usize = 4_000_000;
/// Conflicts of a solver for each question about them.
pub const CONFLICTS_OF_CONTINUATION: u32 = 100_000;

/// The most times that a condition of fairness is asked to hold.
pub const TIMES_FAIR: usize = 64;
/// Steps that a run is led on with constant inputs.
pub const STEPS_LED_ON: usize = 1 << 16;
/// Gates that this evaluates.
pub const GATES_LED_ON: usize = 1 << 27;

/// Rounds of a loop until all of a trace repeats, not only the part that its formula depends on.
pub const ROUNDS_OF_LOOP: usize = 1 << 12;

/// Latches of a side of an inclusion whose states are listed: they are the bits of a word.
pub const LATCHES_OF_SIDE: usize = 64;
/// Levels of growing effort at which states are listed. What is too large for the last one does not fit into memory.
pub const LEVELS_OF_LISTING: u32 = 3;

/// How much of a system is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Inputs of existential traces, universal traces and monitor together, in bits.
    pub inputs: usize,
    /// States of the existential traces.
    pub states: usize,
    /// Steps of the existential traces, and of the automaton beside them.
    pub steps: usize,
    /// States of the existential traces beside positions of the automaton.
    pub pairs: usize,
    /// Gates that are evaluated, 64 valuations at once.
    pub gates: usize,
}

/// How far a game about an inclusion goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    /// Sets of positions of the automaton.
    pub sets: usize,
    /// Transition profiles of sequences of steps (rounds).
    pub rounds: usize,
    /// Pairs of positions in all of these profiles.
    pub ways: usize,
}

/// What is listed at a level.
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

/// How far games go at a level.
#[must_use]
pub fn game(level: u32) -> Game {
    Game {
        sets: Growing::new(1 << 16, 2, 4).count(level),
        rounds: Growing::new(1 << 16, 2, 4).count(level),
        ways: Growing::new(1 << 25, 1, 2).count(level),
    }
}
