//! `hyperkill status`: reports the progress of a run.

use std::path::Path;

use hyperkill_frontend::counted;
use hyperkill_run::stored_run::results_so_far;

use super::plan::folder::PlanFolder;
use super::plan::state;
use crate::args::{Format, StatusArgs};
use crate::documents::{self, LockState, Status, StatusWord, Summary, Timings};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::{self, read_versioned};
use crate::session::Session;
use hyperkill_report::text::{summary, work};

/// Prints the progress of a run or of a plan.
pub(super) fn status(session: &mut Session<'_>, args: &StatusArgs) -> Result<ExitCode, Failure> {
    if PlanFolder::is_one(&args.dir) {
        return state::status(session, &args.dir);
    }
    let stored = run_folder::run_in(&args.dir);
    let (table, lock) = (stored.mutants()?, stored.lock()?);
    let journal = stored.decided()?;
    let live = table.mutants.iter();
    let live = live.filter(|m| m.status == StatusWord::Live).count();
    let decided = journal.len();
    let results = results_so_far(&table, journal, lock.state);
    let summary = Summary::of(&results);
    let spent = match args.work {
        true => Some(spent(&args.dir)?),
        false => None,
    };
    match session.format {
        Format::Json => {
            let status = Status {
                schema: Status::SCHEMA.to_owned(),
                model: table.model.name,
                state: lock.state,
                failure: lock.failure,
                mutants: table.mutants.len(),
                decided,
                summary,
                work: spent,
            };
            let text = documents::to_text(&status)?;
            session.print(text)?;
        }
        Format::Human => {
            let state = match lock.state {
                LockState::Running => match run_folder::is_written(&args.dir) {
                    Some(true) => "running",
                    Some(false) => "killed",
                    None => "running, or killed",
                },
                LockState::Finished => "finished",
                LockState::Interrupted => "interrupted",
                LockState::Failed => "stopped by an error",
            };
            let why = lock
                .failure
                .map_or_else(String::new, |why| format!(": {why}"));
            let style = session.style;
            session.print(format!(
                "{}: {state}{why}; {decided} of {} decided\n\n",
                style.bold(&table.model.name),
                counted(live, "mutant")
            ))?;
            session.print(summary::summary(&summary, &results, style))?;
            if let Some(spent) = &spent {
                session.print(format!("\n{}", work::work(spent)))?;
            }
            if lock.state != LockState::Finished && state != "running" {
                let dir = args.dir.display();
                session.print(format!("\n  next: hyperkill resume {dir}\n"))?;
            }
        }
    }
    Ok(ExitCode::Success)
}

/// Returns the document `timings.json` of a run: how its time was spent.
///
/// # Errors
/// If the run has not written it yet.
fn spent(dir: &Path) -> Result<Timings, Failure> {
    let path = dir.join(run_folder::TIMINGS);
    if path.is_file() {
        return Ok(read_versioned(&path, Timings::SCHEMA)?);
    }
    let message = format!("{} has no {}", dir.display(), run_folder::TIMINGS);
    let help = "a run writes it at its end";
    Err(Failure::usage(message).with_help(help))
}
