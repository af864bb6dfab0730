//! Limits of everything that is done for a user's formula. What is beyond them is left open, or to another step.

/// Turns of the search for formulas of the killing shape before the general steps.
pub const TURNS_OF_KILLING_SHAPE: u32 = 3;
/// Turns of responses before the states of a small model are listed.
pub const TURNS_OF_RESPONSES: u32 = 2;

/// Ways in which universal traces copy existential ones that are tried.
pub const WAYS_TO_COPY: usize = 16;
/// The same that are tried before responses are collected.
pub const WAYS_TO_COPY_FIRST: usize = 8;

/// Responses that are collected.
pub const RESPONSES: usize = 64;
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

/// Latches of a side of an inclusion whose states are listed.
pub const LATCHES_OF_SIDE: usize = 64;
/// Inputs of both sides of such an inclusion.
pub const INPUTS_OF_SIDES: usize = 16;
/// States of a side.
pub const STATES_OF_SIDE: usize = 1 << 14;
/// Steps of a side.
pub const STEPS_OF_SIDE: usize = 1 << 22;
/// Pairs of states of both sides.
pub const PAIRS_OF_SIDES: usize = 1 << 17;
/// Gates that listing them evaluates, 64 valuations at once.
pub const GATES_OF_SIDES: usize = 1 << 28;
/// Sets of states of the right side.
pub const SETS_OF_SIDE: usize = 1 << 16;
/// Rounds of a game about an inclusion.
pub const ROUNDS_OF_GAME: usize = 1 << 16;
/// Ways in all of these rounds.
pub const WAYS_OF_GAME: usize = 1 << 25;
