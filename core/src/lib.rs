//! The finite-state core of hyperkill: the definition of models, from typed terms down to gates.
//!
//! This package depends on no other package of the project. It reads no files, prints nothing and calls no solver. `semantics.md` §1
//! defines the meaning of a [`conditional::ConditionalMutant`].

pub mod aig;
pub mod aiger;
pub mod bit_blast;
pub mod budget;
pub mod conditional;
pub mod events;
pub mod higher_order;
pub mod lit;
pub mod liveness;
pub mod mutant;
pub mod paths;
pub mod product;
pub mod relevance;
pub mod sim;
pub mod sort;
pub mod specialise;
pub mod substitution;
pub mod suite;
pub mod system;
pub mod term;
pub mod time;
pub mod timed;
pub mod trace;
pub mod values;
pub mod verdict;
pub mod work;

pub use aig::{Aig, Reset};
pub use conditional::{ConditionalMutant, SelectorId};
pub use lit::{Lit, Var};
