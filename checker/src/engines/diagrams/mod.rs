//! Binary decision diagrams: sets of states, and relations between states, as functions of their bits.
//!
//! A store of our own ([`store`]), since work has to end where counted effort, the clock or an interruption says so, in the middle of an
//! operation. The order of variables comes from the circuit ([`order`]), and relations between states and their successors stay in parts
//! ([`relation`]). What does not fit into the limits is left open, never guessed.

mod game;
mod kills;
mod operations;
mod order;
mod reachable;
mod relation;
mod runs;
mod simulation;
mod store;
mod strategy;
mod system;

pub use crate::schedule::efforts::{Among, Diagrams as Limits};
pub use kills::{Kill, kills};
pub use reachable::{Reached, reachable};
pub use simulation::simulation;
