//! Extracts strategies from a relation, and writes both as circuits of multiplexers.

use hyperkill_core::budget::Stop;
use hyperkill_core::{Reset, SelectorId};
use hyperkill_evidence::closed_set::Relation as Question;
use hyperkill_evidence::simulation::Simulation;

use super::circuit::Circuit;
use super::game::Game;
use super::relation::Relation;
use super::store::{Bdd, Level, Store};
use super::system::{MODEL, MUTANT};

/// Returns a proof for the members in `proved`: the relation, and a strategy of choices that stays in it, as circuits.
pub(super) fn evidence(
    game: &mut Game<'_, '_>,
    related: Bdd,
    proved: Vec<SelectorId>,
) -> Result<Simulation, Stop> {
    game.keep(related);
    let initial = initial(game, related)?;
    let choices = choices(game, related)?;
    let functions = initial.iter().chain(&choices);
    let functions = functions.map(|&(_, function)| function).chain([related]);
    let circuit = Circuit::of(game.system, functions)?;
    Ok(Simulation {
        members: proved,
        relation: game.question,
        related: circuit.source(related),
        initial: circuit.named(initial),
        choices: circuit.named(choices),
        order: circuit.order(),
        multiplexers: circuit.multiplexers,
    })
}

/// Returns the initial values that the strategy gives to free latches, each as a function: of the model, and for [`Question::Agreeing`] of
/// the mutant too.
fn initial(game: &mut Game<'_, '_>, related: Bdd) -> Result<Vec<(Level, Bdd)>, Stop> {
    let latches = game.system.model.aig.latches();
    let free = |side: usize| {
        let states = game.system.sides[side].states.iter();
        let free = states.filter(|state| latches[state.latch].reset == Reset::Free);
        free.map(|state| state.now).collect::<Vec<Level>>()
    };
    let mut chosen = free(MODEL);
    let mut wanted = vec![related, game.starts[MODEL]];
    let mut fixed = game.system.sides[MODEL].now();
    if game.question == Question::Agreeing {
        chosen.extend(free(MUTANT));
        wanted.push(game.starts[MUTANT]);
        fixed.extend(game.system.sides[MUTANT].now());
    }
    fixed.retain(|level| !chosen.contains(level));
    let store = &mut game.system.store;
    let wanted = store.all(&wanted)?;
    let fixed = store.cube(fixed)?;
    let wanted = store.exists(wanted, fixed)?;
    functions(store, wanted, chosen)
}

/// Returns the values that the strategy gives to choices in a step, each as a function: of the model, and for [`Question::Agreeing`] of the
/// mutant too.
fn choices(game: &mut Game<'_, '_>, related: Bdd) -> Result<Vec<(Level, Bdd)>, Stop> {
    let coming = game.coming(related)?;
    let parts = game.system.parts(MODEL, true)?;
    let hidden = game.system.sides[MODEL].coming();
    let mut chosen = game.system.sides[MODEL].chosen();
    let store = &mut game.system.store;
    let answers = Relation::new(store, &parts, &hidden)?;
    let mut wanted = answers.image(store, coming)?;
    if game.question == Question::Agreeing {
        let parts = game.system.parts(MUTANT, true)?;
        let mutant = &game.system.sides[MUTANT];
        let hidden = [mutant.coming(), game.system.shown.clone()].concat();
        chosen.extend(mutant.chosen());
        let store = &mut game.system.store;
        let steps = Relation::new(store, &parts, &hidden)?;
        wanted = steps.image(store, wanted)?;
    }
    functions(&mut game.system.store, wanted, chosen)
}

/// Returns a function for each variable in `chosen`, over the other variables and the functions before it (Skolem functions). Together they
/// make `wanted` true wherever it is satisfiable.
pub(super) fn functions(
    store: &mut Store,
    wanted: Bdd,
    mut chosen: Vec<Level>,
) -> Result<Vec<(Level, Bdd)>, Stop> {
    chosen.sort_unstable();
    let mut functions = Vec::new();
    let mut wanted = wanted;
    for &level in chosen.iter().rev() {
        let variable = store.cube([level])?;
        let high = store.and_exists(wanted, variable, variable)?;
        let low = store.and_exists(wanted, !variable, variable)?;
        // If both values satisfy the condition, the smaller circuit is taken.
        let function = if store.size([!low]) < store.size([high]) {
            !low
        } else {
            high
        };
        functions.push((level, function));
        wanted = store.or(low, high)?;
    }
    functions.reverse();
    Ok(functions)
}
