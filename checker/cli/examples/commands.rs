//! Complete commands inside another program: a run in a folder, and its documents as typed data.
//!
//! `cargo run -p hyperkill --example commands MODEL`

#![allow(clippy::print_stdout)] // An example shows what it found.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hyperkill::documents::{Run, VerdictWord};
use hyperkill::{ExitCode, Io};

/// Runs a model, and returns the mutants that a test kills.
///
/// # Errors
/// If the run fails: its messages.
pub fn killed(model: &Path, folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    // These streams are in memory: nothing is printed, and standard input is empty.
    let (mut io, captured) = Io::captured("");
    let words = ["hyperkill", "run", "--accept", "unknown", "--out"].map(OsString::from);
    let paths = [folder, model].map(|path| path.as_os_str().to_owned());
    let ended = hyperkill::main(words.into_iter().chain(paths), &mut io);
    if ended != ExitCode::Success {
        return Err(captured.stderr.text().into());
    }
    let outcomes = fs::read(folder.join("outcomes.json"))?;
    let outcomes: Run = serde_json::from_slice(&outcomes)?;
    let killed = outcomes.results.into_iter();
    let killed = killed.filter(|result| result.verdict == VerdictWord::Killed);
    Ok(killed.map(|result| result.mutant).collect())
}

/// Prints the killed mutants of a model.
///
/// # Errors
/// As [`killed`], or if no model is named.
pub fn main() -> Result<(), Box<dyn Error>> {
    let model = std::env::args_os().nth(1).ok_or("name a model")?;
    for mutant in killed(Path::new(&model), Path::new("hyperkill.out"))? {
        println!("{mutant}");
    }
    Ok(())
}
