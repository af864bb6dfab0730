//! The requirements on every front end, as checks that its tests call with their own models (feature `conformance`).
//!
//! The tests of a new front end begin with `conformance::check(&Subject { … })` for a few models that use the features of the language. All
//! errors are returned at once, as sentences. The checks are independent of the language; the *meaning* of mutants needs tests of its own.

mod alone;
mod catalogue;
mod damage;
mod findings;
mod language;
mod random;

use crate::Frontend;
use crate::options::FrontendOptions;
use crate::source::SourceFile;

pub use findings::Seen;
use findings::{Findings, Model};

/// A model with its language and options.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The language of the model.
    pub frontend: &'a dyn Frontend,
    /// The model's files.
    pub sources: &'a [SourceFile],
    /// The options of the translation.
    pub options: &'a FrontendOptions,
    /// The number of mutants, spread over the catalogue, whose texts are written and read alone.
    pub sample: usize,
    /// The number of damaged texts that are read.
    pub damaged: usize,
}

/// Checks all requirements on front ends.
///
/// # Errors
/// One sentence for each requirement that fails.
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
