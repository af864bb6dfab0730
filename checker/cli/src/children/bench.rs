//! Runs the user's program on the files of a mutant. Only time is limited.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::Receiver;

use anyhow::Context;
use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;
use hyperkill_exec::score::command::{Command, FOLDER, ID, MUTANT, Mishap, Trial, Watched};
use hyperkill_exec::score::pattern::{Heard, Pattern};
use hyperkill_run::folder::Unwritable;

use super::dialogue::own_command;
use super::{LINGER, PAUSE, Running, ended, in_background};

/// A program that tests mutants.
pub(crate) struct Bench<'a> {
    /// The program and its arguments, with placeholders for the mutant.
    pub(crate) words: &'a [OsString],
    /// The pattern of output lines that report failures.
    pub(crate) failure: Pattern,
}

impl Command for Bench<'_> {
    fn run(&self, trial: &Trial<'_>, budget: &Budget) -> Result<Watched, Mishap> {
        let unwritable = |error: anyhow::Error| Unwritable(error.into());
        let folder = tempfile::tempdir().context("no folder for a mutant can be made");
        let folder = folder.map_err(unwritable)?;
        let mutated = lay_out(folder.path(), trial).map_err(unwritable)?;
        let places = [
            (MUTANT, mutated.to_string_lossy().into_owned()),
            (FOLDER, folder.path().to_string_lossy().into_owned()),
            (ID, trial.id.to_owned()),
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
        Ok(watched(&words, trial, &self.failure, budget)?)
    }
}

/// Writes all sources of a model into `folder`, one of them mutated, and returns its path. A repeated file name gets a subfolder.
fn lay_out(folder: &Path, trial: &Trial<'_>) -> anyhow::Result<PathBuf> {
    let mut mutated = folder.to_owned();
    for (number, source) in trial.sources.iter().enumerate() {
        let name = Path::new(&source.name);
        let name = name.file_name().unwrap_or(name.as_os_str());
        let mut path = folder.join(name);
        if path.exists() {
            let own = folder.join(format!("file-{number}"));
            fs::create_dir_all(&own).context("no folder for a mutant can be made")?;
            path = own.join(name);
        }
        let is_replaced = source.name == trial.replaced.name;
        let text = match is_replaced {
            true => trial.text,
            false => &source.text,
        };
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        if is_replaced {
            mutated = path;
        }
    }
    Ok(mutated)
}

/// Runs a program with empty standard input, and searches its output for `pattern`. The program gets the id of the mutant and the name of
/// the replaced file as variables.
///
/// # Errors
/// If the program cannot be started, or the budget ends first.
fn watched(
    words: &[OsString],
    trial: &Trial<'_>,
    pattern: &Pattern,
    budget: &Budget,
) -> Result<Watched, Trouble> {
    let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
    let mut command = own_command(words);
    command
        .env("HYPERKILL_MUTANT", trial.id)
        .env("HYPERKILL_REPLACED", &trial.replaced.name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(&mut command).map_err(missing)?;
    let stdout = running.0.stdout.take();
    let stdout = stdout.map(|stream| {
        let pattern = pattern.clone();
        in_background(move || pattern.heard(stream))
    });
    let stderr = running.0.stderr.take();
    let stderr = stderr.map(|stream| {
        let pattern = pattern.clone();
        in_background(move || pattern.heard(stream))
    });
    while !running.has_ended() {
        if let Some(stop) = budget.stopped() {
            return Err(Trouble::Stopped(stop));
        }
        std::thread::sleep(PAUSE);
    }
    let status = running.end().map_err(missing)?;
    let kept = |stream: Option<Receiver<Heard>>| {
        let heard = stream.and_then(|stream| stream.recv_timeout(LINGER).ok());
        heard.unwrap_or_default()
    };
    let (stdout, stderr) = (kept(stdout), kept(stderr));
    // Test benches report on either stream; standard error is preferred.
    let last = match stderr.last.trim_ascii().is_empty() {
        true => stdout.last,
        false => stderr.last,
    };
    Ok(Watched {
        is_success: status.success(),
        how: ended(status, &String::from_utf8_lossy(&last)),
        line: stderr.line.or(stdout.line),
    })
}
