//! From a tree to the result of a front end: the transition system with its mutants, and tests to try.

use std::collections::BTreeMap;

use hyperkill_core::sort::Value;
use hyperkill_core::system::{InputRole, Place, TransitionSystem, Translation};
use hyperkill_frontend::mutation::{Comment, excluded};
use hyperkill_frontend::{
    Diagnostic, FrontendOptions, Inputs, Listed, ModelOption, SourceFile, Span, Stimuli, Wanted,
};

use crate::interpret::Occurrence;
use crate::listing::{all_begin, all_have_terms, has_choices};
use crate::lower::{Lowered, Reading, lower, ports};
use crate::model::{Model, check};
use crate::mutate::{self, Language, Mutation};
use crate::search::{Effort, search};
use crate::tree::System;
use crate::warnings;

/// The options of systems with ranges for all variables.
pub const OPTIONS: &[ModelOption] = &[
    ModelOption::Complete,
    ModelOption::Observe,
    ModelOption::Inputs,
    ModelOption::Outputs,
    ModelOption::Choices,
];

/// A system after reading, with its options.
pub struct Written<'w> {
    /// The tree of the system.
    pub system: &'w System,
    /// The text of the system.
    pub source: &'w SourceFile,
    /// The comments of the text.
    pub comments: &'w [Comment],
    /// The syntax of the language, in which mutants are written.
    pub language: &'w Language,
    /// The options about observations.
    pub reading: Reading,
    /// The options of the translation.
    pub options: &'w FrontendOptions,
    /// A function that marks invalid mutants.
    pub rejects: &'w dyn Fn(&mut Mutation),
}

impl Written<'_> {
    /// Returns the system with its mutants.
    ///
    /// # Errors
    /// All errors of names and types, or options that do not fit.
    pub fn translated(&self) -> Result<Translation, Vec<Diagnostic>> {
        let model = check(self.system)?;
        self.translated_with(&model, self.mutations(&model))
    }

    fn translated_with(
        &self,
        model: &Model<'_>,
        found: Result<Vec<Mutation>, Vec<Diagnostic>>,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let lowered = found.and_then(|mut mutations| {
            let lowered = lower(model, self.reading, &mut mutations, self.options)?;
            Ok((mutations, lowered))
        });
        if lowered.is_err() {
            // Errors of the original are reported best without mutants.
            lower(model, self.reading, &mut [], self.options)?;
        }
        let (mutations, lowered) = lowered?;
        Ok(self.translation(model, lowered, mutations))
    }

    /// Returns the system's mutants. No circuit is built if the tree shows that all of them are models.
    ///
    /// # Errors
    /// As for [`Written::translated`].
    pub fn listed(&self, shows_ports: bool) -> Result<Listed, Vec<Diagnostic>> {
        let model = check(self.system)?;
        // The names of choices show which of them only mutants have.
        let is_plain = !(shows_ports && has_choices(&model)) && all_have_terms(&model);
        let found = self.mutations(&model);
        let lowered = match &found {
            Ok(mutations) if is_plain && all_begin(&model, self.reading, mutations) => {
                ports(&model, self.reading, self.options).ok()
            }
            _ => None,
        };
        // Errors are reported by the translation.
        let lowered = lowered.filter(|lowered| {
            let mut inputs = lowered.system.inputs.iter();
            !(shows_ports && inputs.any(|input| input.role == InputRole::Choice))
        });
        match (found, lowered) {
            (Ok(mutations), Some(lowered)) => {
                let translation = self.translation(&model, lowered, mutations);
                Ok(Listed::Ports(translation))
            }
            (found, _) => self.translated_with(&model, found).map(Listed::Whole),
        }
    }

    fn translation(
        &self,
        model: &Model<'_>,
        lowered: Lowered,
        mutations: Vec<Mutation>,
    ) -> Translation {
        let Lowered {
            mut system,
            role_notes,
        } = lowered;
        system.name = model_name(&self.source.name);
        let catalogue = mutations
            .into_iter()
            .map(|m| (m.mutant, m.meaning.rejected));
        Translation {
            system,
            checks: TransitionSystem::default(),
            invariant_checks: TransitionSystem::default(),
            catalogue: catalogue.collect(),
            role_notes,
            warnings: warnings::of(model),
            places: places(model),
        }
    }

    /// Returns tests to try on these mutants, if the system is a machine.
    ///
    /// # Errors
    /// As for [`Written::translated`].
    pub fn stimuli(&self, wanted: &Wanted<'_>) -> Result<Option<Stimuli>, Vec<Diagnostic>> {
        let model = check(self.system)?;
        let mut mutations = self.mutations(&model)?;
        mutations.retain(|mutation| wanted(&mutation.mutant.id));
        let Some(found) = search(&model, &mutations, self.reading, Effort::default()) else {
            return Ok(None);
        };
        let runs = found.paths.iter();
        let runs = runs.map(|path| path.iter().map(|offer| inputs(&model, offer)).collect());
        let confirmed = found.claims.iter().filter(|claim| claim.is_confirmed);
        let counts = found.counts;
        Ok(Some(Stimuli {
            runs: runs.collect(),
            work: vec![
                ("states in which mutants were tried", counts.reached),
                ("states taken behind differences", counts.taken),
                ("visited", counts.visited),
                ("resumed", counts.resumed),
                ("steps of the interpreter", counts.steps),
                ("mutants taken for killed", found.claims.len()),
                ("of them killed in the interpreter", confirmed.count()),
            ],
        }))
    }

    fn mutations(&self, model: &Model<'_>) -> Result<Vec<Mutation>, Vec<Diagnostic>> {
        let off = excluded(&self.source.text, self.comments);
        let found = mutate::mutations(model, self.source, self.language, &off, self.options);
        let mut mutations = found.map_err(|error| vec![error])?;
        mutations.iter_mut().for_each(self.rejects);
        Ok(mutations)
    }
}

/// Returns the inputs of a step with this occurrence of an event: a value for every input port of a machine. Parameters of other events
/// have their least values.
fn inputs(model: &Model<'_>, offer: &Occurrence) -> Inputs {
    let mut inputs = Inputs::new();
    if model.events.len() > 1 {
        let label = &model.action(offer.event).name.text;
        inputs.push(("event".to_owned(), Value::Symbol(label.clone())));
    }
    for (index, event) in model.events.iter().enumerate() {
        let action = model.action(index);
        for (at, (name, domain)) in action.parameters.iter().zip(&event.parameters).enumerate() {
            let sort = domain.sort();
            // A parameter with only one value has no port.
            if sort.cardinality() == 1 {
                continue;
            }
            let value = match index == offer.event {
                true => offer.values[at].clone(),
                false => sort.value_of_code(0),
            };
            inputs.push((format!("{}.{}", action.name.text, name.text), value));
        }
    }
    inputs
}

/// Returns the places of the declarations of variables, outputs and parameters, by name.
fn places(model: &Model<'_>) -> BTreeMap<String, Place> {
    let place = |span: Span| Place {
        file: span.file,
        bytes: (span.start, span.end),
    };
    let variables = model.system.variables.iter();
    let mut places: BTreeMap<String, Place> = variables
        .map(|v| (v.name.text.clone(), place(v.name.span)))
        .collect();
    for output in &model.system.outputs {
        let name = &output.name;
        places.insert(name.text.clone(), place(name.span));
        for (parameter, _) in &output.parameters {
            let port = format!("{}.{}", name.text, parameter.text);
            places.insert(port, place(parameter.span));
        }
    }
    for (index, event) in model.events.iter().enumerate() {
        let action = model.action(index);
        for name in &action.parameters {
            let port = format!("{}.{}", action.name.text, name.text);
            places.insert(port, place(event.span));
        }
    }
    places
}

/// Returns the file's name without folders and extension; for `FOLDER/model.efsm` the name of the folder.
fn model_name(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match (stem, parts.next()) {
        ("model", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}

/// Returns the only source file. `what` names the model in the error.
///
/// # Errors
/// If there are several files, or none.
pub fn single<'s>(
    sources: &'s [SourceFile],
    what: &str,
) -> Result<&'s SourceFile, Vec<Diagnostic>> {
    let [source] = sources else {
        let message = format!("{what} is one file, but {} were given", sources.len());
        return Err(vec![Diagnostic::unlocated(message)]);
    };
    Ok(source)
}
