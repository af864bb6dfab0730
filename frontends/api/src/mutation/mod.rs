//! Mutation, independent of the language: rules that propose edits of the source, and the catalogue that makes mutants of them.
//!
//! A language determines the places of its rules and their proposals. [`Catalogue`] provides ids, the detection of equal mutants, the
//! numbers of similar places, limits and the order for all languages.

mod apart;
mod applied;
mod catalogue;
mod exchanged;
mod excluded;
mod rules;

pub use apart::apart;
pub use applied::{StaleMutant, apply};
pub use catalogue::{Catalogue, Edit, Mutation};
pub use exchanged::{Operand, exchanged};
pub use excluded::{Comment, Switch, excluded, switched_off};
pub use rules::{Rule, Rules};
