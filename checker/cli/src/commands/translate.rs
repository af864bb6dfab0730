//! `hyperkill translate`: writes the conditional mutant of a model as AIGER.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context;
use hyperkill_core::Aig;
use hyperkill_core::aiger::{annotate, write_ascii, write_binary};
use hyperkill_frontend::counted;
use hyperkill_run::load::combined::parts;
use hyperkill_run::reading::ModelSpec;
use hyperkill_run::translated::{Single, product, single};
use hyperkill_verify::completeness::no_domain;

use super::beyond::those_left;
use super::completeness::tests;
use crate::args::{MachineForm, TranslateArgs};
use crate::documents::MadeWord;
use crate::documents::build::published_name;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Origin, is_stdin};
use crate::model::Loaded;
use crate::session::{Level, Session};
use crate::terminal::shown;

/// Writes the conditional mutant of a model as AIGER, or in the form of `--to`.
pub(super) fn translate(
    session: &mut Session<'_>,
    args: &TranslateArgs,
) -> Result<ExitCode, Failure> {
    if args.to == Some(MachineForm::Efsm) {
        return write_commands(session, args);
    }
    if let Some(form) = args.to {
        return write_machine(session, args, form);
    }
    if let Some(suite) = &args.suite {
        let aig = survivors(session, args, suite)?;
        return write_circuit(session, args, &aig);
    }
    let mut model = those_left(session, &args.model, &args.operator)?;
    if args.ticks.is_some() {
        model.options.processes.ticks = args.ticks;
    }
    let mut loaded = circuit(session, &model, &args.operator)?;
    if args.model.process.order.is_some() {
        say_invalid(session, &loaded);
    }
    // File names without folders make the output independent of the model's location.
    for mutant in &mut loaded.model.mutants {
        mutant.place.file = published_name(&mutant.place.file);
    }
    let mut aig = match &args.mutant {
        Some(prefix) => {
            let Single { model, id } = single(&loaded, prefix)?;
            let mut aig = if args.product {
                product(&model)?
            } else {
                annotate(&model)
            };
            aig.comments.push(format!("mutant {id}"));
            aig
        }
        None if args.product => product(&loaded.model)?,
        None => annotate(&loaded.model),
    };
    aig.comments.extend(changes(&loaded));
    session.say(
        Level::Detail,
        format!(
            "{}, {}, {}, {}",
            counted(aig.inputs().len(), "input"),
            counted(aig.latches().len(), "latch bit"),
            counted(aig.gate_count(), "gate"),
            counted(loaded.model.selectors.len(), "mutant")
        ),
    );
    write_circuit(session, args, &aig)
}

/// Writes a circuit as ASCII or binary AIGER, as the options or the name of the output file say; ASCII to a terminal.
fn write_circuit(
    session: &mut Session<'_>,
    args: &TranslateArgs,
    aig: &Aig,
) -> Result<ExitCode, Failure> {
    let to_stdout = is_stdin(&args.out);
    let is_ascii_file = args.out.extension().is_some_and(|e| e == "aag");
    let for_people = to_stdout && session.io.stdout_is_terminal;
    let is_ascii = args.ascii || (!args.binary && (is_ascii_file || for_people));
    let mut bytes = if is_ascii {
        write_ascii(aig)
    } else {
        write_binary(aig)
    };
    if is_ascii && for_people {
        bytes = shown(&String::from_utf8_lossy(&bytes)).into_bytes();
    }
    write_out(session, args, &bytes)
}

fn write_out(
    session: &mut Session<'_>,
    args: &TranslateArgs,
    bytes: &[u8],
) -> Result<ExitCode, Failure> {
    if is_stdin(&args.out) {
        session
            .io
            .stdout
            .write_all(bytes)
            .context("standard output cannot be written")?;
    } else {
        session.io.disk.write(&args.out, bytes)?;
    }
    Ok(ExitCode::Success)
}

/// Returns the circuit of a model. Works also for a language that decides its mutants without a circuit.
fn circuit(
    session: &mut Session<'_>,
    model: &ModelSpec,
    operators: &[String],
) -> Result<Loaded, Failure> {
    let draft = load::draft(session, model, Origin::Places(&model.files), operators)?;
    load::judged(session, draft)
}

/// Reports the number of higher-order mutants that are not models although each of their changes is one.
fn say_invalid(session: &mut Session<'_>, loaded: &Loaded) {
    let catalogue = &loaded.listing.catalogue;
    let invalid = catalogue.iter().filter(|entry| entry.invalid().is_some());
    let invalid = invalid.count();
    if invalid > 0 {
        session.say(
            Level::Note,
            format!("{invalid} of those looked at are no models"),
        );
    }
}

/// Returns comments for the AIGER file: a line for each mutant of higher order that is a model, with its changes.
fn changes(loaded: &Loaded) -> Vec<String> {
    let list = loaded.listing.made(MadeWord::Combinations);
    let list = String::from_utf8_lossy(list.unwrap_or_default());
    let selectors = loaded.model.selectors.iter();
    let live: BTreeSet<&str> = selectors.map(|s| s.id.0.as_str()).collect();
    parts(&list)
        .filter(|(id, _)| live.contains(id))
        .map(|(id, parts)| format!("mutant {id} changes {}", parts.join(" ")))
        .collect()
}

/// `--suite`: returns the circuit of the problem whether a mutant of the domain of faults differs but passes all tests.
///
/// # Errors
/// If the model has no domain of faults, or the tests do not fit it.
fn survivors(
    session: &mut Session<'_>,
    args: &TranslateArgs,
    file: &std::path::Path,
) -> Result<Aig, Failure> {
    let spec = args.model.spec();
    let origin = Origin::Places(&spec.files);
    let read = load::own(session, &spec, origin, &args.operator)?;
    let model = read.ok_or_else(no_domain)?;
    let tests = tests(file)?;
    let decider = load::decider(&model)?;
    let domain = decider.domain().ok_or_else(no_domain)?;
    domain
        .survivors(&tests)
        .map_err(|what| Failure::usage(format!("--suite {}: {what}", file.display())))
}

/// `--to efsm`: writes a system of guarded commands as a machine with variables.
fn write_commands(session: &mut Session<'_>, args: &TranslateArgs) -> Result<ExitCode, Failure> {
    let spec = args.model.spec();
    let prepared = load::prepared(session, &spec, Origin::Places(&spec.files))?;
    let name = prepared.frontend.name();
    let Some(written) = languages::commands(name, &prepared.sources, &prepared.options) else {
        return Err(Failure::usage(format!(
            "--to efsm is for languages of guarded commands, and models in {name} are no such systems"
        )));
    };
    let mut text =
        written.map_err(|diagnostics| Failure::diagnosed(&prepared.sources, diagnostics))?;
    if is_stdin(&args.out) && session.io.stdout_is_terminal {
        text = shown(&text);
    }
    write_out(session, args, text.as_bytes())
}

/// `--to`: writes a machine with its domain of faults as text.
fn write_machine(
    session: &mut Session<'_>,
    args: &TranslateArgs,
    form: MachineForm,
) -> Result<ExitCode, Failure> {
    let none = || {
        Failure::usage(
            "--to is for languages with such a form: tfsm and dot for timed-fsm, uvl for uppaal, efsm for guarded commands",
        )
    };
    let spec = args.model.spec();
    let origin = Origin::Places(&spec.files);
    let read = load::own(session, &spec, origin, &args.operator)?;
    let model = read.ok_or_else(none)?;
    let decider = load::decider(&model)?;
    let name = match form {
        MachineForm::Tfsm => "tfsm",
        MachineForm::Dot => "dot",
        MachineForm::Uvl => "uvl",
        MachineForm::Efsm => "efsm",
    };
    let written = decider.written(name).ok_or_else(none)?;
    let mut text = written
        .map_err(|what| Failure::usage(format!("--to {name}: this form cannot express {what}")))?;
    if is_stdin(&args.out) && session.io.stdout_is_terminal {
        text = shown(&text);
    }
    write_out(session, args, text.as_bytes())
}
