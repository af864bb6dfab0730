//! `hyperkill status`: how far a run is.

use std::collections::BTreeMap;
use std::path::Path;

use hyperkill_core::mutant::MutantId;
use hyperkill_evidence::verdict::Reason;
use hyperkill_frontend::counted;

use super::plan::folder::PlanFolder;
use super::plan::state;
use crate::args::{Format, StatusArgs};
use crate::documents::{
    self, Lock, LockState, MutantResult, MutantTable, Run, Status, StatusWord, Summary, Timings,
    VerdictWord, build,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::{self, read_document, read_versioned};
use crate::session::Session;
use hyperkill_report::text::{summary, work};

/// Carries it out.
pub(super) fn status(session: &mut Session<'_>, args: &StatusArgs) -> Result<ExitCode, Failure> {
    if PlanFolder::is_one(&args.dir) {
        return state::status(session, &args.dir);
    }
    let table: MutantTable = mutants(&args.dir)?;
    let lock: Lock = read_versioned(&args.dir.join(run_folder::LOCK), Lock::SCHEMA)?;
    let journal = journal(&args.dir)?;
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

/// Where the time went, as far as the run has written it down.
fn spent(dir: &Path) -> Result<Timings, Failure> {
    let path = dir.join(run_folder::TIMINGS);
    if path.is_file() {
        return Ok(read_versioned(&path, Timings::SCHEMA)?);
    }
    let message = format!("{} has no {}", dir.display(), run_folder::TIMINGS);
    let help = "a run writes it at its end";
    Err(Failure::usage(message).with_help(help))
}

/// A result for every mutant, so that the score is that of the whole run: who is not decided yet is undecided.
pub(super) fn results_so_far(
    table: &MutantTable,
    journal: Vec<MutantResult>,
    state: LockState,
) -> Vec<MutantResult> {
    let journal = journal.into_iter();
    let mut decided: BTreeMap<String, MutantResult> = journal
        .map(|result| (result.mutant.clone(), result))
        .collect();
    let results = table.mutants.iter().map(|mutant| {
        let id = MutantId(mutant.id.clone());
        if mutant.status == StatusWord::Invalid {
            return build::invalid(&id, mutant.reason.as_deref().unwrap_or_default());
        }
        let undecided = || MutantResult {
            reason: Some(why_open(state)),
            ..build::blank(&id, VerdictWord::Unknown)
        };
        decided.remove(&mutant.id).unwrap_or_else(undecided)
    });
    results.collect()
}

/// Why a mutant is open that the journal does not name.
fn why_open(state: LockState) -> String {
    match state {
        LockState::Interrupted => Reason::Interrupted.to_string(),
        LockState::Running | LockState::Finished | LockState::Failed => "not decided".to_owned(),
    }
}

/// The table of a run.
pub(super) fn mutants(dir: &Path) -> Result<MutantTable, Failure> {
    let path = dir.join(run_folder::MUTANTS);
    if !path.is_file() {
        if let Some(why) = failed_early(dir) {
            return Err(Failure::usage(format!(
                "the run of {} was stopped before anything was decided: {why}",
                dir.display()
            )));
        }
        return Err(
            Failure::usage(format!("{} is not a run folder", dir.display()))
                .with_help("`hyperkill run MODEL` makes one"),
        );
    }
    Ok(read_versioned(&path, MutantTable::SCHEMA)?)
}

/// Why a run failed that did not get so far as to write its table.
fn failed_early(dir: &Path) -> Option<String> {
    let lock: Lock = read_document(&dir.join(run_folder::LOCK)).ok()?;
    let is_ours = lock.schema == Lock::SCHEMA && lock.state == LockState::Failed;
    lock.failure.filter(|_| is_ours)
}

/// The decided mutants of a run, in the order in which they were decided.
pub(super) fn journal(dir: &Path) -> Result<Vec<MutantResult>, Failure> {
    let journal = run_folder::journal::read(dir)?;
    Ok(journal
        .entries
        .into_iter()
        .map(|entry| entry.result)
        .collect())
}

/// What is known of the mutants of a run, and how far it is. While it goes on, or after it was killed, that is in its journal.
pub(super) fn so_far(dir: &Path) -> Result<(Vec<MutantResult>, LockState), Failure> {
    let lock: Option<Lock> = match dir.join(run_folder::LOCK) {
        lock if lock.is_file() => Some(read_versioned(&lock, Lock::SCHEMA)?),
        _ => None,
    };
    let state = lock.map_or(LockState::Running, |lock| lock.state);
    let outcomes = dir.join(run_folder::OUTCOMES);
    let is_over = matches!(state, LockState::Finished | LockState::Interrupted);
    let decided = match is_over && outcomes.is_file() {
        true => read_versioned::<Run>(&outcomes, Run::SCHEMA)?.results,
        false => journal(dir)?,
    };
    Ok((decided, state))
}
