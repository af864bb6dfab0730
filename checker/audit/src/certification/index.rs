//! The parts of a run by the ids of its mutants.

use std::collections::HashMap;

use hyperkill_core::ConditionalMutant;

use super::folder::Folder;
use super::pieces::Pieces;
use crate::catalogue::Entry;
use crate::certificates::Circuit;
use crate::documents::MutantResult;
use crate::model::Loaded;

/// A run with its model, by the ids of the mutants. Searching the lists for each mutant would take time that grows with the square of their
/// number.
pub(super) struct RunIndex<'a> {
    /// The circuits of the run.
    pub(super) pieces: &'a Pieces<'a>,
    /// The folder of the run.
    pub(super) folder: &'a Folder,
    entries: HashMap<&'a str, &'a Entry>,
    results: HashMap<&'a str, &'a MutantResult>,
}

impl<'a> RunIndex<'a> {
    /// Indexes a run.
    pub(super) fn of(
        loaded: &'a Loaded,
        pieces: &'a Pieces<'a>,
        folder: &'a Folder,
    ) -> RunIndex<'a> {
        let entries = loaded.listing.catalogue.iter();
        let mut results = HashMap::default();
        for result in &folder.run.results {
            // A run with two results for a mutant is wrong for another reason; the first one counts here.
            results.entry(result.mutant.as_str()).or_insert(result);
        }
        RunIndex {
            pieces,
            folder,
            entries: entries.map(|entry| (&*entry.id.0, entry)).collect(),
            results,
        }
    }

    /// Returns the model of the run.
    pub(super) fn model(&self) -> &'a ConditionalMutant {
        self.pieces.whole().model
    }

    /// Returns the entry of a mutant in the catalogue of the model.
    pub(super) fn entry(&self, id: &str) -> Option<&'a Entry> {
        self.entries.get(id).copied()
    }

    /// Returns the result of a mutant in the run.
    pub(super) fn result(&self, id: &str) -> Option<&'a MutantResult> {
        self.results.get(id).copied()
    }

    /// Returns the circuit in which kills of a mutant are checked.
    pub(super) fn circuit(&self, id: &str) -> &Circuit<'a> {
        self.pieces.circuit(self.pieces.place(id))
    }
}
