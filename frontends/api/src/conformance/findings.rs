//! A model that is checked, and what was found.

use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Translation;

use crate::Frontend;
use crate::diagnostic::Diagnostic;
use crate::options::{FrontendOptions, NamePredicate};
use crate::source::SourceFile;

/// What is wrong so far.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) wrong: Vec<String>,
    pub(super) seen: Seen,
}

impl Findings {
    /// Notes what is wrong, unless it holds.
    pub(super) fn must(&mut self, holds: bool, what: impl FnOnce() -> String) {
        // The first few tell enough.
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

    /// The same model with other options.
    pub(super) fn with<'a>(&'a self, options: &'a FrontendOptions) -> Model<'a> {
        Model { options, ..*self }
    }

    /// The options with only these operators.
    pub(super) fn only(&self, operators: &[&str]) -> FrontendOptions {
        FrontendOptions {
            operators: Some(NamePredicate::names(operators.iter().copied())),
            ..self.options.clone()
        }
    }

    /// The file that a mutant is in.
    pub(super) fn file_of(&self, mutant: &Mutant) -> Option<usize> {
        let mut files = self.sources.iter();
        files.position(|source| source.name == mutant.place.file)
    }
}

/// How much was looked at, so that tests can say that it was enough.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// Mutants of the catalogue.
    pub mutants: usize,
    /// Mutants that do as their plain sources do.
    pub alone: usize,
    /// Mutants whose plain sources have other choices by name, which simulation cannot bring together, or that have values outside their
    /// types.
    pub incomparable: usize,
    /// Damaged texts that were refused.
    pub refused: usize,
}
