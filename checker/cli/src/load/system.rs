//! The transition system of a model, without mutants.

use hyperkill_core::system::TransitionSystem;
use hyperkill_frontend::SourceFile;
use hyperkill_run::reading::ModelSpec;

use super::language::Language;
use super::origin::{Origin, read_sources};
use super::roles::{Asked, CompiledRoles};
use super::source;
use super::sources::sources;
use crate::failure::Failure;
use crate::languages;
use crate::session::Session;

/// The transition system of a model in another language, without mutants, and its sources.
///
/// # Errors
/// As [`super::load`]; that the model is a circuit.
pub fn system(
    session: &mut Session<'_>,
    spec: &ModelSpec,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    system_from(session, spec, Origin::Places(&spec.files))
}

/// As [`system`], from the contents of other files than those that `spec` names, or of copies.
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

/// As [`system`], with other texts than those of the files.
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
    let roles = CompiledRoles::compile(&spec.options.roles)?;
    let frontend = Language::of(session, spec, origin)?.built_in()?;
    if languages::own(frontend.name()).is_some() {
        return Err(languages::no_circuit(frontend.name()));
    }
    let asked = Asked {
        spec,
        origin,
        roles: &roles,
        operators: &[],
    };
    source::system(session, frontend.as_ref(), sources, &asked)
}

/// Refuses a model some of whose invariants cannot be asked: they have no value for some values of variables, as those that divide
/// by zero.
///
/// # Errors
/// Where the value is missing; as [`system`].
pub fn invariants_have_values(session: &mut Session<'_>, spec: &ModelSpec) -> Result<(), Failure> {
    let _reading = session.stage("the model was read");
    let roles = CompiledRoles::compile(&spec.options.roles)?;
    let origin = Origin::Places(&spec.files);
    let frontend = Language::of(session, spec, origin)?.built_in()?;
    let sources = sources(session, spec, origin)?;
    let asked = Asked {
        spec,
        origin,
        roles: &roles,
        operators: &[],
    };
    source::invariants_have_values(session, frontend.as_ref(), sources, &asked)
}
