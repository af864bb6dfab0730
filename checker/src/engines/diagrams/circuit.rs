//! Diagrams as circuits of multiplexers, for checkers without decision diagrams.

use hyperkill_core::budget::Stop;
use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};
use rustc_hash::FxHashMap;

use super::store::{Bdd, Level};
use super::system::{MODEL, MUTANT, System};
use crate::schedule::engine_efforts::PROOF_MULTIPLEXERS;

/// Decision diagrams as a circuit of multiplexers, one per node: the form that evidence has.
pub(super) struct Circuit {
    pub(super) multiplexers: Vec<Multiplexer>,
    /// For each node, by index in the store, the number of its multiplexer, from 1.
    numbers: FxHashMap<usize, usize>,
    looks: FxHashMap<Level, Look>,
}

impl Circuit {
    /// Returns the circuit of these functions.
    ///
    /// # Errors
    /// If the functions have more than [`PROOF_MULTIPLEXERS`] nodes in all.
    pub(super) fn of(
        system: &System<'_>,
        functions: impl IntoIterator<Item = Bdd>,
    ) -> Result<Circuit, Stop> {
        let (indices, nodes) = system.store.reached(functions);
        if nodes.len() > PROOF_MULTIPLEXERS {
            return Err(Stop::Bound);
        }
        let numbers = indices.iter().enumerate();
        let mut circuit = Circuit {
            multiplexers: Vec::new(),
            numbers: numbers.map(|(i, &index)| (index, i + 1)).collect(),
            looks: looks(system),
        };
        let multiplexers = nodes.iter().map(|&(level, low, high)| Multiplexer {
            on: circuit.look(level),
            low: circuit.source(low),
            high: circuit.source(high),
        });
        circuit.multiplexers = multiplexers.collect();
        Ok(circuit)
    }

    /// Returns the variables of the circuit, from the top of the order to its bottom.
    pub(super) fn order(&self) -> Vec<Look> {
        let mut looks: Vec<(Level, Look)> =
            self.looks.iter().map(|(&l, &look)| (l, look)).collect();
        looks.sort_unstable();
        looks.into_iter().map(|(_, look)| look).collect()
    }

    /// Returns the number of the multiplexer that computes a function, 0 for constants, and whether the function is its complement.
    pub(super) fn source(&self, function: Bdd) -> Source {
        Source {
            multiplexer: self.numbers.get(&function.index()).copied().unwrap_or(0),
            complemented: function.is_complemented(),
        }
    }

    /// Returns functions in terms of the circuit: each pair has the variable whose value the function gives, and the source of that value.
    pub(super) fn named(&self, functions: Vec<(Level, Bdd)>) -> Vec<(Look, Source)> {
        let named = functions.into_iter();
        named
            .map(|(level, function)| (self.look(level), self.source(function)))
            .collect()
    }

    /// Returns the variable at a level; for a level without a variable an invalid input, which a checker rejects.
    fn look(&self, level: Level) -> Look {
        let look = self.looks.get(&level).copied();
        look.unwrap_or(Look::Input(usize::MAX))
    }
}

/// Returns a map from each level to the variable there.
fn looks(system: &System<'_>) -> FxHashMap<Level, Look> {
    let mut looks = FxHashMap::default();
    let inputs = system.inputs.iter();
    looks.extend(inputs.map(|&(input, level)| (level, Look::Input(input))));
    let shown = system.shown.iter().enumerate();
    looks.extend(shown.map(|(output, &level)| (level, Look::Shown(output))));
    let numbers = system.numbers.iter().enumerate();
    looks.extend(numbers.map(|(bit, &level)| (level, Look::Estimate(bit))));
    for state in &system.sides[MODEL].states {
        looks.insert(state.now, Look::Model(state.latch));
        looks.insert(state.next, Look::ModelNext(state.latch));
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
