//! A model under check, and the findings.

use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Translation;

use crate::Frontend;
use crate::diagnostic::Diagnostic;
use crate::options::{FrontendOptions, NamePredicate};
use crate::source::SourceFile;

/// The errors found so far.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) wrong: Vec<String>,
    pub(super) seen: Seen,
}

impl Findings {
    /// Records the error `what` unless the condition holds.
    pub(super) fn must(&mut self, holds: bool, what: impl FnOnce() -> String) {
        // The first few errors suffice.
        if !holds && self.wrong.len() < 20 {
            self.wrong.push(what());
        }
    }
}

/// A prepared model.
#[derive(Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) frontend: &'a dyn Frontend,
    pub(super) sources: &'a [SourceFile],
    pub(super) options: &'a FrontendOptions,
}

impl Model<'_> {
    pub(super) fn translate(&self) -> Result<Translation, Vec<Diagnostic>> {
        self.frontend.translate(self.sources, self.options)
    }

    /// Returns the same model with other options.
    pub(super) fn with<'a>(&'a self, options: &'a FrontendOptions) -> Model<'a> {
        Model { options, ..*self }
    }

    /// Returns the options with only these operators.
    pub(super) fn only(&self, operators: &[&str]) -> FrontendOptions {
        FrontendOptions {
            operators: Some(NamePredicate::names(operators.iter().copied())),
            ..self.options.clone()
        }
    }

    /// Returns the index of the source with the mutant; `None` if there is no source with this name.
    pub(super) fn file_of(&self, mutant: &Mutant) -> Option<usize> {
        let mut files = self.sources.iter();
        files.position(|source| source.name == mutant.place.file)
    }
}

/// Counts of the mutants and damaged texts that `super::check` checked, so that tests can require a minimum.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// The number of mutants in the catalogue.
    pub mutants: usize,
    /// The number of mutants that are equivalent to their plain sources.
    pub alone: usize,
    /// Mutants that simulation cannot compare with their plain sources: these have choices with other names, or values outside their types.
    pub incomparable: usize,
    /// The number of damaged texts that were refused.
    pub refused: usize,
}
