//! What every front end must hold, as checks that its tests call with its own models (feature `conformance`).
//!
//! A new front end's tests begin with `conformance::check(&Subject { … })` for a few models that use what the language has. What is wrong
//! comes back as sentences, all of it at once. Nothing here knows a language; what mutants of a language *mean* is for its own tests.

mod alone;
mod catalogue;
mod damage;
mod language;
mod random;

use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Translation;

use crate::Frontend;
use crate::diagnostic::Diagnostic;
use crate::options::{FrontendOptions, NamePredicate};
use crate::source::SourceFile;

/// A model, and how it is read.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The language.
    pub frontend: &'a dyn Frontend,
    /// The model's files.
    pub sources: &'a [SourceFile],
    /// With which options.
    pub options: &'a FrontendOptions,
    /// How many mutants are made into texts and read alone, spread over the catalogue.
    pub sample: usize,
    /// How many texts are damaged.
    pub damaged: usize,
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

/// Checks all that holds of every front end.
///
/// # Errors
/// A sentence for each thing that does not.
pub fn check(subject: &Subject<'_>) -> Result<Seen, Vec<String>> {
    let mut found = Findings::default();
    language::check(subject.frontend, &mut found);
    let options = subject.options;
    let prepared = subject.frontend.prepare(subject.sources.to_vec(), options);
    let sources = match prepared {
        Ok(sources) => sources,
        Err(errors) => return Err(vec![format!("the model is not prepared: {errors:?}")]),
    };
    let model = Model {
        frontend: subject.frontend,
        sources: &sources,
        options,
    };
    let translation = match model.translate() {
        Ok(translation) => translation,
        Err(errors) => return Err(vec![format!("the model is not translated: {errors:?}")]),
    };
    language::check_model(&model, &translation, &mut found);
    catalogue::check(&model, &translation, &mut found);
    alone::check(&model, &translation, subject.sample, &mut found);
    damage::check(&model, subject.damaged, &mut found);
    found.seen.mutants = translation.catalogue.len();
    match found.wrong.is_empty() {
        true => Ok(found.seen),
        false => Err(found.wrong),
    }
}

/// What is wrong so far.
#[derive(Default)]
struct Findings {
    wrong: Vec<String>,
    seen: Seen,
}

impl Findings {
    /// Notes what is wrong, unless it holds.
    fn must(&mut self, holds: bool, what: impl FnOnce() -> String) {
        // The first few tell enough.
        if !holds && self.wrong.len() < 20 {
            self.wrong.push(what());
        }
    }
}

/// A prepared model.
#[derive(Clone, Copy)]
struct Model<'a> {
    frontend: &'a dyn Frontend,
    sources: &'a [SourceFile],
    options: &'a FrontendOptions,
}

impl Model<'_> {
    fn translate(&self) -> Result<Translation, Vec<Diagnostic>> {
        self.frontend.translate(self.sources, self.options)
    }

    /// The same model with other options.
    fn with<'a>(&'a self, options: &'a FrontendOptions) -> Model<'a> {
        Model { options, ..*self }
    }

    /// The options with only these operators.
    fn only(&self, operators: &[&str]) -> FrontendOptions {
        FrontendOptions {
            operators: Some(NamePredicate::names(operators.iter().copied())),
            ..self.options.clone()
        }
    }

    /// The file that a mutant is in.
    fn file_of(&self, mutant: &Mutant) -> Option<usize> {
        let mut files = self.sources.iter();
        files.position(|source| source.name == mutant.place.file)
    }
}
