//! A model as it was read: what is known of it before anything is decided. Nothing here asks an engine.

mod draft;

pub(crate) use draft::{Checks, Draft, Listed};

use hyperkill_core::ConditionalMutant;
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{SourceFile, apply};

use crate::catalogue::Entry;
use crate::documents::build::published_name;
use crate::documents::{ModelDescription, MutantDescription, Reading, ValidityEvidence};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::render::mutants;

/// A model, ready to be decided.
#[derive(Debug)]
pub struct Loaded {
    /// What was read.
    pub description: ModelDescription,
    /// How.
    pub reading: Reading,
    /// The texts that the places of mutants refer to; none for circuits.
    pub sources: Vec<SourceFile>,
    /// The circuit with all live mutants.
    pub model: ConditionalMutant,
    /// All mutants in catalogue order.
    pub catalogue: Vec<Entry>,
    /// How roles were assigned where an option or heuristic decided.
    pub role_notes: Vec<String>,
    /// What shows which mutants are models, if that is not plain from the translation.
    pub validity: Option<ValidityEvidence>,
}

impl Loaded {
    /// Descriptions of the selected mutants.
    #[must_use]
    pub(crate) fn descriptions(&self, selected: &[usize]) -> Vec<MutantDescription> {
        let entries = selected.iter().map(|&index| &self.catalogue[index]);
        entries
            .map(|entry| MutantDescription::of(&entry.id.0, entry.mutant.as_ref(), entry.invalid()))
            .collect()
    }

    /// The source difference of a mutant, where there is a source.
    ///
    /// # Errors
    /// If the mutant does not fit the source.
    pub(crate) fn diff(&self, mutant: Option<&Mutant>) -> Result<Option<String>, Failure> {
        let Some(mutant) = mutant else {
            return Ok(None);
        };
        let Some(source) = self.source_of(mutant) else {
            return Ok(None);
        };
        let mutated = apply(&source.text, mutant)
            .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
        let name = published_name(&source.name);
        Ok(Some(mutants::diff(&name, &source.text, &mutated)))
    }

    /// The source text that a mutant is in.
    #[must_use]
    pub fn source_of(&self, mutant: &Mutant) -> Option<&SourceFile> {
        self.sources
            .iter()
            .find(|source| source.name == mutant.place.file)
    }
}
