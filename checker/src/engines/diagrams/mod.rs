//! Binary decision diagrams: sets of states, and relations between states, as functions of their bits.
//!
//! A store of our own (`store`), since work has to end where counted effort, the clock or an interruption says so, in the middle of an
//! operation. The order of variables comes from the circuit (`order`), and relations between states and their successors stay in parts
//! (`relation`). What does not fit into the limits is left open, never guessed.

mod circuit;
mod estimates;
mod game;
mod kills;
mod near;
mod operations;
mod order;
mod reachable;
mod relation;
mod runs;
mod simulation;
mod store;
mod strategy;
mod system;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Cone;

use crate::schedule::efforts::MOST_LATCHES;
pub use crate::schedule::efforts::{Among, Diagrams as Limits};
pub use kills::{Kill, Searched, search};
pub use reachable::{Reached, reachable};
pub use simulation::simulation;
pub(crate) use store::{Bdd, Level, Store};

/// Whether the sets of states of this model are worth trying: it has few enough latches that outputs and constraints depend on.
#[must_use]
pub fn may_fit(model: &ConditionalMutant) -> bool {
    let aig = &model.aig;
    let seen = aig.outputs.iter().chain(&aig.constraints);
    let cone = Cone::sequential(aig, seen.map(|signal| signal.lit));
    let selectors = model.selector_of_latch();
    let latches = aig.latches().iter().zip(selectors);
    let kept = latches.filter(|(latch, of)| of.is_none() && cone.contains(latch.var));
    kept.count() <= MOST_LATCHES
}
