//! The brute-force oracle: semantics.md §1 and §2 read literally, by enumeration of states, inputs and choices.
//!
//! [`Oracle`] holds one mutant and its original as complete step tables and answers every question of §2 exactly. It answers for a given
//! input sequence ([`responses`](Oracle::responses), [`validate_test`](Oracle::validate_test)) and over all input sequences of every length
//! ([`potential_kill`](Oracle::potential_kill) and its neighbours). It also answers over all adaptive tests
//! ([`adaptive_kill`](Oracle::adaptive_kill)). [`Machine`] gives the outputs that a test must allow (§4). [`formulas`] decides formulas
//! over infinite traces. On much larger circuits [`explicit`] answers φ1, and [`subsets`] answers potential and definite killability.
//! [`validity`] decides which mutants are models.
//!
//! It shares no code with the engines: separate evaluation of gates, separate products, no solver. It never approximates: a question too
//! large to enumerate is the error [`TooLarge`].

mod adaptive;
mod allowed;
pub mod explicit;
pub mod formulas;
mod game;
mod graph;
mod machine;
mod responses;
mod search;
pub mod subsets;
mod validate;
pub mod validity;

use hyperkill_core::{ConditionalMutant, SelectorId};

pub use adaptive::{Branch, Tree, TreeDefect};
pub use allowed::Taken;
pub use machine::{Machine, Move, State, Word};
pub use responses::{OutputSequences, Responses};
pub use validate::{Defect, Strength, Test};

/// The question is beyond enumeration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too large to enumerate: {what}")]
pub struct TooLarge {
    /// The quantity that exceeds its limit.
    pub what: String,
}

/// An input sequence, one word per step: bit k of a word is the k-th bit of
/// [`ConditionalMutant::input_bits`].
pub type Stimulus = Vec<Word>;

/// The original and one mutant, as step tables.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The original: all selectors are 0.
    pub original: Machine,
    /// The mutant: exactly one selector is 1.
    pub mutant: Machine,
}

impl Oracle {
    /// Builds the tables of both sides for the mutant behind `model.selectors[selector]`.
    ///
    /// # Errors
    ///
    /// If the tables would be too large.
    pub fn new(model: &ConditionalMutant, selector: SelectorId) -> Result<Oracle, TooLarge> {
        Ok(Oracle {
            original: Machine::new(model, None)?,
            mutant: Machine::new(model, Some(selector))?,
        })
    }
}
