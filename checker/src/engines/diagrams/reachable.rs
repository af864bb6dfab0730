//! Counts the reachable states.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;

use super::Limits;
use super::relation::Relation;
use super::store::Bdd;
use super::system::{MODEL, MUTANT, System};

/// The numbers of reachable states and outputs of a variant, and the lengths of the runs that reach them.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The latches, by index, that form a state here: those in the sequential cone of outputs and constraints.
    pub latches: Vec<usize>,
    /// The number of states that some run enters. The last state of a run need not have a next step.
    pub states: f64,
    /// The greatest distance of a reachable state from the initial ones, in steps.
    pub steps: usize,
    /// The number of different output valuations that some step from a reachable state gives.
    pub shown: f64,
    /// The least length, in steps, of runs that together enter a state for each of these output valuations.
    pub shown_steps: usize,
}

/// Counts the reachable states of one variant.
///
/// # Errors
/// If limits or budget end the search.
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
    let parts = system.observed_parts(side)?;
    let hidden = {
        let side = &system.sides[side];
        [side.now(), side.chosen(), system.input_levels()].concat()
    };
    let shows = Relation::new(&mut system.store, &parts, &hidden)?;
    let needed: Vec<Bdd> = shows.roots().collect();
    let mut shown = Bdd::FALSE;
    let mut shown_steps = 0;
    let (reached, layers) = system.layers(side, &needed, |system, layer, frontier| {
        let new = shows.image(&mut system.store, frontier)?;
        let both = system.store.or(shown, new)?;
        if both != shown {
            (shown, shown_steps) = (both, layer);
        }
        Ok(shown)
    })?;
    let levels = system.store.levels();
    // All other variables are free.
    let count = |set: Bdd, of: usize| {
        let count = system.store.count(set, levels);
        count / ((levels - of) as f64).exp2()
    };
    let states = &system.sides[side].states;
    Ok(Reached {
        latches: states.iter().map(|state| state.latch).collect(),
        states: count(reached, states.len()),
        steps: layers.saturating_sub(1),
        shown: count(shown, system.shown.len()),
        shown_steps,
    })
}
