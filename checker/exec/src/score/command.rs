//! Scoring of a user's command, such as a test bench, on the source of each mutant.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperkill_audit::documents::{ScoreReport, ScoreResult, ScoredMutant};
use hyperkill_audit::model::{Draft, Listing};
use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::{SourceFile, counted};
use hyperkill_run::folder::Unwritable;
use hyperkill_run::sink::{Level, Sink};
use hyperkill_run::unfit::Unfit;
use rayon::ThreadPool;

use super::error::ScoreError;

/// Name of the command's column in the kill matrix.
const COMMAND: &str = "command";

/// Placeholder for the mutated file in a command.
pub const MUTANT: &str = "{mutant}";
/// Placeholder for the folder with all files of a mutant.
pub const FOLDER: &str = "{folder}";
/// Placeholder for the mutant's id.
pub const ID: &str = "{id}";

/// The files that a command is run on: the sources of a model, with the text of one replaced.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Id of the mutant, or `original`.
    pub id: &'a str,
    /// All sources of the model.
    pub sources: &'a [SourceFile],
    /// The source whose text is replaced.
    pub replaced: &'a SourceFile,
    /// The new text.
    pub text: &'a str,
}

/// Result of a command that ended by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Whether the exit status is 0.
    pub is_success: bool,
    /// Exit status or signal, with the last message.
    pub how: String,
    /// First line of the output that looks like a failure.
    pub line: Option<String>,
}

/// The reason why a command did not end by itself.
#[derive(Debug, thiserror::Error)]
pub enum Mishap {
    /// The command could not be started, or was stopped.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// The files of the mutant cannot be written.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
}

/// The command of the user.
pub trait Command: Sync {
    /// Runs the command on the sources.
    ///
    /// # Errors
    /// If the command does not end by itself, or the sources cannot be written.
    fn run(&self, trial: &Trial<'_>, budget: &Budget) -> Result<Watched, Mishap>;
}

/// Rule for the time limit of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// A multiple of the longest time that the command takes on the unmutated model.
    Usual,
    /// As the user sets it; `None`: unlimited.
    Given(Option<Duration>),
}

impl Patience {
    fn or(self, usual: Duration) -> Option<Duration> {
        match self {
            Patience::Usual => Some(usual),
            Patience::Given(given) => given,
        }
    }
}

/// A user's command and the mutants that it is scored on.
pub struct Bench<'a> {
    /// The command.
    pub command: &'a dyn Command,
    /// The model and its mutants.
    pub listing: &'a Listing,
    /// Rule for the time limit of each mutant.
    pub patience: Patience,
    /// Whether an output line that looks like a failure counts as a failure, whatever the exit status is.
    pub fails_on_line: bool,
    /// Limit for all mutants together.
    pub budget: Budget,
}

/// Result of the command for one mutant.
#[derive(Clone)]
struct Found {
    result: ScoreResult,
    /// Exit status or signal of the command, unless the status was 0.
    ended: Option<String>,
    /// For a surviving mutant: a line that looks like a failure.
    suspicious: Option<String>,
}

impl Found {
    fn new(result: ScoreResult, ended: Option<String>) -> Found {
        Found {
            result,
            ended,
            suspicious: None,
        }
    }
}

/// Result of the runs on the unmutated model, one for each mutated file.
struct Passed {
    /// Longest time of a run of the command.
    longest: Duration,
    /// A line of the output that looks like a failure.
    suspicious: Option<String>,
}

/// Time limit for a mutant, as a multiple of the command's longest time on the unmutated model.
const PATIENCE: u32 = 5;
/// Shortest time limit for a mutant.
const LEAST: Duration = Duration::from_secs(5);
/// Time limit for the unmutated model, unless the user sets one.
const MODEL: Duration = Duration::from_secs(600);

/// Returns an error if a command has no placeholder for the mutated source. `words` are the program and its arguments.
///
/// # Errors
/// If no word of the command contains `{mutant}` or `{folder}`.
pub fn must_name_the_mutant(words: &[String]) -> Result<(), Unfit> {
    let mut words = words.iter();
    match words.any(|word| word.contains(MUTANT) || word.contains(FOLDER)) {
        true => Ok(()),
        false => Err(Unfit::new(format!(
            "the command has no {MUTANT}, so it cannot get the mutant"
        ))
        .with_help(format!("{FOLDER} is a folder with all files of the mutant"))),
    }
}

impl Bench<'_> {
    /// Runs the command on the mutants of a report, one per thread, and enters the results into the report. `sink` gets warnings of
    /// failures that the exit status may not show.
    ///
    /// # Errors
    /// If the command does not pass on the unmutated model, or files cannot be written.
    pub fn look_at_all(
        &self,
        draft: &Draft,
        report: &mut ScoreReport,
        threads: &ThreadPool,
        sink: &mut dyn Sink,
    ) -> Result<(), ScoreError> {
        report.tests = vec![COMMAND.to_owned()];
        let listed: BTreeMap<&str, &Mutant> = (draft.listed.iter())
            .filter_map(|listed| Some((listed.id.0.as_str(), listed.mutant.as_ref()?)))
            .collect();
        let rows = report.mutants.iter_mut();
        let (mut rows, mutants): (Vec<&mut ScoredMutant>, Vec<&Mutant>) = rows
            .filter_map(|row| {
                let mutant = *listed.get(row.mutant.as_str())?;
                Some((row, mutant))
            })
            .unzip();
        let passed = self.original_passes(&mutants)?;
        let found = self.of_all(&mutants, &passed, threads)?;
        warn(&found, sink);
        for (row, found) in rows.iter_mut().zip(found) {
            row.result = found.result;
            row.ended = found.ended;
            if found.result.is_noticed() {
                row.killed_by.push(COMMAND.to_owned());
            }
        }
        Ok(())
    }

    /// Runs the command on the unmutated model, once for each file that mutants change; it has to pass.
    fn original_passes(&self, mutants: &[&Mutant]) -> Result<Passed, ScoreError> {
        let mut passed = Passed {
            longest: Duration::ZERO,
            suspicious: None,
        };
        let limit = self.patience.or(MODEL);
        let mut files: Vec<&str> = mutants.iter().map(|m| m.place.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        for file in files {
            let mut sources = self.listing.sources.iter();
            let Some(source) = sources.find(|source| source.name == file) else {
                continue;
            };
            let began = self.budget.now();
            let why = match self.run("original", source, &source.text, limit) {
                Ok(Watched {
                    line: Some(line), ..
                }) if self.fails_on_line => {
                    format!("--fail-on matches its line `{line}`")
                }
                Ok(watched) if watched.is_success => {
                    let took = self.budget.now().saturating_sub(began);
                    passed.longest = passed.longest.max(took);
                    passed.suspicious = passed.suspicious.or(watched.line);
                    continue;
                }
                Ok(watched) => watched.how,
                Err(Mishap::Unwritable(error)) => return Err(error.into()),
                Err(Mishap::Trouble(Trouble::Stopped(Stop::Interrupted))) => {
                    return Err(ScoreError::Interrupted);
                }
                Err(Mishap::Trouble(Trouble::Stopped(_))) => "it did not end in time".to_owned(),
                Err(Mishap::Trouble(trouble)) => trouble.to_string(),
            };
            return Err(ScoreError::unfit(format!(
                "the command must end with exit status 0 on the model itself, but with {file} as {MUTANT}: {why}"
            )));
        }
        Ok(passed)
    }

    /// Returns the result for each mutant, in order. A mutant stays open if the total time ends first. The time limit of each command
    /// follows from the runs on the original in `passed`.
    fn of_all(
        &self,
        mutants: &[&Mutant],
        passed: &Passed,
        threads: &ThreadPool,
    ) -> Result<Vec<Found>, ScoreError> {
        let limit = self.patience.or((passed.longest * PATIENCE).max(LEAST));
        let open = vec![Found::new(ScoreResult::Open, None); mutants.len()];
        let found: Mutex<Vec<Found>> = Mutex::new(open);
        let failed: Mutex<Option<ScoreError>> = Mutex::new(None);
        let next = AtomicUsize::new(0);
        threads.broadcast(|_| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(mutant) = mutants.get(number) else {
                    return;
                };
                if self.budget.stopped().is_some() {
                    return;
                }
                let one = self.of(mutant, limit);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                match one {
                    Ok(one) => {
                        found.lock().unwrap_or_else(PoisonError::into_inner)[number] = one;
                    }
                    Err(error) => {
                        failed.get_or_insert(error);
                    }
                }
                if failed.is_some() {
                    return;
                }
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Lines that the unmutated model also causes show nothing.
        if passed.suspicious.is_some() {
            found.iter_mut().for_each(|found| found.suspicious = None);
        }
        Ok(found)
    }

    fn of(&self, mutant: &Mutant, limit: Option<Duration>) -> Result<Found, ScoreError> {
        let Some((source, text)) = self.listing.mutated(Some(mutant))? else {
            let why = "it has no source".to_owned();
            return Ok(Found::new(ScoreResult::Open, Some(why)));
        };
        Ok(match self.run(&mutant.id.0, source, &text, limit) {
            Ok(Watched {
                line: Some(line), ..
            }) if self.fails_on_line => Found::new(ScoreResult::Killed, Some(format!("`{line}`"))),
            Ok(watched) if watched.is_success => Found {
                suspicious: watched.line,
                ..Found::new(ScoreResult::Survived, None)
            },
            Ok(watched) => Found::new(ScoreResult::Killed, Some(watched.how)),
            Err(Mishap::Unwritable(error)) => return Err(error.into()),
            // The total limit ended this command before its own time was over.
            Err(Mishap::Trouble(Trouble::Stopped(_))) if self.budget.stopped().is_some() => {
                Found::new(ScoreResult::Open, None)
            }
            Err(Mishap::Trouble(Trouble::Stopped(_))) => {
                let after = limit.map(|limit| format!("no end after {:.1} s", limit.as_secs_f64()));
                Found::new(ScoreResult::NotEnded, after)
            }
            Err(Mishap::Trouble(trouble)) => {
                Found::new(ScoreResult::Open, Some(trouble.to_string()))
            }
        })
    }

    /// Runs the command with `text` in place of the source `replaced`, for the mutant `id`.
    ///
    /// # Errors
    /// If a file cannot be written, or the command does not start or does not end within `limit`.
    fn run(
        &self,
        id: &str,
        replaced: &SourceFile,
        text: &str,
        limit: Option<Duration>,
    ) -> Result<Watched, Mishap> {
        let trial = Trial {
            id,
            sources: &self.listing.sources,
            replaced,
            text,
        };
        self.command.run(&trial, &self.budget.within(limit))
    }
}

/// Warns of lines that look like failures of surviving mutants, or else if no mutant was noticed at all.
fn warn(found: &[Found], sink: &mut dyn Sink) {
    let fails = found.iter().any(|found| found.result.is_noticed());
    let survive = found
        .iter()
        .any(|found| found.result == ScoreResult::Survived);
    let mut suspicious = found.iter().filter_map(|found| found.suspicious.as_deref());
    if let Some(first) = suspicious.next() {
        let text = format!(
            "on {} the command ended with exit status 0 and wrote lines like `{first}`, which it does not for the model: if they mean \
             failures, name them with --fail-on REGEX, or let the command end with another status",
            counted(1 + suspicious.count(), "mutant")
        );
        sink.say(Level::Warning, text);
    } else if survive && !fails {
        let text = "the command noticed no mutant, so nothing shows that it can fail: it has to end with another exit status than 0 if \
                    the model is wrong, or --fail-on REGEX names the lines that say so";
        sink.say(Level::Warning, text.to_owned());
    }
}

/// Returns the commands of the `run` lines in the `[test …]` sections of a project of mcy (mutation cover with Yosys).
#[must_use]
pub fn commands_of_mcy(text: &str) -> Vec<String> {
    let mut in_test = false;
    let mut runs = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_test = section.starts_with("test ");
        } else if let (true, Some(run)) = (in_test, line.strip_prefix("run ")) {
            let run = run.trim().replace("$PRJDIR/", "").replace("${PRJDIR}/", "");
            runs.push(run);
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_project_of_mcy_are_those_of_its_tests() {
        let text = "[options]\nsize 10\n[script]\nread_verilog a.v\n[test test_sim]\nmaxbatchsize 10\nexpect PASS FAIL\n\
            run bash $PRJDIR/test_sim.sh\n[logic]\nrun nothing\n[test test_eq]\nrun bash $PRJDIR/test_eq.sh\n";
        assert_eq!(
            commands_of_mcy(text),
            ["bash test_sim.sh", "bash test_eq.sh"]
        );
    }
}
