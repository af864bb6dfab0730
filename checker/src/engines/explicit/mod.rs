//! Explicit states: exact, unbounded answers for models whose states can be listed.
//!
//! The engine implements the definitions of semantics.md §2 directly, over sets of states. Models that are too large get
//! [`Explored::TooLarge`].

mod acceptance;
mod adaptive;
mod evaluator;
mod existing;
mod game;
mod game_tree;
mod known_steps;
mod machine;
mod plan;
mod search;
mod sets;
mod simulation_relation;
mod subsets;
mod vectors;
mod witness;

pub use crate::schedule::efforts::Listing;
pub use acceptance::{Accepted, acceptance};
pub use adaptive::{adaptive, adaptive_knowing};
pub use known_steps::KnownSteps;
pub use simulation_relation::simulation;
pub use subsets::{definite, definite_knowing, potential, potential_knowing};
pub(crate) use vectors::VectorTable;

use hyperkill_core::budget::Stop;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::closed_set::ClosedSet;
use hyperkill_evidence::strategy_tree::StrategyTree;

/// A test that kills, as runs of both sides on its inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// A run of the original on the inputs. For a potential kill it agrees with the mutant's run for as many steps as possible.
    pub model_run: Stimulus,
    /// A run of the mutant on the inputs. For a potential kill no run of the original has its outputs.
    pub mutant_run: Stimulus,
}

/// A kill by an adaptive test, whose inputs depend on the outputs seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adaptive {
    /// The tester's strategy as a tree.
    pub tree: StrategyTree,
    /// The inputs of one play that ends in a fail: the mutant's run there, and a run of the model on these inputs that agrees with it for
    /// as many steps as possible.
    pub witness: Witness,
    /// Whether no strategy has less depth. False if the effort ended the search.
    pub shortest: bool,
}

/// The answer to an unbounded question, with a kill `K` or a proof `P` that there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explored<K, P = ClosedSet> {
    /// The shortest kill.
    Killed(K),
    /// The proof that no kill exists. Not yet certified.
    Excluded(P),
    /// The effort did not suffice; no kill of at most `refuted` steps exists.
    TooLarge {
        /// Length, in steps, up to which no kill exists.
        refuted: usize,
    },
    /// The budget ended the search; no kill of at most `refuted` steps exists.
    Stopped {
        /// Length, in steps, up to which no kill exists.
        refuted: usize,
        /// The limit of the budget that ended the search.
        stop: Stop,
    },
}
