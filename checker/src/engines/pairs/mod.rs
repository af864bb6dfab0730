//! Pairs of listed states: what kills deterministic models is found, shortest first, by walking through what original and mutant can reach
//! together.
//!
//! The steps of the original are listed once for all mutants ([`Listings`]). Original and mutant are in the same state for as long as the
//! mutation has had no effect, and there one evaluation of the mutant on what is listed says for many states at once
//! where it has one; only pairs of different states are walked one by one. Exact: a kill that is found is a shortest one,
//! and where nothing is left to visit there is none. Mutants that do the same in all few states of the original have these as their proof
//! ([`Listings::closed_sets`]); for others the engines that make proofs come after.
//!
//! Where inputs are many, valuations are listed by classes (`crate::engines::valuations`): one for each effect that valuations can have
//! on original and mutants. Mutants are then listed in groups, so that each pays for the classes of few others only.
//!
//! Models that choose are listed too, with all their choices: a mutant that never does more is equivalent, and where outputs tell the
//! state one that does is killed ([`Together`]).

mod alphabet;
mod joint;
mod listing;
mod listings;
mod search;
mod together;

pub use listings::{ChoosingListings, Listings};
pub use search::Walked;
pub use together::Together;

/// Bits that number the input valuations that are listed, at most.
const VALUATION_BITS: usize = 9;

/// Bits of inputs from which on valuations are listed by classes: with fewer, the steps of a state fit into one word.
const WIDE_BITS: usize = 7;

/// Choices that only a mutant has, at most; for models that choose, those of either side.
const CHOICE_BITS: usize = 6;

/// Steps of the original that are listed, at most.
const STEPS: usize = 1 << 20;
/// Steps times gates that a listing by classes or of a model that chooses may cost, and a mutant beside it: some tens of milliseconds.
const GATE_STEPS: usize = 1 << 32;
/// Bytes that the list may take.
const BYTES: usize = 1 << 26;
/// Steps that an evaluation of few counts for.
const LEAST: usize = 8;
/// Steps of the original that are listed where its states are a proof about all mutants that do the same there, at most.
const ALIKE: usize = 1 << 14;
/// Steps of a mutant that is in another state than the original, at most.
const APART: usize = 1 << 19;
