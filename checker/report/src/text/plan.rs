//! Plans and their progress, as text for people.

use std::time::Duration;

use humantime::format_duration;
use hyperkill_audit::documents::{Basis, JournalEntry, Plan, PlanStatus, ShardState, ShardStatus};
use hyperkill_frontend::counted;

use super::{Align, Style, Table};

/// The number of slowest mutants that a status names.
const SLOWEST: usize = 5;

/// Returns a new plan as text, with the commands that follow; `dir` is its folder.
#[must_use]
pub fn planned(plan: &Plan, dir: &str, style: Style) -> String {
    let name = style.bold(&plan.model.name);
    let all = counted(plan.mutants, "mutant");
    let mut text = format!("{name}: {} of {all} decided by the plan\n", plan.decided);
    match plan.shards.len() {
        0 => text.push_str("nothing is left for shards\n"),
        count => {
            text.push_str(&format!(
                "{} in {}: {}\n",
                counted(plan.mutants - plan.decided, "mutant"),
                counted(count, "shard"),
                longest(plan),
            ));
            let command = style.cyan(&format!("hyperkill run --plan {dir} --shard K"));
            let last = count - 1;
            text.push_str(&format!("\n  next: {command} for K from 0 to {last}\n"));
        }
    }
    let merge = style.cyan(&format!("hyperkill merge {dir}"));
    text.push_str(&format!("  then: {merge}\n"));
    text
}

/// Returns the estimated time of the longest shard, and the basis of the estimate.
fn longest(plan: &Plan) -> String {
    let by = match plan.estimate.by {
        Basis::Cone => "without an earlier run a mutant is taken for a second".to_owned(),
        Basis::Timings => format!(
            "by the times of an earlier run, median error {:.0} %",
            100.0 * plan.estimate.error.unwrap_or_default()
        ),
    };
    let seconds = plan.shards.iter().map(|shard| shard.seconds);
    let longest = Duration::from_secs(seconds.fold(0.0, f64::max).ceil() as u64);
    let longest = format_duration(longest);
    format!("the longest takes one thread about {longest} ({by})")
}

/// Returns the progress of a plan as text, with the command that follows when all shards are done; `dir` is its folder.
#[must_use]
pub fn progress(status: &PlanStatus, journal: &[JournalEntry], dir: &str, style: Style) -> String {
    let is_done = |shard: &&ShardStatus| shard.state == ShardState::Done;
    let done = status.shards.iter().filter(is_done).count();
    let mut text = format!(
        "{}: {} of {} decided; {done} of {} done\n\n",
        style.bold(&status.model),
        status.decided,
        counted(status.mutants, "mutant"),
        counted(status.shards.len(), "shard"),
    );
    text.push_str(&table(&status.shards, style).to_string());
    for (number, shard) in status.shards.iter().enumerate() {
        if let Some(why) = &shard.failure {
            text.push_str(&format!("\nshard {number} failed: {why}\n"));
        }
    }
    let slowest = slowest(journal);
    if !slowest.is_empty() {
        text.push_str(&format!("\nslowest: {slowest}\n"));
    }
    if done < status.shards.len() {
        let left = Duration::from_secs(status.seconds_left.ceil() as u64);
        let left = format_duration(left);
        text.push_str(&format!("left: about {left} of one thread\n"));
    } else {
        let merge = style.cyan(&format!("hyperkill merge {dir}"));
        text.push_str(&format!("\n  next: {merge}\n"));
    }
    text
}

fn table(shards: &[ShardStatus], style: Style) -> Table {
    let (left, right) = (Align::Left, Align::Right);
    let mut table = Table::new([right, left, right, right, right]).indented(2);
    table.row(["shard", "state", "decided", "of", "attempts"].map(|head| style.dim(head)));
    for (number, shard) in shards.iter().enumerate() {
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
    table
}

/// Returns the mutants that took most time, with their times in seconds; mutants under a millisecond are left out.
fn slowest(journal: &[JournalEntry]) -> String {
    let mut entries: Vec<&JournalEntry> = journal.iter().collect();
    entries.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let named = entries.iter().take(SLOWEST);
    let named = named.filter(|entry| entry.seconds >= 1e-3);
    let named = named.map(|entry| format!("{} {:.3} s", entry.result.mutant, entry.seconds));
    named.collect::<Vec<_>>().join(", ")
}
