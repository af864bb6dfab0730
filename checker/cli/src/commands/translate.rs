//! `hyperkill translate`: the conditional mutant of a model as AIGER.

use std::io::Write;

use anyhow::Context;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aiger::{annotate, write_ascii, write_binary};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::specialise::keep_mutants;

use crate::args::TranslateArgs;
use crate::documents::build::published_name;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{Loaded, Standing, is_stdin, load};
use crate::render::results::plural;
use crate::run_folder::write_atomically;
use crate::selection::resolve;
use crate::session::{Level, Session};

/// Carries it out.
pub(super) fn translate(
    session: &mut Session<'_>,
    args: &TranslateArgs,
) -> Result<ExitCode, Failure> {
    let mut loaded = load(session, &args.model, &args.operator)?;
    // The same file wherever the model lies.
    for mutant in &mut loaded.model.mutants {
        mutant.place.file = published_name(&mutant.place.file);
    }
    let aig = match &args.mutant {
        Some(prefix) => {
            let (one, id) = single(&loaded, prefix)?;
            let mut aig = annotate(&one);
            aig.comments.push(format!("mutant {id}"));
            aig
        }
        None => annotate(&loaded.model),
    };
    session.say(
        Level::Detail,
        format!(
            "{}, {}, {}, {}",
            plural(aig.inputs().len(), "input"),
            plural(aig.latches().len(), "latch bit"),
            plural(aig.gate_count(), "gate"),
            plural(loaded.model.selectors.len(), "mutant")
        ),
    );
    let to_stdout = is_stdin(&args.out);
    let is_ascii_file = args.out.extension().is_some_and(|e| e == "aag");
    let for_people = to_stdout && session.io.stdout_is_terminal;
    let is_ascii = args.ascii || (!args.binary && (is_ascii_file || for_people));
    let bytes = if is_ascii {
        write_ascii(&aig)
    } else {
        write_binary(&aig)
    };
    if to_stdout {
        session
            .io
            .stdout
            .write_all(&bytes)
            .context("standard output cannot be written")?;
    } else {
        write_atomically(&args.out, &bytes)?;
    }
    Ok(ExitCode::Success)
}

/// The form of [3]: one mutant, behind a selector called `mut`.
fn single(loaded: &Loaded, prefix: &str) -> Result<(ConditionalMutant, MutantId), Failure> {
    let ids: Vec<&str> = loaded.catalogue.iter().map(|e| e.id.0.as_str()).collect();
    let entry = &loaded.catalogue[resolve(prefix, &ids)?];
    let selector = match &entry.standing {
        Standing::Live(selector) => *selector,
        Standing::Invalid(reason) => {
            return Err(Failure::usage(format!(
                "mutant {} is no model: {reason}",
                entry.id
            )));
        }
    };
    let mut model = keep_mutants(&loaded.model, &[selector]);
    let id = MutantId("mut".to_owned());
    for selector in &mut model.selectors {
        selector.id = id.clone();
    }
    for mutant in &mut model.mutants {
        mutant.id = id.clone();
    }
    Ok((model, entry.id.clone()))
}
