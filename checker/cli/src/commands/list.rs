//! `hyperkill list`: lists the mutants of a model without deciding them.

use std::path::Path;

use hyperkill_core::budget::Stop;
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, apply};
use hyperkill_run::life::difference;
use hyperkill_run::translated::choices_of_mutants;

use super::beyond::those_left;
use super::run::warn_of_none;
use crate::args::{Format, ListArgs};
use crate::audited::TEXTS;
use crate::catalogue::Standing;
use crate::documents::{self, MutantDescription, MutantTable};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Shown};
use crate::model::Listing;
use crate::session::{Level, Session};
use crate::watch::{interrupted, late};
use hyperkill_audit::names::file_name;
use hyperkill_report::text::listed::{diffs, signature};
use hyperkill_report::text::mutants;

/// The table of `--emit` for a model with several files: names the original of each mutated source.
const REPLACED: &str = "replaced.tsv";

/// Prints the mutants of a model, or writes them as files with `--emit`.
pub(super) fn list(session: &mut Session<'_>, args: &ListArgs) -> Result<ExitCode, Failure> {
    session.limit(args.total_timeout.0);
    // A command that writes files must not be ended at any moment.
    let _listing = (args.emit.is_none()).then(|| session.stage("mutants were listed"));
    let operators = &args.selection.operator;
    let model = those_left(session, &args.model, operators)?;
    let shows_ports = args.signature || session.format == Format::Json;
    let shown = load::listed(session, &model, operators, shows_ports)?;
    let Shown { listing, circuit } = shown;
    let choices_of_mutants = circuit.as_ref().map(choices_of_mutants);
    drop(circuit);
    let selected = args.selection.selection(session.seed).of(&listing)?;
    warn_of_none(session, &listing, &args.selection, &selected);
    let needs_source = args.diff || args.emit.is_some();
    if needs_source && listing.sources.is_empty() {
        return Err(Failure::usage(
            "an AIGER file has no source: --diff and --emit need the model that it was translated from",
        ));
    }
    if let Some(folder) = &args.emit {
        match args.featured {
            true => emit_featured(session, args, &listing, &selected, folder)?,
            false => emit(session, args, &listing, &selected, folder)?,
        }
    }
    let style = session.style;
    if session.format == Format::Human && !args.signature && !args.diff {
        let chosen = selected.iter().map(|&index| {
            let entry = &listing.catalogue[index];
            MutantDescription::of(&entry.id.0, entry.mutant.as_ref(), entry.invalid())
        });
        let text = mutants::table(chosen, style).to_string();
        session.print(text)?;
        return Ok(ExitCode::Success);
    }
    let mut table = MutantTable {
        schema: MutantTable::SCHEMA.to_owned(),
        model: listing.description.clone(),
        reading: None,
        signature: listing.signature.clone(),
        roles: listing.role_notes.clone(),
        choices_of_mutants: choices_of_mutants.unwrap_or_default(),
        mutants: listing.descriptions(&selected),
    };
    if args.diff {
        for (description, &index) in table.mutants.iter_mut().zip(&selected) {
            let mutant = listing.catalogue[index].mutant.as_ref();
            if let Some(stop) = session.budget().stopped() {
                return Err(over(stop, "mutants were listed"));
            }
            description.diff = difference(&listing, mutant, &TEXTS)?;
        }
    }
    let text = match session.format {
        Format::Json => documents::to_text(&table)?,
        Format::Human if args.signature => signature(&table, style),
        Format::Human => diffs(&table, style),
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// Returns the failure for an interrupt or a deadline. `what` says what was done then, as in "mutants were listed".
fn over(stop: Stop, what: &str) -> Failure {
    let (code, text) = match stop {
        Stop::Interrupted => (ExitCode::Interrupted, interrupted(what)),
        _ => (ExitCode::Undecided, late(what)),
    };
    Failure::message(code, anyhow::anyhow!(text))
}

/// Returns the front end of a model, and the options with which it writes sources; `None` if it is not built in.
fn language_of(args: &ListArgs, listing: &Listing) -> Option<(Box<dyn Frontend>, FrontendOptions)> {
    let mut languages = languages::all().into_iter();
    let language = &listing.description.language;
    let frontend = languages.find(|frontend| frontend.name() == language)?;
    let options = FrontendOptions {
        processes: ProcessOptions {
            sut: args.model.process.sut.clone(),
            environment: args.model.process.environment.clone(),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    Some((frontend, options))
}

/// Writes one source that contains all mutants of `selected`, indices in the catalogue, that are models.
fn emit_featured(
    session: &mut Session<'_>,
    args: &ListArgs,
    listing: &Listing,
    selected: &[usize],
    folder: &Path,
) -> Result<(), Failure> {
    let entries = selected.iter().map(|&index| &listing.catalogue[index]);
    let live = entries.filter(|entry| !matches!(entry.standing, Standing::Invalid(_)));
    let mutants: Vec<&Mutant> = live.filter_map(|entry| entry.mutant.as_ref()).collect();
    let written = language_of(args, listing)
        .and_then(|(frontend, options)| frontend.featured(&listing.sources, &mutants, &options));
    let written = written.ok_or_else(|| {
        let language = &listing.description.language;
        Failure::usage(format!(
            "--featured is for timed processes: for models in {language}, `hyperkill translate` writes all mutants as a circuit"
        ))
    })?;
    let text = written.map_err(|errors| Failure::diagnosed(&listing.sources, errors))?;
    session.io.disk.make_folder(folder)?;
    let file = folder.join("featured.xml");
    session.io.disk.write(&file, text.as_bytes())?;
    let count = mutants.len();
    session.say(
        Level::Note,
        format!("{count} mutants written to {}", file.display()),
    );
    Ok(())
}

/// Returns a mutated source in the form that its language has for other tools, with the extension of its file; `None`: that of the source.
fn for_others(
    args: &ListArgs,
    listing: &Listing,
    mutated: String,
) -> Result<(String, Option<&'static str>), Failure> {
    let Some((frontend, options)) = language_of(args, listing) else {
        return Ok((mutated, None));
    };
    let emitted = frontend.emitted(&mutated, &options);
    emitted.map_err(|errors| Failure::diagnosed(&listing.sources, errors))
}

/// Writes each mutant of `selected`, indices in the catalogue, that is a model as a source file of its own.
fn emit(
    session: &mut Session<'_>,
    args: &ListArgs,
    listing: &Listing,
    selected: &[usize],
    folder: &Path,
) -> Result<(), Failure> {
    session.io.disk.make_folder(folder)?;
    let (mut count, mut invalid) = (0, 0);
    let mut replaced = String::new();
    let mut stopped = None;
    for (number, &index) in selected.iter().enumerate() {
        stopped = (session.budget().stopped()).map(|stop| (stop, selected.len() - number));
        if stopped.is_some() {
            break;
        }
        let entry = &listing.catalogue[index];
        if matches!(entry.standing, Standing::Invalid(_)) {
            invalid += 1;
            continue;
        }
        let Some(mutant) = &entry.mutant else {
            continue;
        };
        let Some(source) = listing.source_of(mutant) else {
            continue;
        };
        let mutated = apply(&source.text, mutant)
            .map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
        let (mutated, written_as) = for_others(args, listing, mutated)?;
        let extension = Path::new(&source.name).extension().map_or_else(
            || listing.description.language.clone(),
            |e| e.to_string_lossy().into_owned(),
        );
        let extension = written_as.map_or(extension, str::to_owned);
        let name = file_name(&entry.id.0, &extension);
        let path = folder.join(&name);
        session.io.disk.write(&path, mutated.as_bytes())?;
        replaced += &format!("{name}\t{}\n", source.name);
        count += 1;
    }
    let mut said = format!("{count} mutated sources written to {}", folder.display());
    if listing.sources.len() > 1 {
        session
            .io
            .disk
            .write(&folder.join(REPLACED), replaced.as_bytes())?;
        said +=
            &format!("; {REPLACED} there names the file of the model that each source replaces");
    }
    if invalid > 0 {
        said += &format!("; {invalid} invalid mutants left out, since they are no models");
    }
    match stopped {
        None => session.say(Level::Note, said),
        Some((stop, left)) => {
            let what = format!("mutants were written: {said}; {left} are left, and none is listed");
            return Err(over(stop, &what));
        }
    }
    Ok(())
}
