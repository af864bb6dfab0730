//! `hyperkill show`: one mutant of a run in full, or a line for each.

mod list;

use std::path::{Path, PathBuf};

use super::report::copy;
use crate::args::{Format, ShowArgs};
use crate::certification::Files;
use crate::documents::{self, MutantDescription, MutantTable, ShownInFull, TestRuns};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load::{self, Loaded, Recorded};
use crate::run_folder::{self, file_name};
use crate::session::Session;
use hyperkill_export::kills::{Kill, waves};
use hyperkill_report::text::mutants::described_diff;
use hyperkill_report::text::shown;
use hyperkill_run::selection::resolve;

/// Prints one mutant of a run in full, or a line for each mutant.
pub(super) fn show(session: &mut Session<'_>, args: &ShowArgs) -> Result<ExitCode, Failure> {
    let filters = !args.verdict.is_empty() || !args.operator.is_empty() || !args.file.is_empty();
    match &args.mutant {
        // The argument may be a folder alone.
        Some(folder) if Path::new(folder).is_dir() => {
            no_hidden(args)?;
            list::list(session, args, PathBuf::from(folder))
        }
        Some(_) if filters => Err(Failure::usage(
            "--verdict, --operator and --file are for the list of mutants: leave them out for a single mutant",
        )),
        Some(mutant) => one(session, args, mutant),
        None => {
            no_hidden(args)?;
            list::list(session, args, args.dir.clone())
        }
    }
}

fn no_hidden(args: &ShowArgs) -> Result<(), Failure> {
    let about_one = [("--hidden", args.hidden), ("--vcd", args.vcd.is_some())];
    match about_one.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "{option} is about one mutant: give its id"
        ))),
        None => Ok(()),
    }
}

/// Shows one mutant in full.
fn one(session: &mut Session<'_>, args: &ShowArgs, id: &str) -> Result<ExitCode, Failure> {
    let table: MutantTable = run_folder::run_in(&args.dir).mutants()?;
    let ids: Vec<&str> = table.mutants.iter().map(|m| m.id.as_str()).collect();
    let mut mutant = table.mutants[resolve(id, &ids)?].clone();
    let (decided, _) = run_folder::run_in(&args.dir).so_far()?;
    let result = decided.into_iter().find(|r| r.mutant == mutant.id);
    mutant.diff = difference(&args.dir, &table, &mutant);
    let wanted_by = match &args.vcd {
        Some(_) => Some("--vcd"),
        None => args.hidden.then_some("--hidden"),
    };
    let kept = match wanted_by {
        Some(option) => Some(kept(session, &args.dir, &table, &mutant.id, option)?),
        None => None,
    };
    let kill = match &kept {
        Some(kept) => Some(Kill::read(&kept.loaded.model, &mutant.id, &kept.runs)?),
        None => None,
    };
    if let (Some(file), Some(kill)) = (&args.vcd, &kill) {
        let bytes = waves(kill, args.hidden).map_err(anyhow::Error::from)?;
        session.io.disk.write(file, &bytes)?;
    }
    let hidden = kill.filter(|_| args.hidden).map(|kill| kill.hidden());
    let text = match session.format {
        Format::Json => documents::to_text(&ShownInFull {
            schema: ShownInFull::SCHEMA.to_owned(),
            mutant,
            result,
            hidden,
        })?,
        Format::Human => {
            let events = &table.signature.events;
            let mut text = shown::mutant(&mutant, result.as_ref(), events, session.style);
            if let Some(hidden) = &hidden {
                text.push_str(&shown::hidden(hidden, session.style));
            }
            text
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// Returns the source difference of a mutant: the file in the run folder, or computed from the copies of the sources if the run has an
/// archive. `None` if the model has no source.
fn difference(dir: &Path, table: &MutantTable, mutant: &MutantDescription) -> Option<String> {
    let file = format!("{}/{}", run_folder::DIFFS, file_name(&mutant.id, "diff"));
    if let Ok(bytes) = run_folder::stored(dir).read(&file) {
        return String::from_utf8(bytes).ok();
    }
    let copies = |name: &str, digest: &str| copy(dir, name, digest);
    let sources = hyperkill_report::sources(table.reading.as_ref()?, copies);
    described_diff(&sources.ok()?, mutant)
}

/// The stored runs of original and mutant under the killing test of a mutant, with the model.
struct Kept {
    loaded: Loaded,
    runs: TestRuns,
}

/// Reads the model and the runs of a kill of mutant `id`. `option` is the option that needs them, for messages.
///
/// # Errors
/// If the run keeps no runs of this mutant, or the model has changed.
fn kept(
    session: &mut Session<'_>,
    dir: &Path,
    table: &MutantTable,
    id: &str,
    option: &str,
) -> Result<Kept, Failure> {
    let entries = run_folder::journal::read(dir)?.entries;
    let entry = entries.into_iter().find(|entry| entry.result.mutant == id);
    let Some(runs) = entry.and_then(|entry| entry.runs) else {
        return Err(Failure::usage(format!(
            "{option}: no runs are kept of {id}, since no test is known to kill it"
        )));
    };
    let recorded = Recorded::of(&table.model, table.reading.as_ref(), dir, &[])?;
    recorded.is_unchanged()?;
    let (spec, origin) = (&recorded.spec, recorded.origin());
    let loaded = load::circuit_from(session, spec, origin, &recorded.operators)?;
    Ok(Kept { loaded, runs })
}
