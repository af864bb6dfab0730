//! Strategies read off a relation, and both as circuits of multiplexers.

use hyperkill_core::budget::Stop;
use hyperkill_core::{Reset, SelectorId};
use hyperkill_evidence::closed_set::Relation as Question;
use hyperkill_evidence::simulation::{Look, Multiplexer, Simulation, Source};
use rustc_hash::FxHashMap;

use super::game::Game;
use super::relation::Relation;
use super::store::{Bdd, Level, Store};
use super::system::{MODEL, MUTANT, System};

/// Most multiplexers of a proof: a checker has to read them.
const LARGEST: usize = 1 << 17;

/// The relation with a strategy that keeps to it, about those members for which it holds.
pub(super) fn evidence(
    game: &mut Game<'_, '_>,
    related: Bdd,
    proved: Vec<SelectorId>,
) -> Result<Simulation, Stop> {
    let initial = initial(game, related)?;
    let choices = choices(game, related)?;
    let system = &game.system;
    let functions = initial.iter().chain(&choices);
    let functions: Vec<Bdd> = functions.map(|&(_, f)| f).chain([related]).collect();
    let (indices, nodes) = system.store.reached(functions);
    if nodes.len() > LARGEST {
        return Err(Stop::Bound);
    }
    let looks = looks(system);
    // What nothing stands for cannot be looked at, and a checker says so.
    let look = |level: Level| {
        looks
            .get(&level)
            .copied()
            .unwrap_or(Look::Input(usize::MAX))
    };
    let numbers = indices.iter().enumerate();
    let numbers: FxHashMap<usize, usize> = numbers.map(|(i, &index)| (index, i + 1)).collect();
    let source = |f: Bdd| Source {
        multiplexer: numbers.get(&f.index()).copied().unwrap_or(0),
        complemented: f.is_complemented(),
    };
    let multiplexers = nodes.iter().map(|&(level, low, high)| Multiplexer {
        on: look(level),
        low: source(low),
        high: source(high),
    });
    let named = |functions: Vec<(Level, Bdd)>| -> Vec<(Look, Source)> {
        let named = functions.into_iter();
        named.map(|(level, f)| (look(level), source(f))).collect()
    };
    Ok(Simulation {
        members: proved,
        relation: game.question,
        multiplexers: multiplexers.collect(),
        related: source(related),
        initial: named(initial),
        choices: named(choices),
    })
}

/// What the variable at each level is.
fn looks(system: &System<'_>) -> FxHashMap<Level, Look> {
    let mut looks = FxHashMap::default();
    let inputs = system.inputs.iter();
    looks.extend(inputs.map(|&(input, level)| (level, Look::Input(input))));
    let shown = system.shown.iter().enumerate();
    looks.extend(shown.map(|(output, &level)| (level, Look::Shown(output))));
    for state in &system.sides[MODEL].states {
        looks.insert(state.now, Look::Model(state.latch));
    }
    for &(input, level) in &system.sides[MODEL].choices {
        looks.insert(level, Look::Chosen(input));
    }
    for state in &system.sides[MUTANT].states {
        looks.insert(state.now, Look::Mutant(state.latch));
        looks.insert(state.next, Look::Next(state.latch));
    }
    for &(input, level) in &system.sides[MUTANT].choices {
        looks.insert(level, Look::MutantChosen(input));
    }
    for &(id, level) in &system.selectors {
        let latch = system.model.selectors[id.0].latch;
        looks.insert(level, Look::Mutant(latch));
    }
    looks
}

/// First values of the free latches of whoever has to choose.
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

/// The choices in a step.
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

/// Functions for these variables, each of what is given and of those before it, that make the condition true wherever something does.
fn functions(
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
        // Where both values will do, whatever makes the smaller circuit.
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
