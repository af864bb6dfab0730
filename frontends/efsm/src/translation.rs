//! What all languages of machines have: from a tree to a transition system with its mutants.

use std::collections::BTreeMap;

use hyperkill_core::system::{Place, TransitionSystem, Translation};
use hyperkill_frontend::mutation::{Comment, excluded};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span, did_you_mean};
use hyperkill_guarded::lower::{Lowered, Observed, Reading, lower};
use hyperkill_guarded::model::{Model, check};
use hyperkill_guarded::mutate::{self, Language, Mutation};
use hyperkill_guarded::tree::{Refusal, System};
use hyperkill_guarded::warnings;

/// The machine of a source with its mutants; `rejects` marks those that are none.
///
/// # Errors
/// All errors of names and types, or what does not fit options.
pub(crate) fn translated(
    system: &System,
    source: &SourceFile,
    language: &Language,
    comments: &[Comment],
    options: &FrontendOptions,
    rejects: impl FnMut(&mut Mutation),
) -> Result<Translation, Vec<Diagnostic>> {
    let model = check(system)?;
    let reading = reading(system, options)?;
    // What is wrong with the original shows best without mutants.
    lower(&model, reading, &mut [], options)?;
    let off = excluded(&source.text, comments);
    let mutations = mutate::mutations(&model, source, language, &off, options);
    let mut mutations = mutations.map_err(|error| vec![error])?;
    mutations.iter_mut().for_each(rejects);
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

/// How a machine is read, by options.
fn reading(system: &System, options: &FrontendOptions) -> Result<Reading, Vec<Diagnostic>> {
    let words = ["outputs", "state", "transition"];
    // Who sees nothing else sees states.
    let shows =
        !system.outputs.is_empty() || system.inputs.is_some() || system.refusal == Refusal::Seen;
    let observed = match options.observe.as_deref() {
        Some("state") => Observed::State,
        Some("outputs") => Observed::Outputs,
        Some("transition") => Observed::Transition,
        None if shows => Observed::Outputs,
        None => Observed::State,
        Some(other) => {
            let message = format!("--observe {other}: nothing of this name is observed");
            let near = did_you_mean(other, words);
            let help =
                near.unwrap_or_else(|| "it is `outputs`, `state` or `transition`".to_owned());
            return Err(vec![Diagnostic::option(message, Some(help))]);
        }
    };
    if observed == Observed::Outputs
        && !shows
        && !options.complete
        && system.refusal == Refusal::Ignored
    {
        let message = "--observe outputs: the machine has no output, and ignores what it cannot do";
        let help = "see its states (`--observe state`), or what it refuses (`refuse;` in the text, or --complete)";
        return Err(vec![Diagnostic::option(message, Some(help.to_owned()))]);
    }
    Ok(Reading {
        observed,
        complete: options.complete,
    })
}

/// Where variables, outputs and parameters are declared.
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

/// The file's name without folders and extension; of `FOLDER/model.efsm` the folder's.
fn model_name(file: &str) -> String {
    let mut parts = file.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    match (stem, parts.next()) {
        ("model", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}
