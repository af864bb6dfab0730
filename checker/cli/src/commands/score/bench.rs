//! A command of the user's on the source of each mutant.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::mutant::Mutant;
use hyperkill_frontend::SourceFile;
use regex::bytes::Regex;
use tempfile::TempDir;

use crate::args::Limit;
use crate::children::{Pattern, Watched, run_own};
use crate::documents::ScoreResult;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::model::Listing;

/// Places in the words of a command.
const MUTANT: &str = "{mutant}";
const FOLDER: &str = "{folder}";
const ID: &str = "{id}";

/// Lines that look like failures: they have a word for one, and no count of none before it.
///
/// # Errors
/// If the patterns are none, which tests exclude.
pub(super) fn failure_words() -> Result<Pattern, Failure> {
    let regex = |text: &str| {
        Regex::new(text).map_err(|error| Failure::message(ExitCode::Internal, error.into()))
    };
    let none = r"(?i-u)\b(0|no|zero|without)\s+(\w+\s+)?(fail|error|mismatch|assert)";
    Ok(Pattern {
        says: regex(r"(?i-u)\b(fail(s|ed|ure|ures)?|errors?|mismatch(es)?|assertion)\b")?,
        unless: Some(regex(none)?),
    })
}

/// A command, and how it is carried out.
pub(super) struct Bench<'a> {
    pub(super) words: &'a [OsString],
    pub(super) listing: &'a Listing,
    /// Time for each mutant, if the user says it.
    pub(super) timeout: Option<Limit>,
    /// Lines of the output that mean a failure or look like one.
    pub(super) failure: Pattern,
    /// Whether such a line means a failure, whatever the exit status is.
    pub(super) fails_on_line: bool,
    pub(super) jobs: usize,
    pub(super) budget: Budget,
}

/// What came out for a mutant.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) result: ScoreResult,
    /// How the command ended, if it did not end with 0.
    pub(super) ended: Option<String>,
    /// Of a mutant that survives: a line that looks like a failure.
    pub(super) suspicious: Option<String>,
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

/// The runs of the command on the model without a mutation, one for each of its files.
pub(super) struct Passed {
    /// The longest time that one took.
    longest: Duration,
    /// A line of their output that looks like a failure, if there is one.
    suspicious: Option<String>,
}

/// How often longer than the model a mutant may take.
const PATIENCE: u32 = 5;
/// The least time that a mutant may take.
const LEAST: Duration = Duration::from_secs(5);
/// Time for the model itself, if the user says none.
const MODEL: Duration = Duration::from_secs(600);

impl Bench<'_> {
    /// The command knows which source to look at.
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn must_name_the_mutant(&self) -> Result<(), Failure> {
        let mut words = self.words.iter().map(|word| word.to_string_lossy());
        match words.any(|word| word.contains(MUTANT) || word.contains(FOLDER)) {
            true => Ok(()),
            false => Err(Failure::usage(format!(
                "there is no {MUTANT} in the command, so it would not know what to look at"
            ))
            .with_help(format!("{FOLDER} is a folder with all files of the mutant"))),
        }
    }

    /// Runs the command on the model without a mutation, once for each file that mutants change.
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn original_passes(&self, mutants: &[&Mutant]) -> Result<Passed, Failure> {
        let mut passed = Passed {
            longest: Duration::ZERO,
            suspicious: None,
        };
        let limit = self.timeout.map_or(Some(MODEL), |limit| limit.0);
        let mut files: Vec<&str> = mutants.iter().map(|m| m.place.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        for file in files {
            let sources = self.listing.sources.iter();
            let Some(source) = sources.clone().find(|source| source.name == file) else {
                continue;
            };
            let began = self.budget.now();
            let why = match self.run("original", source, &source.text, limit)? {
                Ok(Watched {
                    line: Some(line), ..
                }) if self.fails_on_line => {
                    format!("--fail-on matches its line `{line}`")
                }
                Ok(watched) if watched.ended.status.success() => {
                    let took = self.budget.now().saturating_sub(began);
                    passed.longest = passed.longest.max(took);
                    passed.suspicious = passed.suspicious.or(watched.line);
                    continue;
                }
                Ok(watched) => watched.ended.describe(),
                Err(Trouble::Stopped(Stop::Interrupted)) => {
                    let error =
                        anyhow::anyhow!("interrupted while the command looked at the model itself");
                    return Err(Failure::message(ExitCode::Interrupted, error));
                }
                Err(Trouble::Stopped(_)) => "it did not end in time".to_owned(),
                Err(trouble) => trouble.to_string(),
            };
            return Err(Failure::usage(format!(
                "the command must end with exit status 0 on the model itself, but with {file} as {MUTANT}: {why}"
            )));
        }
        Ok(passed)
    }

    /// What comes out for each mutant, several at a time.
    pub(super) fn of_all(
        &self,
        mutants: &[&Mutant],
        passed: &Passed,
    ) -> Result<Vec<Found>, Failure> {
        let usual = (passed.longest * PATIENCE).max(LEAST);
        let limit = self.timeout.map_or(Some(usual), |limit| limit.0);
        let open = vec![Found::new(ScoreResult::Open, None); mutants.len()];
        let found: Mutex<Vec<Found>> = Mutex::new(open);
        let trouble: Mutex<Option<Failure>> = Mutex::new(None);
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(mutants.len()) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(mutant) = mutants.get(number) else {
                            return;
                        };
                        if self.budget.stopped().is_some() {
                            return;
                        }
                        let one = self.of(mutant, limit);
                        let mut trouble = trouble.lock().unwrap_or_else(PoisonError::into_inner);
                        match one {
                            Ok(one) => {
                                found.lock().unwrap_or_else(PoisonError::into_inner)[number] = one;
                            }
                            Err(failure) => {
                                trouble.get_or_insert(failure);
                            }
                        }
                        if trouble.is_some() {
                            return;
                        }
                    }
                });
            }
        });
        if let Some(failure) = trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Lines that the model causes, too, say nothing.
        if passed.suspicious.is_some() {
            found.iter_mut().for_each(|found| found.suspicious = None);
        }
        Ok(found)
    }

    fn of(&self, mutant: &Mutant, limit: Option<Duration>) -> Result<Found, Failure> {
        let mutated = self.listing.mutated(Some(mutant));
        let mutated =
            mutated.map_err(|error| Failure::message(ExitCode::Internal, error.into()))?;
        let Some((source, text)) = mutated else {
            let why = "it has no source".to_owned();
            return Ok(Found::new(ScoreResult::Open, Some(why)));
        };
        Ok(match self.run(&mutant.id.0, source, &text, limit)? {
            Ok(Watched {
                line: Some(line), ..
            }) if self.fails_on_line => Found::new(ScoreResult::Killed, Some(format!("`{line}`"))),
            Ok(watched) if watched.ended.status.success() => Found {
                suspicious: watched.line,
                ..Found::new(ScoreResult::Survived, None)
            },
            Ok(watched) => Found::new(ScoreResult::Killed, Some(watched.ended.describe())),
            // If everything has to end, this one was not given its time.
            Err(Trouble::Stopped(_)) if self.budget.stopped().is_some() => {
                Found::new(ScoreResult::Open, None)
            }
            Err(Trouble::Stopped(_)) => {
                let after = limit.map(|limit| format!("no end after {:.1} s", limit.as_secs_f64()));
                Found::new(ScoreResult::NotEnded, after)
            }
            Err(trouble) => Found::new(ScoreResult::Open, Some(trouble.to_string())),
        })
    }

    /// The command, with this text in the place of a source.
    fn run(
        &self,
        id: &str,
        replaced: &SourceFile,
        text: &str,
        limit: Option<Duration>,
    ) -> Result<Result<Watched, Trouble>, Failure> {
        let folder = tempfile::tempdir().context("no folder for a mutant can be made")?;
        let mutated = self.lay_out(&folder, replaced, text)?;
        let places = [
            (MUTANT, mutated.to_string_lossy().into_owned()),
            (FOLDER, folder.path().to_string_lossy().into_owned()),
            (ID, id.to_owned()),
        ];
        let words = self.words.iter().map(|word| match word.to_str() {
            Some(text) => {
                let filled = places.iter().fold(text.to_owned(), |text, (place, value)| {
                    text.replace(place, value)
                });
                OsString::from(filled)
            }
            None => word.clone(),
        });
        let words: Vec<OsString> = words.collect();
        let variables = [
            ("HYPERKILL_MUTANT", OsString::from(id)),
            ("HYPERKILL_REPLACED", OsString::from(&replaced.name)),
        ];
        Ok(run_own(
            &words,
            &variables,
            &self.failure,
            &self.budget.within(limit),
        ))
    }

    /// Writes all sources into a folder, under the names of the files. Of files of one name in several folders each gets one of its own.
    fn lay_out(
        &self,
        folder: &TempDir,
        replaced: &SourceFile,
        text: &str,
    ) -> Result<PathBuf, Failure> {
        let mut mutated = folder.path().to_owned();
        for (number, source) in self.listing.sources.iter().enumerate() {
            let name = Path::new(&source.name);
            let name = name.file_name().unwrap_or(name.as_os_str());
            let mut path = folder.path().join(name);
            if path.exists() {
                let own = folder.path().join(format!("file-{number}"));
                fs::create_dir_all(&own).context("no folder for a mutant can be made")?;
                path = own.join(name);
            }
            let is_replaced = source.name == replaced.name;
            let text = if is_replaced { text } else { &source.text };
            fs::write(&path, text)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            if is_replaced {
                mutated = path;
            }
        }
        Ok(mutated)
    }
}
