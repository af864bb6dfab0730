//! Binary decision diagrams: sets of states, and relations between states, as functions of their bits.
//!
//! The store (`store`) is our own, since an operation must end at a limit of counted effort, at a deadline or on interruption. The circuit
//! determines the order of variables (`order`), and transition relations stay partitioned (`relation`). A question that exceeds the limits
//! is left open.

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

/// Whether diagrams of this model are worth trying: few enough latches are in the cone of influence of outputs and constraints.
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
