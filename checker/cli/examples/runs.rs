//! Runs inside another program, through typed values: runs a model, resumes a stopped run, and checks the evidence.
//!
//! `cargo run -p hyperkill --example runs MODEL`

#![allow(clippy::print_stdout)] // An example shows what it found.

use std::error::Error;
use std::path::Path;

use hyperkill::documents::{LockState, Reading};
use hyperkill::system::{self, RunFolder};
use hyperkill_run::asked::{Options, document};
use hyperkill_run::baseline::Baseline;
use hyperkill_run::decided::Decided;
use hyperkill_run::life::Life;
use hyperkill_run::limits::Limits;
use hyperkill_run::procedure::{RunError, Surroundings, Task};
use hyperkill_run::selection::Selection;
use hyperkill_run::sink::Silence;

/// Runs a model in a folder.
///
/// # Errors
/// If the model is invalid or the folder cannot be written.
pub fn run(model: &Path, path: &Path, limits: &Limits) -> Result<Decided, Box<dyn Error>> {
    let mut reading = Reading::default();
    reading.files.push(model.display().to_string());
    let mut procedure = system::read(&reading, None)?;
    let folder = system::folder(path, procedure.as_mut())?;
    let (listing, selection) = (procedure.listing(), Selection::default());
    let task = Task::new(listing, &selection)?;
    let model = (listing, &listing.reading);
    let options = Options::of(&task, &selection).words();
    let asked = document(options, model, &selection, &task.selected)?;
    let (procedure, accepted) = (procedure.as_ref(), &Baseline::default());
    let life = Life {
        procedure,
        task: &task,
        accepted,
    };
    lived(folder, limits, |around| life.begin(&asked, None, around))
}

/// Resumes the run in a folder; `None` if the run has finished.
///
/// # Errors
/// If the folder has no run, or cannot be written.
pub fn resume(path: &Path, limits: &Limits) -> Result<Option<Decided>, Box<dyn Error>> {
    let Some(stopped) = system::reopen(path)? else {
        return Ok(None);
    };
    let life = Life {
        procedure: stopped.procedure.as_ref(),
        task: &stopped.task,
        accepted: &stopped.accepted,
    };
    let (folder, earlier) = (stopped.folder, stopped.earlier);
    lived(folder, limits, |around| life.go_on(earlier, around)).map(Some)
}

/// Does the work of a run, and writes its end into the folder.
fn lived(
    mut folder: RunFolder,
    limits: &Limits,
    work: impl FnOnce(&mut Surroundings<'_>) -> Result<Decided, RunError>,
) -> Result<Decided, Box<dyn Error>> {
    let decided = work(&mut Surroundings {
        limits,
        threads: &system::threads(limits.jobs, &limits.ledger)?,
        sink: &mut Silence,
        folder: Some(&mut folder),
        texts: system::TEXTS,
    })?;
    folder.finish(LockState::after(decided.interrupted), None)?;
    Ok(decided)
}

/// Runs a model, and checks the evidence.
///
/// # Errors
/// As [`run`]. If the command line names no model.
pub fn main() -> Result<(), Box<dyn Error>> {
    let model = std::env::args_os().nth(1).ok_or("name a model")?;
    let path = Path::new("hyperkill.out");
    let decided = run(Path::new(&model), path, &system::limits())?;
    let faults = system::certify(path, None)?.faults;
    println!(
        "{} killed, {} faults",
        decided.summary.killed(),
        faults.len()
    );
    Ok(())
}
