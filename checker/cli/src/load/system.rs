//! The transition system of a model, without mutants.

use hyperkill_core::system::TransitionSystem;
use hyperkill_frontend::SourceFile;
use hyperkill_run::load::source;
use hyperkill_run::reading::ModelSpec;

use super::language::Language;
use super::origin::{Origin, read_sources};
use super::sources::{sources, with_options};
use crate::failure::Failure;
use crate::languages;
use crate::session::Session;

/// Returns the transition system of a source without mutants, and its sources.
///
/// # Errors
/// As [`super::load`]. If the model is an AIGER file.
pub fn system(
    session: &mut Session<'_>,
    spec: &ModelSpec,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    system_from(session, spec, Origin::Places(&spec.files))
}

/// Does the same as [`system`], with files at other places than `spec` names, or with copies.
///
/// # Errors
/// As [`system`].
pub(crate) fn system_from(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let sources = read_sources(session.io, spec, origin)?;
    translated_system(session, spec, origin, sources)
}

/// Does the same as [`system`], with other texts than those in the files.
///
/// # Errors
/// As [`system`].
pub fn system_of(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    sources: Vec<SourceFile>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    translated_system(session, spec, Origin::Places(&spec.files), sources)
}

fn translated_system(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    sources: Vec<SourceFile>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let _reading = session.stage("the model was read");
    with_options(session, spec, origin, &[], |session, asked| {
        let frontend = Language::of(session, spec, origin)?.built_in()?;
        if languages::own(frontend.name()).is_some() {
            return Err(languages::no_circuit(frontend.name()));
        }
        let language = source::Language {
            frontend: frontend.as_ref(),
            decision: None,
        };
        let translated = source::system(language, sources, asked)?;
        Ok((translated.system, translated.sources))
    })
}

/// Refuses a model with an invariant that has no value for some variable values, for example by a division by zero.
///
/// # Errors
/// If a value is missing: the location. Also as [`system`].
pub fn invariants_have_values(session: &mut Session<'_>, spec: &ModelSpec) -> Result<(), Failure> {
    let _reading = session.stage("the model was read");
    let origin = Origin::Places(&spec.files);
    with_options(session, spec, origin, &[], |session, asked| {
        let frontend = Language::of(session, spec, origin)?.built_in()?;
        let sources = sources(session, spec, origin)?;
        let own = languages::own(frontend.name());
        let language = source::Language {
            frontend: frontend.as_ref(),
            decision: own.as_ref().map(|own| own.decision.as_ref()),
        };
        Ok(source::invariants_have_values(language, sources, asked)?)
    })
}
