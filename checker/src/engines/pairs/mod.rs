//! Joint reachability of listed states: finds shortest kills of deterministic models by walking through the pairs of states that original
//! and mutant reach together.
//!
//! The steps of the original are listed once for all mutants ([`Listings`]). Original and mutant are in the same state until the mutation
//! has an effect; for such states one evaluation of the mutant compares many steps at once. Only pairs of different states are walked one
//! by one. The method is exact: a kill found is a shortest one, and if all pairs have been visited there is none. Mutants that agree with
//! the original in all its reachable states, if these are few, have them as proof ([`Listings::closed_sets`]). Other engines prove the
//! remaining mutants.
//!
//! If there are many inputs, one valuation of each class is listed (`crate::engines::valuations`); a class has the same effect on original
//! and mutants. Mutants are then listed in groups, so that the classes of one mutant burden few others.
//!
//! Models with choices are listed too, with all their choices. A mutant that adds no behaviour is equivalent. If outputs determine the
//! state, a mutant that adds behaviour is killed ([`Together`]).

mod alphabet;
mod joint;
mod listing;
mod listings;
mod search;
mod together;

pub use listings::{ChoosingListings, Listings};
pub use search::Walked;
pub use together::Together;

/// Largest number of bits of an input valuation, or of its class, for which valuations are listed.
const VALUATION_BITS: usize = 9;

/// Number of input bits from which on valuations are listed by classes. With fewer, the steps of a state fit into one word.
const WIDE_BITS: usize = 7;

/// Largest number of choice bits that only a mutant has; for models with choices, of the choice bits of either side.
const CHOICE_BITS: usize = 6;

/// Limit on the listed steps of the original.
const STEPS: usize = 1 << 20;
/// Limit on steps times gates for a listing by classes, a listing of a model with choices, and a mutant beside either: some tens of
/// milliseconds.
const GATE_STEPS: usize = 1 << 32;
/// Limit on the memory of a listing, in bytes.
const BYTES: usize = 1 << 26;
/// Number of steps that an evaluation counts as at least, since it computes all lanes.
const LEAST: usize = 8;
/// Largest number of listed steps of the original for which its states are used as a proof about all agreeing mutants.
const ALIKE: usize = 1 << 14;
/// Limit on the evaluated steps of a mutant from states that differ from the original's.
const APART: usize = 1 << 19;
