//! What mutation is in every language: rules that propose edits of the source, and the catalogue that makes mutants of them.
//!
//! A language says which places its rules look at and what they propose there. Ids, copies of the same mutant, numbers of places that
//! look alike, limits and the order are the same for all and come from [`Catalogue`].

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
