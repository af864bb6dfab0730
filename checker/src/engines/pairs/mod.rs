//! Pairs of listed states: what kills deterministic models is found, shortest first, by walking through what original and mutant can reach
//! together.
//!
//! The steps of the original are listed once for all mutants ([`Listing`]). Original and mutant are in the same state for as long as the
//! mutation has had no effect, and there one evaluation of the mutant on what is listed says for many states at once
//! where it has one; only pairs of different states are walked one by one. Exact: a kill that is found is a shortest one,
//! and where nothing is left to visit there is none. That is no proof that can be checked; the engines that make proofs come
//! after.

mod listing;
mod search;

pub use listing::Listing;
pub use search::Walked;

/// Inputs that can matter, of which all valuations are listed, are at most so many.
const VALUATION_BITS: usize = 9;

/// Choices that only a mutant has.
const CHOICE_BITS: usize = 6;

/// Steps of the original that are listed, at most.
const STEPS: usize = 1 << 20;
/// Bytes that the list may take.
const BYTES: usize = 1 << 26;
/// Steps that an evaluation of few counts for.
const LEAST: usize = 8;
/// Steps of a mutant that is in another state than the original, at most.
const APART: usize = 1 << 19;
