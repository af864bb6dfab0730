//! `hyperkill status` of a plan.

use std::path::Path;
use std::time::Duration;

use humantime::format_duration;
use hyperkill_frontend::counted;

use super::folder::PlanFolder;
use crate::args::Format;
use crate::documents::{self, JournalEntry, Lock, LockState, PlanStatus, ShardState, ShardStatus};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder::{self, LOCK, read_document};
use crate::session::Session;
use hyperkill_report::text::{Align, Table};

/// So many of the mutants that took longest are named.
const SLOWEST: usize = 5;

/// Carries it out.
pub(in crate::commands) fn status(
    session: &mut Session<'_>,
    dir: &Path,
) -> Result<ExitCode, Failure> {
    let folder = PlanFolder::read(dir)?;
    let (mut shards, mut journal) = (Vec::new(), Vec::new());
    for number in 0..folder.plan.shards.len() {
        let (shard, entries) = shard(&folder, number)?;
        shards.push(shard);
        journal.extend(entries);
    }
    let status = PlanStatus {
        schema: PlanStatus::SCHEMA.to_owned(),
        model: folder.plan.model.name.clone(),
        mutants: folder.plan.mutants,
        decided: folder.plan.decided + shards.iter().map(|shard| shard.decided).sum::<usize>(),
        seconds_left: left(&shards),
        shards,
    };
    match session.format {
        Format::Json => {
            let text = documents::to_text(&status)?;
            session.print(text)?;
        }
        Format::Human => print(session, dir, &status, journal)?,
    }
    Ok(ExitCode::Success)
}

/// The state of a shard, and the journal of its farthest attempt.
fn shard(folder: &PlanFolder, number: usize) -> Result<(ShardStatus, Vec<JournalEntry>), Failure> {
    let planned = folder.shard(number)?;
    let attempts = folder.attempts(number);
    let done = folder.done(number)?;
    let (attempt, entries) = match &done {
        Some(done) => (Some(done.clone()), run_folder::journal::read(done)?.entries),
        None => folder
            .farthest(number)?
            .map_or((None, Vec::new()), |(attempt, entries)| {
                (Some(attempt), entries)
            }),
    };
    let locks = attempts.iter().map(|attempt| {
        let lock: Option<Lock> = read_document(&attempt.join(LOCK)).ok();
        (attempt, lock)
    });
    let locks: Vec<_> = locks.collect();
    let runs = locks.iter().any(|(attempt, lock)| {
        let says_so = lock
            .as_ref()
            .is_some_and(|lock| lock.state == LockState::Running);
        says_so && run_folder::is_written(attempt) != Some(false)
    });
    let failure = locks.iter().rev().find_map(|(_, lock)| {
        let lock = lock.as_ref()?;
        (lock.state == LockState::Failed).then(|| lock.failure.clone().unwrap_or_default())
    });
    let state = match (&done, &attempt) {
        (Some(_), _) => ShardState::Done,
        _ if runs => ShardState::Running,
        _ if failure.is_some() => ShardState::Failed,
        (None, Some(_)) => ShardState::Stopped,
        (None, None) => ShardState::Waiting,
    };
    let status = ShardStatus {
        state,
        mutants: planned.mutants,
        decided: entries.len().min(planned.mutants),
        attempts: attempts.len(),
        seconds: planned.seconds,
        spent: entries.iter().map(|entry| entry.seconds).sum(),
        failure: failure.filter(|_| state == ShardState::Failed),
    };
    Ok((status, entries))
}

/// Estimates the seconds of one thread for the undecided mutants: the plan's estimate, scaled by the time that decided mutants took.
fn left(shards: &[ShardStatus]) -> f64 {
    let part = |shard: &ShardStatus| shard.decided as f64 / shard.mutants.max(1) as f64;
    let spent: f64 = shards.iter().map(|shard| shard.spent).sum();
    let known: f64 = shards.iter().map(|shard| shard.seconds * part(shard)).sum();
    let left: f64 = shards
        .iter()
        .map(|shard| shard.seconds * (1.0 - part(shard)))
        .sum();
    match known > 0.0 {
        true => left * spent / known,
        false => left,
    }
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
