//! Reading a model in any language: texts, translation, mutants that are models.

use std::path::Path;

use hyperkill_evidence::validity::Validity;
use hyperkill_frontend::{Diagnostic, Frontend};
use hyperkill_run::circuit::Circuits;
use hyperkill_run::language::OwnModel;
use hyperkill_run::procedure::Procedure;

use super::files::{absolute, published};
use super::language::Language;
use super::origin::{Kit, Origin, must_have_text, must_say_something, read_sources};
use super::roles::{Asked, RoleOptions, reading_roles};
use super::sources::{keep, kit_of, sources};
use super::{aiger, combined, judgement, plugin, source, taken};
use crate::args::{ModelArgs, RoleArgs, Taken};
use crate::documents::{MadeWord, Reading};
use crate::failure::Failure;
use crate::languages::{self, OwnProcedures};
use crate::model::{Draft, Listing, Loaded};
use crate::session::{Level, Session};

/// Reads a model in any known language, for whoever settles its mutants.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid.
pub(crate) fn model_from(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Box<dyn Procedure>, Failure> {
    model_seen(session, args, origin, operators, |_, _| Ok(()))
}

/// As [`model_from`]; `see` looks at the model if it is a circuit.
///
/// # Errors
/// As [`model_from`]; as `see`.
pub(crate) fn model_seen<'io>(
    session: &mut Session<'io>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
    see: impl FnOnce(&mut Session<'io>, &Loaded) -> Result<(), Failure>,
) -> Result<Box<dyn Procedure>, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    if let Some((frontend, procedures)) = language.own() {
        let model = own_model(session, args, origin, operators, frontend, procedures)?;
        return Ok(Box::new(model));
    }
    let draft = draft_in(session, language, args, origin, operators)?;
    let loaded = judged(session, draft)?;
    see(session, &loaded)?;
    Ok(Box::new(Circuits::new(loaded, languages::built_in)))
}

/// Reads a model that is a circuit, in any known language.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid or no circuit.
pub fn load(
    session: &mut Session<'_>,
    args: &ModelArgs,
    operators: &[String],
) -> Result<Loaded, Failure> {
    circuit_from(session, args, Origin::Places(&args.files), operators)
}

/// As [`load`], from the contents of other files than those that `args` names, or of copies.
///
/// # Errors
/// As [`load`].
pub(crate) fn circuit_from(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Loaded, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    if let Some((frontend, _)) = language.own() {
        return Err(languages::no_circuit(frontend.name()));
    }
    let draft = draft_in(session, language, args, origin, operators)?;
    judged(session, draft)
}

/// As [`model_from`], if the language decides its mutants itself.
///
/// # Errors
/// As [`model_from`].
pub(crate) fn own(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Option<OwnModel>, Failure> {
    if let Some(name) = args.language.as_deref()
        && languages::own(name).is_none()
    {
        return Ok(None);
    }
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    let Some((frontend, procedures)) = language.own() else {
        return Ok(None);
    };
    own_model(session, args, origin, operators, frontend, procedures).map(Some)
}

pub(super) fn own_model(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
    frontend: &dyn Frontend,
    procedures: OwnProcedures,
) -> Result<OwnModel, Failure> {
    let roles = RoleOptions::compile(&args.roles)?;
    let sources = sources(session, args, origin)?;
    must_have_text(args, &sources)?;
    let mut kit = kit_of(session.io, args, origin, &sources)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators,
    };
    let mut model = super::own::translate(session, frontend, procedures, sources, &asked)?;
    kit.add_asked_for(&model.listing.sources);
    // All mutants that are selected are read: choosing among them saves nothing here.
    if let Some(Taken::Listed(list)) = &args.taken {
        taken::keep_listed(&mut model.listing, list)?;
        kit.add_made(MadeWord::Taken, list.clone().into_bytes());
    }
    keep(&mut model.listing, args, operators, kit);
    Ok(model)
}

/// As [`settle`], after asking which mutants are models.
///
/// # Errors
/// As [`settle`]; if the original is no model.
pub(crate) fn judged(session: &mut Session<'_>, draft: Draft) -> Result<Loaded, Failure> {
    let shown = judgement::judge(session, &draft)?;
    settle(session, draft, shown.as_ref())
}

/// The model with the mutants that are models, and the others set aside; what the user should know is said.
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

/// As [`load`] from the contents of other files or of copies, without asking which mutants are models.
///
/// # Errors
/// As [`load`].
pub(crate) fn draft(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    let _reading = session.stage("the model was read");
    let language = Language::of(session, args, origin)?;
    draft_in(session, language, args, origin, operators)
}

pub(super) fn draft_in(
    session: &mut Session<'_>,
    language: Language,
    args: &ModelArgs,
    origin: Origin<'_>,
    operators: &[String],
) -> Result<Draft, Failure> {
    let roles = RoleOptions::compile(&args.roles)?;
    let asked = Asked {
        args,
        origin,
        roles: &roles,
        operators,
    };
    let mut kit = Kit::default();
    let is_given = matches!(language, Language::Aiger(_));
    let draft = match language {
        Language::Aiger(bytes) => {
            must_say_something(&args.files[0], &[&bytes])?;
            fits_a_circuit(args)?;
            let draft = aiger::translate(&args.files[0], &bytes, &roles)?;
            kit.add(&args.files[0], bytes, None);
            draft
        }
        Language::Source(frontend) => {
            let sources = sources(session, args, origin)?;
            must_have_text(args, &sources)?;
            kit = kit_of(session.io, args, origin, &sources)?;
            source::translate(session, frontend.as_ref(), sources, &asked)?
        }
        Language::Program(frontend) => {
            plugin::refuse_options(&frontend.description.name, args, &roles)?;
            let sources = read_sources(session.io, args, origin)?;
            must_say_something(&args.files[0], &[sources[0].text.as_bytes()])?;
            kit = kit_of(session.io, args, origin, &sources)?;
            plugin::translate(session, &frontend, sources, &asked, &mut kit)?
        }
    };
    kit.add_asked_for(&draft.loaded.listing.sources);
    let (draft, list) = combined::combined(session, draft, &args.process)?;
    if let Some(list) = list {
        kit.add_made(MadeWord::Combinations, list.into_bytes());
    }
    // A circuit that was given is what evidence is about.
    let taken = args.taken.as_ref().filter(|_| !is_given);
    let (mut draft, list) = taken::taken(draft, taken)?;
    if let Some(list) = list {
        kit.add_made(MadeWord::Taken, list.into_bytes());
    }
    keep(&mut draft.loaded.listing, args, operators, kit);
    Ok(draft)
}

/// Nothing is asked for that only sources have.
///
/// # Errors
/// What is.
fn fits_a_circuit(args: &ModelArgs) -> Result<(), Failure> {
    if let [_, second, ..] = args.files.as_slice() {
        return Err(Failure::usage(format!(
            "an AIGER file is a whole model, but there is also {}",
            second.display()
        )));
    }
    if args.hardware.is_given() {
        return Err(Failure::usage(
            "options about hardware say how a source is read, but an AIGER file is none",
        ));
    }
    if args.domain.is_some() {
        return Err(Failure::usage(
            "--domain: an AIGER file has no domain of faults",
        ));
    }
    if args.process.is_given() {
        return Err(Failure::usage(
            "--sut, --environment, --semantics and --totalise are for timed processes, but an AIGER file has none",
        ));
    }
    if let Some(definition) = args.define.first() {
        return Err(Failure::usage(format!(
            "-D {}: an AIGER file has no named constants",
            definition.name
        )));
    }
    if args.observe.is_some() {
        return Err(Failure::usage(
            "--observe is for models with events, but an AIGER file has the outputs that it has",
        ));
    }
    if !args.range.is_empty() {
        return Err(Failure::usage("--range is for GraphWalker's models"));
    }
    if args.complete {
        return Err(Failure::usage(
            "--complete is for models in other languages: translate them with it",
        ));
    }
    Ok(())
}

/// Lets the listing of a circuit say how it was read, and have what was.
pub(crate) fn keep_circuit(listing: &mut Listing, file: &Path, bytes: Vec<u8>, roles: &RoleArgs) {
    let mut kit = Kit::default();
    kit.add(file, bytes, None);
    listing.reading = Reading {
        files: vec![published(file)],
        places: absolute(&[file.to_owned()]),
        sources: kit.sources.clone(),
        ..reading_roles(roles)
    };
    listing.copies = kit.into_copies();
}

/// Reads a circuit.
///
/// # Errors
/// If it is malformed, its selectors are none, or options match nothing.
pub fn aiger_from_bytes(
    session: &mut Session<'_>,
    file: &Path,
    bytes: &[u8],
    options: &RoleOptions,
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
