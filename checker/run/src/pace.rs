//! The progress of a run: decided mutants, their rate, and an estimate of the remaining time.
//!
//! The caller passes the time, so that tests need no clock.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::documents::{Progress, VerdictWord};

/// Time between two lines on a terminal without a progress bar.
const PAUSE: Duration = Duration::from_secs(5);

/// Counts the decided mutants of a run, by verdict, and measures their rate.
#[derive(Debug)]
pub struct Pace {
    mutants: usize,
    /// The number of mutants with a verdict of an earlier process.
    before: usize,
    verdicts: BTreeMap<VerdictWord, usize>,
    /// The current method, and the number of its mutants.
    method: Option<(String, usize)>,
    begun: Duration,
    said: Duration,
}

impl Pace {
    /// Returns the pace of a run with this number of mutants that begins at `now`.
    #[must_use]
    pub fn new(mutants: usize, now: Duration) -> Pace {
        Pace {
            mutants,
            before: 0,
            verdicts: BTreeMap::new(),
            method: None,
            begun: now,
            said: now,
        }
    }

    /// Counts a mutant with an earlier verdict. It does not contribute to the rate.
    pub fn was_decided(&mut self, verdict: VerdictWord) {
        self.before += 1;
        self.decided(verdict);
    }

    /// Records the current method and the number of its mutants.
    pub fn tries(&mut self, method: &str, open: usize) {
        self.method = Some((method.to_owned(), open));
    }

    /// Counts a decided mutant.
    pub fn decided(&mut self, verdict: VerdictWord) {
        *self.verdicts.entry(verdict).or_default() += 1;
    }

    /// Whether a line of progress is due at `now`. If so, the next line is due after a pause.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let is_due = now.saturating_sub(self.said) >= PAUSE;
        if is_due {
            self.said = now;
        }
        is_due
    }

    /// Returns the progress at this time.
    #[must_use]
    pub fn progress(&self, now: Duration) -> Progress {
        let decided: usize = self.verdicts.values().sum();
        let seconds = now.saturating_sub(self.begun).as_secs_f64();
        let lately = decided.saturating_sub(self.before) as f64;
        let per_second = match seconds > 0.0 {
            true => lately / seconds,
            false => 0.0,
        };
        let left = self.mutants.saturating_sub(decided) as f64;
        let verdicts = self.verdicts.iter();
        Progress {
            decided,
            mutants: self.mutants,
            per_second: rounded(per_second),
            method: self.method.as_ref().map(|(method, _)| method.clone()),
            open: self.method.as_ref().map(|(_, open)| *open),
            seconds_left: (per_second > 0.0).then(|| rounded(left / per_second)),
            verdicts: verdicts
                .map(|(verdict, &count)| (verdict.word().to_owned(), count))
                .collect(),
        }
    }
}

/// Rounds to a tenth.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Returns a line for a terminal or log.
#[must_use]
pub fn line(progress: &Progress) -> String {
    let tried = progress.method.as_ref().zip(progress.open);
    let tried = tried.map_or_else(String::new, |(method, open)| {
        format!("; {method} on {open}")
    });
    format!(
        "{} of {} mutants decided, {}{tried}",
        progress.decided,
        progress.mutants,
        rest(progress)
    )
}

/// Returns the line of [`line()`] without the number of mutants, which a progress bar shows.
#[must_use]
pub fn rest(progress: &Progress) -> String {
    let mut text = format!("{} a second", progress.per_second);
    if let Some(left) = progress.seconds_left {
        // Writing to a string cannot fail.
        let _ = write!(text, ", about {} left", time(left));
    }
    let verdicts = progress.verdicts.iter();
    let verdicts: Vec<String> = verdicts
        .map(|(verdict, count)| format!("{verdict} {count}"))
        .collect();
    match verdicts.is_empty() {
        true => text,
        false => format!("{text}; {}", verdicts.join(", ")),
    }
}

/// Returns a time in one unit, without false precision.
fn time(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_rate_is_that_of_what_was_decided_since_the_run_went_on() {
        let mut pace = Pace::new(100, at(10));
        for _ in 0..50 {
            pace.was_decided(VerdictWord::Killed);
        }
        let nothing = pace.progress(at(10));
        assert_eq!((nothing.decided, nothing.seconds_left), (50, None));
        assert_eq!(
            line(&nothing),
            "50 of 100 mutants decided, 0 a second; killed 50"
        );
        for _ in 0..10 {
            pace.decided(VerdictWord::Equivalent);
        }
        let progress = pace.progress(at(30));
        assert_eq!(progress.per_second, 0.5);
        assert_eq!(progress.seconds_left, Some(80.0));
        assert_eq!(
            line(&progress),
            "60 of 100 mutants decided, 0.5 a second, about 80 s left; equivalent 10, killed 50"
        );
        pace.tries("slices", 41);
        let said = line(&pace.progress(at(30)));
        assert!(
            said.ends_with("equivalent 10, killed 50; slices on 41"),
            "{said}"
        );
    }

    #[test]
    fn a_line_is_due_every_five_seconds() {
        let mut pace = Pace::new(9, at(5));
        let due: Vec<u64> = (5..26).filter(|&second| pace.is_due(at(second))).collect();
        assert_eq!(due, [10, 15, 20, 25]);
        // A long silence makes only one line due.
        assert!(pace.is_due(at(10_000)) && !pace.is_due(at(10_001)));
    }

    #[test]
    fn times_are_as_exact_as_guesses() {
        let texts = [0.4, 119.0, 600.0, 7300.0, 900_000.0].map(time);
        assert_eq!(texts, ["0 s", "119 s", "10 min", "2 h", "10 days"]);
    }
}
