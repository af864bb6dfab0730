//! The progress of the shards of a plan.

use super::folder::PlanFolder;
use crate::documents::{JournalEntry, Lock, LockState, PlanStatus, ShardState, ShardStatus};
use crate::folder::{FolderError, lock};

/// Returns the status of a plan, and the lines of the journals of the farthest attempts at its shards.
///
/// # Errors
/// If a document is not as a run wrote it.
pub fn status(folder: &PlanFolder) -> Result<(PlanStatus, Vec<JournalEntry>), FolderError> {
    let (mut shards, mut journal) = (Vec::new(), Vec::new());
    for number in 0..folder.plan.shards.len() {
        let (shard, entries) = shard(folder, number)?;
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
    Ok((status, journal))
}

/// Returns the status of a shard, and the journal of its farthest attempt.
fn shard(
    folder: &PlanFolder,
    number: usize,
) -> Result<(ShardStatus, Vec<JournalEntry>), FolderError> {
    let planned = folder.shard(number)?;
    let attempts = folder.attempts(number);
    let done = folder.done(number)?;
    let (attempt, entries) = match &done {
        Some(done) => (Some(done.clone()), folder.run_in(done).entries()?),
        None => folder
            .farthest(number)?
            .map_or((None, Vec::new()), |(attempt, entries)| {
                (Some(attempt), entries)
            }),
    };
    let locks = attempts.iter().map(|attempt| {
        let lock: Option<Lock> = folder.run_in(attempt).lock().ok();
        (attempt, lock)
    });
    let locks: Vec<_> = locks.collect();
    let runs = locks.iter().any(|(attempt, lock)| {
        let says_so = lock
            .as_ref()
            .is_some_and(|lock| lock.state == LockState::Running);
        says_so && lock::is_written(folder.disk(), attempt) != Some(false)
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
