//! The parts of a run by the ids of its mutants.

use std::collections::HashMap;

use hyperkill_core::{ConditionalMutant, SelectorId};

use super::folder::Folder;
use crate::catalogue::Entry;
use crate::certificates::Circuit;
use crate::documents::MutantResult;
use crate::model::Loaded;

/// A run with its model, by the ids of the mutants. Searching the lists for each mutant would take time that grows with the square of their
/// number.
pub(super) struct RunIndex<'a> {
    circuit: &'a Circuit<'a>,
    /// The folder of the run.
    pub(super) folder: &'a Folder,
    entries: HashMap<&'a str, &'a Entry>,
    results: HashMap<&'a str, &'a MutantResult>,
}

impl<'a> RunIndex<'a> {
    /// Indexes a run. `circuit` is the circuit of the model.
    pub(super) fn of(
        loaded: &'a Loaded,
        circuit: &'a Circuit<'a>,
        folder: &'a Folder,
    ) -> RunIndex<'a> {
        let entries = loaded.listing.catalogue.iter();
        let mut results = HashMap::default();
        for result in &folder.run.results {
            // A run with two results for a mutant is wrong for another reason; the first one counts here.
            results.entry(result.mutant.as_str()).or_insert(result);
        }
        RunIndex {
            circuit,
            folder,
            entries: entries.map(|entry| (&*entry.id.0, entry)).collect(),
            results,
        }
    }

    /// Returns the model of the run.
    pub(super) fn model(&self) -> &'a ConditionalMutant {
        self.circuit.model
    }

    /// Returns the entry of a mutant in the catalogue of the model.
    pub(super) fn entry(&self, id: &str) -> Option<&'a Entry> {
        self.entries.get(id).copied()
    }

    /// Returns the result of a mutant in the run.
    pub(super) fn result(&self, id: &str) -> Option<&'a MutantResult> {
        self.results.get(id).copied()
    }

    /// Returns the selector of a mutant in the circuit.
    pub(super) fn selector(&self, id: &str) -> Option<SelectorId> {
        self.circuit.selector(id)
    }
}
