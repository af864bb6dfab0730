//! A model as it was read: all facts that no engine decides.

mod draft;

pub use draft::{Checks, Draft, Listed, LostMutant};

use std::collections::BTreeMap;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Place;
use hyperkill_frontend::{FrontendOptions, SourceFile, StaleMutant, apply};

use crate::catalogue::Entry;
use crate::documents::{
    MadeWord, ModelDescription, MutantDescription, Reading, Signature, ValidityEvidence,
};

/// The facts about a model and its mutants that need no engine: files, options, sources, signature and catalogue.
#[derive(Debug)]
pub struct Listing {
    /// The files and the language.
    pub description: ModelDescription,
    /// The options with which the files were read.
    pub reading: Reading,
    /// The contents of the copies of the model in the folder of a run, in the order of [`Reading::copies`].
    pub copies: Vec<Vec<u8>>,
    /// The texts that contain the places of mutants; empty for circuits.
    pub sources: Vec<SourceFile>,
    /// Inputs, choices and outputs.
    pub signature: Signature,
    /// All mutants in catalogue order.
    pub catalogue: Vec<Entry>,
    /// Remarks on the roles of variables that an option or a heuristic assigned.
    pub role_notes: Vec<String>,
    /// The places of inputs and states in the sources, by name, as far as known.
    pub places: BTreeMap<String, Place>,
}

/// A model as a circuit, ready for engines.
#[derive(Debug)]
pub struct Loaded {
    /// The facts about the model.
    pub listing: Listing,
    /// The circuit with all valid mutants.
    pub model: ConditionalMutant,
    /// The evidence for the list of mutants that are models. Missing if the translation makes this evident.
    pub validity: Option<ValidityEvidence>,
    /// The options of the built-in front end, for further questions about the sources.
    pub options: Option<FrontendOptions>,
}

impl Listing {
    /// Returns the descriptions of the mutants with these indices in the catalogue.
    #[must_use]
    pub fn descriptions(&self, selected: &[usize]) -> Vec<MutantDescription> {
        let entries = selected.iter().map(|&index| &self.catalogue[index]);
        entries
            .map(|entry| MutantDescription::of(&entry.id.0, entry.mutant.as_ref(), entry.invalid()))
            .collect()
    }

    /// Returns the contents of the artefact of this kind that was made from the model; `None` if there is none, or no copy was kept.
    #[must_use]
    pub fn made(&self, what: MadeWord) -> Option<&[u8]> {
        let made = self.reading.made.iter().find(|made| made.what == what)?;
        let copies = self.reading.copies().zip(&self.copies);
        let mut copies = copies.filter(|((name, _), _)| *name == made.copy);
        copies.next().map(|(_, bytes)| bytes.as_slice())
    }

    /// Returns the source file that a mutant changes, and the file's text with the change. `None` if there is no such file.
    ///
    /// # Errors
    /// If the mutant does not fit the source.
    pub fn mutated(
        &self,
        mutant: Option<&Mutant>,
    ) -> Result<Option<(&SourceFile, String)>, StaleMutant> {
        let source = mutant.and_then(|mutant| Some((mutant, self.source_of(mutant)?)));
        let Some((mutant, source)) = source else {
            return Ok(None);
        };
        Ok(Some((source, apply(&source.text, mutant)?)))
    }

    /// Returns the source file that a mutant changes; `None` if the model has no source of this name.
    #[must_use]
    pub fn source_of(&self, mutant: &Mutant) -> Option<&SourceFile> {
        self.sources
            .iter()
            .find(|source| source.name == mutant.place.file)
    }
}
