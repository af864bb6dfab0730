//! The texts of a model, and the files that a run keeps of them.

use hyperkill_frontend::SourceFile;
use hyperkill_run::load::kit::Kit;
use hyperkill_run::load::roles::{Asked, CompiledRoles};
use hyperkill_run::reading::ModelSpec;

use super::origin::{Origin, read_sources};
use super::yosys;
use crate::documents::MadeWord;
use crate::documents::reading::Program;
use crate::failure::Failure;
use crate::io::Io;
use crate::session::Session;

/// Compiles the globs in the options of a model, and calls `read` with the compiled options.
///
/// # Errors
/// If a glob is malformed. As `read`.
pub(super) fn with_options<'io, T>(
    session: &mut Session<'io>,
    spec: &ModelSpec,
    origin: Origin<'_>,
    operators: &[String],
    read: impl FnOnce(&mut Session<'io>, &Asked<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let roles = CompiledRoles::compile(&spec.options.roles)?;
    let loader = origin.loader(session, spec);
    let budget = session.budget();
    let asked = Asked {
        spec,
        loader: &loader,
        roles: &roles,
        operators,
        budget: &budget,
    };
    read(session, &asked)
}

/// Returns the texts of a model. With `--via`, these are the texts that the other program makes of the files.
pub(super) fn sources(
    session: &mut Session<'_>,
    spec: &ModelSpec,
    origin: Origin<'_>,
) -> Result<Vec<SourceFile>, Failure> {
    match (spec.options.hardware.via, origin) {
        (None, _) => read_sources(session.io, spec, origin),
        (Some(Program::Yosys), Origin::Places(places)) => {
            Ok(vec![yosys::netlist(session, spec, places)?])
        }
        (Some(Program::Yosys), Origin::Copies(_)) => Ok(vec![yosys::kept(spec, origin)?]),
    }
}

/// Returns the bytes of the model's files for the run folder. With `--via`, texts are generated, so the files are read again.
pub(super) fn kit_of(
    io: &mut Io,
    spec: &ModelSpec,
    origin: Origin<'_>,
    sources: &[SourceFile],
) -> Result<Kit, Failure> {
    let mut kit = Kit::default();
    if spec.options.hardware.via.is_none() {
        for (file, source) in spec.files.iter().zip(sources) {
            kit.add(file, source.text.clone().into_bytes(), None);
        }
        return Ok(kit);
    }
    for (number, file) in spec.files.iter().enumerate() {
        kit.add(file, origin.bytes(io, number)?, None);
    }
    let netlist = sources.first().map(|source| source.text.clone());
    kit.add_made(MadeWord::Netlist, netlist.unwrap_or_default().into_bytes());
    Ok(kit)
}
