//! The states that runs get to, counted.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;

use super::Limits;
use super::relation::Relation;
use super::store::Bdd;
use super::system::{MODEL, MUTANT, System};

/// How many states runs get to.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The latches that outputs and constraints read, at once or later: what a state is here.
    pub latches: Vec<usize>,
    /// States that some run enters. Nothing need leave the last state of a run.
    pub states: f64,
    /// The steps of the shortest run that enters the farthest of them.
    pub steps: usize,
    /// Outputs that some step shows.
    pub shown: f64,
    /// The steps of the shortest run that shows the last of them.
    pub shown_steps: usize,
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
