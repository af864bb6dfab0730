//! Reads a model in any language: texts, translation, valid mutants.

use std::path::Path;

use hyperkill_core::mutant::MutantId;
use hyperkill_evidence::validity::Validity;
use hyperkill_frontend::decision::Decider;
use hyperkill_frontend::{Diagnostic, Frontend, ModelOption, lacking};
use hyperkill_run::circuit::Circuits;
use hyperkill_run::language::OwnModel;
use hyperkill_run::load::kit::{
    Kit, absolute, keep, must_have_text, must_say_something, published,
};
use hyperkill_run::load::own::{self, OwnProcedures};
use hyperkill_run::load::roles::CompiledRoles;
use hyperkill_run::load::{aiger, combined, judgement, program, source, taken};
use hyperkill_run::procedure::Procedure;
use hyperkill_run::reading::{ModelSpec, Taken, Understanding, refuse_others};

use super::language::Language;
use super::origin::{Origin, read_sources};
use super::plugin;
use super::sources::{kit_of, sources, with_options};
use crate::documents::reading::{ModelOptions, RoleOptions};
use crate::documents::{MadeWord, Reading};
use crate::failure::Failure;
use crate::languages;
use crate::model::{Draft, Listing, Loaded};
use crate::progress::Screen;
use crate::session::{Level, Session};

/// Reads a model in any known language, and returns the procedure that decides its mutants.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid.
pub(crate) fn model_from(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Box<dyn Procedure>, Failure> {
    model_seen(session, spec, origin, operators, |_, _| Ok(()))
}

/// Does the same as [`model_from`]. If the model is decided as a circuit, calls `see` with it before the procedure is made.
///
/// # Errors
/// As [`model_from`] and `see`.
pub(crate) fn model_seen<'io>(
    session: &mut Session<'io>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
    see: impl FnOnce(&mut Session<'io>, &Loaded) -> Result<(), Failure>,
) -> Result<Box<dyn Procedure>, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, spec, origin)?;
    if let Some((frontend, procedures)) = language.own() {
        let model = own_model(session, spec, origin, operators, frontend, procedures)?;
        return Ok(Box::new(model));
    }
    let draft = draft_in(session, language, spec, origin, operators)?;
    let loaded = judged(session, draft)?;
    see(session, &loaded)?;
    Ok(of_circuit(loaded))
}

/// Returns the procedure that decides the mutants of a circuit.
pub(crate) fn of_circuit(loaded: Loaded) -> Box<dyn Procedure> {
    Box::new(Circuits::new(loaded, languages::built_in))
}

/// Reads a model in any known language as a circuit.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid or has no circuit.
pub fn load(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    operators: &[String],
) -> Result<Loaded, Failure> {
    circuit_from(session, spec, Origin::Places(&spec.files), operators)
}

/// Does the same as [`load`], with files at other places than `spec` names, or with copies.
///
/// # Errors
/// As [`load`].
pub(crate) fn circuit_from(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Loaded, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, spec, origin)?;
    if let Some((frontend, _)) = language.own() {
        return Err(languages::no_circuit(frontend.name()));
    }
    let draft = draft_in(session, language, spec, origin, operators)?;
    judged(session, draft)
}

/// Reads a model in a language that decides its mutants itself; `None` for other languages.
///
/// # Errors
/// As [`model_from`].
pub(crate) fn own(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Option<OwnModel>, Failure> {
    if let Some(name) = spec.language.as_deref()
        && languages::own(name).is_none()
    {
        return Ok(None);
    }
    let _reading = session.stage("the model was read");
    let language = Language::of(session, spec, origin)?;
    let Some((frontend, procedures)) = language.own() else {
        return Ok(None);
    };
    own_model(session, spec, origin, operators, frontend, procedures).map(Some)
}

pub(super) fn own_model(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
    frontend: &dyn Frontend,
    procedures: OwnProcedures,
) -> Result<OwnModel, Failure> {
    with_options(session, spec, origin, operators, |session, asked| {
        let sources = sources(session, spec, origin)?;
        must_have_text(spec, &sources)?;
        let mut kit = kit_of(session.io, spec, origin, &sources)?;
        let mut model = own::translate(frontend, procedures, sources, asked)?;
        for warning in &model.contents.warnings {
            session.warn(&model.listing.sources, warning);
        }
        kit.add_asked_for(&model.listing.sources);
        // The selected mutants are all read, since a selection saves no time here.
        if let Some(Taken::Listed(list)) = &spec.taken {
            taken::keep_listed(&mut model.listing, list)?;
            kit.add_made(MadeWord::Taken, list.clone().into_bytes());
        }
        keep(&mut model.listing, spec, operators, kit);
        Ok(model)
    })
}

/// Parses the model for the procedure that decides.
///
/// # Errors
/// If the deciding procedure refuses the model. The checking procedure has accepted it, so this is a fault of the language.
pub(crate) fn decider(model: &OwnModel) -> Result<Box<dyn Decider>, Failure> {
    let sources = &model.listing.sources;
    (model.decider()).map_err(|errors| Failure::diagnosed(sources, errors))
}

/// Decides which mutants of `draft` are models, then does the same as [`settle`].
///
/// # Errors
/// As [`settle`]. If the original is not a model.
pub(crate) fn judged(session: &mut Session<'_>, draft: Draft) -> Result<Loaded, Failure> {
    let shown = judgement::judge(&draft, &session.budget())?;
    settle(session, draft, shown.as_ref())
}

/// Returns the model without the mutants that `shown` proves to be no models, which are set aside, and prints warnings and notes.
///
/// # Errors
/// If the translation has lost a mutant.
pub(crate) fn settle(
    session: &mut Session<'_>,
    draft: Draft,
    shown: Option<&Validity>,
) -> Result<Loaded, Failure> {
    let (loaded, warnings) = draft.settle(shown)?;
    tell(session, &loaded.listing, &warnings);
    Ok(loaded)
}

/// Does the same as [`load`], with other files or copies, without deciding which mutants are models.
///
/// # Errors
/// As [`load`].
pub(crate) fn draft(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, spec, origin)?;
    draft_in(session, language, spec, origin, operators)
}

pub(super) fn draft_in(
    session: &mut Session<'_>,
    language: Language,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    with_options(session, spec, origin, operators, |session, asked| {
        let mut kit = Kit::default();
        let is_given = matches!(language, Language::Aiger(_));
        let mut translator = None;
        let draft = match language {
            Language::Aiger(bytes) => {
                must_say_something(&spec.files[0], &[&bytes])?;
                fits_a_circuit(spec)?;
                let draft = aiger::translate(&spec.files[0], &bytes, asked.roles)?;
                kit.add(&spec.files[0], bytes, None);
                draft
            }
            Language::Source(frontend) => {
                let sources = sources(session, spec, origin)?;
                must_have_text(spec, &sources)?;
                kit = kit_of(session.io, spec, origin, &sources)?;
                let own = languages::own(frontend.name());
                let language = source::Language {
                    frontend: frontend.as_ref(),
                    decision: own.as_ref().map(|own| own.decision.as_ref()),
                };
                let draft = source::translate(language, sources, asked)?;
                translator = Some(frontend);
                draft
            }
            Language::Program(frontend) => {
                program::refuse_options(&frontend.description.name, spec)?;
                let sources = read_sources(session.io, spec, origin)?;
                must_say_something(&spec.files[0], &[sources[0].text.as_bytes()])?;
                kit = kit_of(session.io, spec, origin, &sources)?;
                plugin::translate(session, &frontend, &sources, asked, &mut kit)?
            }
        };
        kit.add_asked_for(&draft.loaded.listing.sources);
        let screen = &mut Screen::of(session);
        let again = |draft: &Draft, mutants: &[Vec<MutantId>]| match &translator {
            Some(frontend) => source::combined(frontend.as_ref(), draft, asked, mutants),
            None => Ok(None),
        };
        let (draft, list) = combined::combined(draft, spec, asked.budget, screen, &again)?;
        if let Some(list) = list {
            kit.add_made(MadeWord::Combinations, list.into_bytes());
        }
        // Evidence is about a given circuit, so its mutants stay as they are.
        let taken = spec.taken.as_ref().filter(|_| !is_given);
        let (mut draft, list) = taken::taken(draft, taken)?;
        if let Some(list) = list {
            kit.add_made(MadeWord::Taken, list.into_bytes());
        }
        keep(&mut draft.loaded.listing, spec, operators, kit);
        Ok(draft)
    })
}

/// Refuses options that only sources support.
///
/// # Errors
/// If the user gives one of them.
fn fits_a_circuit(spec: &ModelSpec) -> Result<(), Failure> {
    if let [_, second, ..] = spec.files.as_slice() {
        return Err(Failure::usage(format!(
            "an AIGER file is a complete model: leave out the file {}",
            second.display()
        )));
    }
    let known = Understanding {
        language: languages::AIGER,
        options: &[
            ModelOption::Inputs,
            ModelOption::Outputs,
            ModelOption::Choices,
            ModelOption::Selectors,
        ],
        lacks: &|option| match option {
            ModelOption::Complete => "models in other languages take it when they are translated",
            ModelOption::Observe => "the file determines its outputs",
            option if option.is_of_hardware() => "it is an option for reading a source",
            option => lacking(option),
        },
    };
    Ok(refuse_others(&spec.options, &known)?)
}

/// Records in the listing of a circuit how it was read, and the copies of its files.
pub(crate) fn keep_circuit(
    listing: &mut Listing,
    file: &Path,
    bytes: Vec<u8>,
    roles: &RoleOptions,
) {
    let mut kit = Kit::default();
    kit.add(file, bytes, None);
    listing.reading = Reading {
        files: vec![published(file)],
        places: absolute(&[file.to_owned()]),
        sources: kit.sources.clone(),
        options: ModelOptions {
            roles: roles.clone(),
            ..ModelOptions::default()
        },
        ..Reading::default()
    };
    listing.copies = kit.into_copies();
}

/// Parses the bytes of an AIGER file, and decides which of its mutants are models. `file` is for messages and the description.
///
/// # Errors
/// If it is malformed, a selector is not a valid selector latch, or options match nothing.
pub fn aiger_from_bytes(
    session: &mut Session<'_>,
    file: &Path,
    bytes: &[u8],
    options: &CompiledRoles,
) -> Result<Loaded, Failure> {
    let draft = aiger::translate(file, bytes, options)?;
    judged(session, draft)
}

/// Prints the warnings and notes about a model.
pub(super) fn tell(session: &mut Session<'_>, listing: &Listing, warnings: &[Diagnostic]) {
    for warning in warnings {
        session.warn(&listing.sources, warning);
    }
    for note in &listing.role_notes {
        session.say(Level::Detail, note);
    }
}
