//! Action systems in the notation of \[2\]: texts with the extension `as` to the tree of `frontends/guarded`, which does the rest.
//!
//! What a system means is in semantics.md §9, what is read in the book's page on action systems.

mod reader;
mod spelling;

use std::collections::BTreeMap;

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::{Place, TransitionSystem, Translation};
use hyperkill_frontend::mutation::excluded;
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile, Span, did_you_mean};
use hyperkill_guarded::lower::{Lowered, Observed, Reading, lower};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::tree::System;
use hyperkill_guarded::{mutate, warnings};

pub use reader::read;
pub use spelling::LANGUAGE;

/// The language of action systems.
#[derive(Clone, Copy, Default, Debug)]
pub struct ActionSystemFrontend;

impl ActionSystemFrontend {
    /// The name of the language.
    pub const NAME: &'static str = "action-system";
}

impl Frontend for ActionSystemFrontend {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["as"]
    }

    fn operators(&self) -> Vec<Operator> {
        mutate::operators(&LANGUAGE)
    }

    fn is_about_events(&self) -> bool {
        true
    }

    fn prepare(
        &self,
        sources: Vec<SourceFile>,
        options: &FrontendOptions,
    ) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        match options.constants.first() {
            None => Ok(sources),
            Some((name, _)) => {
                let message = format!("-D {name}: action systems have no named constants");
                Err(vec![Diagnostic::option(message, None)])
            }
        }
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let [source] = sources else {
            let count = sources.len();
            let message = format!("an action system is one file, but {count} were given");
            return Err(vec![Diagnostic::unlocated(message)]);
        };
        let read = read(source)?;
        let model = check(&read.system)?;
        let reading = reading(&read.system, options)?;
        // What is wrong with the original shows best without mutants.
        lower(&model, reading, &mut [], options)?;
        let off = excluded(&source.text, &read.comments);
        let mutations = mutate::mutations(&model, source, &LANGUAGE, &off, options);
        let mut mutations = mutations.map_err(|error| vec![error])?;
        let Lowered {
            mut system,
            role_notes,
        } = lower(&model, reading, &mut mutations, options)?;
        system.name = model_name(&source.name);
        let catalogue = mutations
            .into_iter()
            .map(|m| (m.mutant, m.meaning.rejected));
        Ok(Translation {
            system,
            checks: TransitionSystem::default(),
            invariant_checks: TransitionSystem::default(),
            catalogue: catalogue.collect(),
            role_notes,
            warnings: warnings::of(&model),
            places: places(&model),
        })
    }
}

/// How a system is read, by options.
fn reading(system: &System, options: &FrontendOptions) -> Result<Reading, Vec<Diagnostic>> {
    let observed = match options.observe.as_deref() {
        Some("state") => Observed::State,
        Some("outputs") => Observed::Outputs,
        // [2] observes states; who exchanges inputs and outputs sees these.
        None if system.inputs.is_none() => Observed::State,
        None => Observed::Outputs,
        Some(other) => {
            let message = format!("--observe {other}: nothing of this name is observed");
            let near = did_you_mean(other, ["state", "outputs"]);
            let help = near.unwrap_or_else(|| "it is `state` or `outputs`".to_owned());
            return Err(vec![Diagnostic::option(message, Some(help))]);
        }
    };
    Ok(Reading {
        observed,
        complete: options.complete,
    })
}

/// Where variables are declared, and where events are offered.
fn places(model: &Model<'_>) -> BTreeMap<String, Place> {
    let place = |span: Span| Place {
        file: span.file,
        bytes: (span.start, span.end),
    };
    let variables = model.system.variables.iter();
    let mut places: BTreeMap<String, Place> = variables
        .map(|v| (v.name.text.clone(), place(v.name.span)))
        .collect();
    for (index, event) in model.events.iter().enumerate() {
        let action = model.action(index);
        for name in &action.parameters {
            let port = format!("{}.{}", action.name.text, name.text);
            places.insert(port, place(event.span));
        }
    }
    places
}

/// The file's name without folders and extension; of `FOLDER/model.as` the folder's.
fn model_name(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match (stem, parts.next()) {
        ("model", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}
