//! The texts of a model, and what is kept of them.

use hyperkill_frontend::SourceFile;
use hyperkill_run::reading::ModelSpec;

use super::files::{absolute, published};
use super::origin::{Kit, Origin, read_sources};
use super::yosys;
use crate::documents::reading::Program;
use crate::documents::{MadeWord, Reading};
use crate::failure::Failure;
use crate::io::Io;
use crate::model::Listing;
use crate::session::Session;

/// The texts of a model, those that another program makes of its files if that is asked for.
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

/// What the files of a model hold. Of those that another program reads the texts are what that made of them.
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

/// Lets a listing say how the model was read, and have what was.
pub(super) fn keep(listing: &mut Listing, spec: &ModelSpec, operators: &[String], kit: Kit) {
    listing.reading = reading(spec, operators, &kit);
    listing.copies = kit.into_copies();
}

/// How a model was read, for whoever wants to read it again.
fn reading(spec: &ModelSpec, operators: &[String], kit: &Kit) -> Reading {
    Reading {
        files: spec.files.iter().map(|file| published(file)).collect(),
        places: absolute(&spec.files),
        options: spec.options.clone(),
        operators: operators.to_vec(),
        sources: kit.sources.clone(),
        made: kit.made.clone(),
    }
}
