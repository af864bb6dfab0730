//! The states that runs get to, counted.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;

use super::Limits;
use super::system::{MODEL, MUTANT, System};

/// How many states runs get to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reached {
    /// States that some run enters, as valuations of the latches that outputs and constraints read, at once or later. Nothing need
    /// leave the last state of a run.
    pub states: f64,
    /// The steps of the shortest run that enters the farthest of them.
    pub steps: usize,
    /// Nodes of the diagram of all of them.
    pub nodes: usize,
}

/// The states that runs of one variant get to.
///
/// # Errors
/// If limits or budget end it.
pub fn reachable(
    model: &ConditionalMutant,
    variant: Variant,
    limits: Limits,
    budget: &Budget,
) -> Result<Reached, Stop> {
    let (members, side) = match variant {
        Variant::Original => (Vec::new(), MODEL),
        Variant::Mutant(mutant) => (vec![mutant], MUTANT),
    };
    let mut system = System::new(model, &members, limits, budget)?;
    let (reached, layers) = system.reachable(side)?;
    let latches = system.sides[side].states.len();
    let levels = system.store.levels();
    // All other variables are free.
    let states = system.store.count(reached, levels) / ((levels - latches) as f64).exp2();
    Ok(Reached {
        states,
        steps: layers.saturating_sub(1),
        nodes: system.store.size([reached]),
    })
}
