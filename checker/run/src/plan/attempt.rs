//! Attempts at a shard. An attempt resumes from the journal of the one before.

use std::time::Duration;

use hyperkill_evidence::verdict::Reason;

use crate::decided::Decided;
use crate::documents::{JournalEntry, MutantResult, VerdictWord};

/// Returns whether the next attempt keeps a journal line. A mutant is decided again if the earlier attempt ended before the mutant's own
/// time limit.
#[must_use]
pub fn worth_keeping(entry: &JournalEntry, timeout: Option<Duration>) -> bool {
    !entry.hurried && !had_too_little(&entry.result, entry.seconds, timeout)
}

/// Returns the number of mutants that are undecided because the time of the process ended before their own time limit.
#[must_use]
pub fn count_cut_off(decided: &Decided, timeout: Option<Duration>) -> usize {
    let results = decided.results.iter().zip(&decided.times);
    let cut_off =
        results.filter(|(result, took)| had_too_little(result, took.as_secs_f64(), timeout));
    cut_off.count()
}

/// Returns whether a mutant is undecided because its process ended before the mutant's own time limit.
fn had_too_little(result: &MutantResult, seconds: f64, timeout: Option<Duration>) -> bool {
    let reasons = [Reason::Time, Reason::Interrupted].map(|reason| reason.to_string());
    let potential = result.potential.as_ref();
    let of_potential = potential.and_then(|potential| potential.reason.as_ref());
    let open = [
        result.reason.as_ref(),
        result.definite_reason.as_ref(),
        of_potential,
    ];
    let is_of_time = open
        .into_iter()
        .flatten()
        .any(|reason| reasons.contains(reason));
    let had_all = timeout.is_some_and(|timeout| seconds >= 0.9 * timeout.as_secs_f64());
    is_of_time && result.verdict != VerdictWord::Invalid && !had_all
}
