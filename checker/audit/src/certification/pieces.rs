//! Circuits with few mutants of a run.
//!
//! Kills, tests and refused inputs are checked in them, because each replay takes time in proportion to all selectors of its circuit. Runs
//! do not name selectors, so documents read the same in every circuit. Proofs name nodes, and are checked in the circuit of all mutants.

use std::collections::{BTreeSet, HashMap};

use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{ConditionalMutant, SelectorId};
use rayon::prelude::*;

use crate::certificates::Circuit;
use crate::documents::MutantResult;

/// Number of mutants of a piece. A run with at most twice as many is not divided.
const MUTANTS: usize = 512;

/// The models of the pieces of a run: [`MUTANTS`] consecutive results each, together with the mutants that they duplicate.
pub(super) struct PieceModels(Vec<ConditionalMutant>);

impl PieceModels {
    /// Divides the mutants of these results. `whole` is the circuit of all mutants.
    pub(super) fn of(whole: &Circuit<'_>, results: &[MutantResult]) -> PieceModels {
        if whole.model.selectors.len() <= 2 * MUTANTS {
            return PieceModels(Vec::new());
        }
        let pieces = results.par_chunks(MUTANTS).map(|results| {
            let named = results
                .iter()
                .flat_map(|result| [Some(&result.mutant), result.of.as_ref()]);
            let selectors = named.flatten().filter_map(|id| whole.selector(id));
            let selectors: BTreeSet<SelectorId> = selectors.collect();
            keep_mutants(whole.model, &Vec::from_iter(selectors))
        });
        PieceModels(pieces.collect())
    }
}

/// A mutant in a circuit.
pub(super) struct Placed<'m, T> {
    /// Its selector in the circuit.
    pub(super) selector: SelectorId,
    pub(super) id: &'m str,
    /// The value that belongs to the mutant.
    pub(super) with: T,
}

/// The circuits of a run: one with all mutants, and one for each piece.
pub(super) struct Pieces<'a> {
    whole: &'a Circuit<'a>,
    circuits: Vec<Circuit<'a>>,
    /// For each mutant the index of its piece.
    places: HashMap<&'a str, usize>,
}

impl<'a> Pieces<'a> {
    /// Returns the circuits of the pieces into which `models` divides the results.
    pub(super) fn of(
        whole: &'a Circuit<'a>,
        models: &'a PieceModels,
        results: &'a [MutantResult],
    ) -> Pieces<'a> {
        let circuits = models.0.par_iter().map(Circuit::of).collect();
        let mut places = HashMap::new();
        if !models.0.is_empty() {
            for (place, result) in results.iter().enumerate() {
                places.entry(&*result.mutant).or_insert(place / MUTANTS);
            }
        }
        Pieces {
            whole,
            circuits,
            places,
        }
    }

    /// Returns the circuit of all mutants.
    pub(super) fn whole(&self) -> &'a Circuit<'a> {
        self.whole
    }

    /// Returns the index of the piece with this mutant; `None` if the run is not divided, or has no such mutant.
    pub(super) fn place(&self, mutant: &str) -> Option<usize> {
        self.places.get(mutant).copied()
    }

    /// Returns the circuit of a piece, or of all mutants for `None`.
    pub(super) fn circuit(&self, place: Option<usize>) -> &Circuit<'a> {
        place.map_or(self.whole, |place| &self.circuits[place])
    }

    /// Returns mutants by their circuits, each with the value that belongs to it. A mutant without a circuit is omitted.
    pub(super) fn divided<'m, T: Copy>(
        &self,
        mutants: impl IntoIterator<Item = (&'m str, T)>,
    ) -> Vec<(&Circuit<'a>, Vec<Placed<'m, T>>)> {
        let mutants = mutants.into_iter();
        let mut mutants: Vec<(Option<usize>, (&str, T))> = mutants
            .map(|mutant| (self.place(mutant.0), mutant))
            .collect();
        mutants.sort_by_key(|(place, _)| *place);
        let pieces = mutants.chunk_by(|(one, _), (other, _)| one == other);
        let pieces = pieces.map(|piece| {
            let circuit = self.circuit(piece[0].0);
            let placed = piece.iter().filter_map(|&(_, (id, with))| {
                let selector = circuit.selector(id)?;
                Some(Placed { selector, id, with })
            });
            (circuit, placed.collect())
        });
        pieces.collect()
    }
}
