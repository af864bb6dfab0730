//! `hyperkill status` of a plan.

use std::path::Path;
use std::time::Duration;

use humantime::format_duration;
use hyperkill_frontend::counted;
use hyperkill_run::plan;

use super::folder::PlanFolder;
use crate::args::Format;
use crate::documents::{self, JournalEntry, PlanStatus, ShardState};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::session::Session;
use hyperkill_report::text::{Align, Table};

/// The number of slowest mutants that the status names.
const SLOWEST: usize = 5;

/// Prints the progress of the plan in `dir`, and returns the exit status.
pub(in crate::commands) fn status(
    session: &mut Session<'_>,
    dir: &Path,
) -> Result<ExitCode, Failure> {
    let (status, journal) = plan::state::status(&*PlanFolder::read(dir)?)?;
    match session.format {
        Format::Json => {
            let text = documents::to_text(&status)?;
            session.print(text)?;
        }
        Format::Human => print(session, dir, &status, journal)?,
    }
    Ok(ExitCode::Success)
}

fn print(
    session: &mut Session<'_>,
    dir: &Path,
    status: &PlanStatus,
    mut journal: Vec<JournalEntry>,
) -> Result<(), Failure> {
    let style = session.style;
    let count = |state| {
        status
            .shards
            .iter()
            .filter(|shard| shard.state == state)
            .count()
    };
    let done = count(ShardState::Done);
    session.print(format!(
        "{}: {} of {} decided; {done} of {} done\n\n",
        style.bold(&status.model),
        status.decided,
        counted(status.mutants, "mutant"),
        counted(status.shards.len(), "shard"),
    ))?;
    let mut table = Table::new([
        Align::Right,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
    ])
    .indented(2);
    table.row(["shard", "state", "decided", "of", "attempts"].map(|head| style.dim(head)));
    for (number, shard) in status.shards.iter().enumerate() {
        let state = match shard.state {
            ShardState::Waiting => "waiting",
            ShardState::Running => "running",
            ShardState::Stopped => "stopped",
            ShardState::Failed => "failed",
            ShardState::Done => "done",
        };
        table.row([
            number.to_string(),
            state.to_owned(),
            shard.decided.to_string(),
            shard.mutants.to_string(),
            shard.attempts.to_string(),
        ]);
    }
    session.print(table)?;
    for (number, shard) in status.shards.iter().enumerate() {
        if let Some(why) = &shard.failure {
            session.print(format!("\nshard {number} failed: {why}\n"))?;
        }
    }
    journal.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let slowest = journal
        .iter()
        .take(SLOWEST)
        .filter(|entry| entry.seconds >= 1e-3);
    let slowest: Vec<String> = slowest
        .map(|entry| format!("{} {:.3} s", entry.result.mutant, entry.seconds))
        .collect();
    if !slowest.is_empty() {
        session.print(format!("\nslowest: {}\n", slowest.join(", ")))?;
    }
    if done < status.shards.len() {
        let left = Duration::from_secs(status.seconds_left.ceil() as u64);
        session.print(format!(
            "left: about {} of one thread\n",
            format_duration(left)
        ))?;
        return Ok(());
    }
    let merge = style.cyan(&format!("hyperkill merge {}", dir.display()));
    session.print(format!("\n  next: {merge}\n"))
}
