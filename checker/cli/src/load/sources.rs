//! The texts of a model, and what is kept of them.

use hyperkill_frontend::SourceFile;

use super::files::{absolute, published};
use super::origin::{Kit, Origin, read_sources};
use super::roles::reading_roles;
use super::yosys;
use crate::args::{ModelArgs, Via};
use crate::documents::{MadeWord, Reading};
use crate::failure::Failure;
use crate::io::Io;
use crate::model::Listing;
use crate::session::Session;

/// The texts of a model, those that another program makes of its files if that is asked for.
pub(super) fn sources(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<Vec<SourceFile>, Failure> {
    match (args.hardware.via, origin) {
        (None, _) => read_sources(session.io, args, origin),
        (Some(Via::Yosys), Origin::Places(places)) => {
            Ok(vec![yosys::netlist(session, args, places)?])
        }
        (Some(Via::Yosys), Origin::Copies(_)) => Ok(vec![yosys::kept(args, origin)?]),
    }
}

/// What the files of a model hold. Of those that another program reads the texts are what that made of them.
pub(super) fn kit_of(
    io: &mut Io,
    args: &ModelArgs,
    origin: Origin<'_>,
    sources: &[SourceFile],
) -> Result<Kit, Failure> {
    let mut kit = Kit::default();
    if args.hardware.via.is_none() {
        for (file, source) in args.files.iter().zip(sources) {
            kit.add(file, source.text.clone().into_bytes(), None);
        }
        return Ok(kit);
    }
    for (number, file) in args.files.iter().enumerate() {
        kit.add(file, origin.bytes(io, number)?, None);
    }
    let netlist = sources.first().map(|source| source.text.clone());
    kit.add_made(MadeWord::Netlist, netlist.unwrap_or_default().into_bytes());
    Ok(kit)
}

/// Lets a listing say how the model was read, and have what was.
pub(super) fn keep(listing: &mut Listing, args: &ModelArgs, operators: &[String], kit: Kit) {
    listing.reading = reading(args, operators, &kit);
    listing.copies = kit.into_copies();
}

/// How a model was read, for whoever wants to read it again.
fn reading(args: &ModelArgs, operators: &[String], kit: &Kit) -> Reading {
    Reading {
        files: args.files.iter().map(|file| published(file)).collect(),
        places: absolute(&args.files),
        define: args.define.iter().map(ToString::to_string).collect(),
        top: args.hardware.top.clone(),
        include: (args.hardware.include.iter())
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect(),
        reset: (args.hardware.reset.iter())
            .map(ToString::to_string)
            .collect(),
        zero_init: args.hardware.zero_init,
        parameters: (args.hardware.parameter.iter())
            .map(ToString::to_string)
            .collect(),
        one_clock: args.hardware.one_clock,
        assume: args.hardware.assume.clone(),
        via: args.hardware.via.map(|via| match via {
            Via::Yosys => "yosys".to_owned(),
        }),
        domain: args.domain.clone(),
        sut: args.process.sut.clone(),
        environment: args.process.environment.clone(),
        semantics: args.process.semantics.clone(),
        totalise: args.process.totalise.clone(),
        order: args.process.order.map(|order| order.changes),
        order_sample: args.process.order.and_then(|order| order.sample),
        complete: args.complete,
        observe: args.observe.clone(),
        ranges: args.range.iter().map(ToString::to_string).collect(),
        operators: operators.to_vec(),
        sources: kit.sources.clone(),
        made: kit.made.clone(),
        ..reading_roles(&args.roles)
    }
}
