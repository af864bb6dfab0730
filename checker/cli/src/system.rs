//! The environment of a run for programs that use the library: models in every language, folders on the disk, the clock and threads.
//!
//! With this module and [`hyperkill_run`], a program runs, resumes and certifies models through typed values: `examples/runs.rs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hyperkill_core::budget::ledger::Ledger;
use hyperkill_run::limits::Limits;
use hyperkill_run::procedure::Procedure;
use hyperkill_run::reading::ModelSpec;

pub use crate::audited::{OnDisk, TEXTS};
pub use crate::certification::Findings;
pub use crate::commands::Stopped;
pub use crate::files::Disk;
pub use crate::io::{SystemClock, SystemMeter};
pub use crate::run_folder::RunFolder;

use crate::args::{CertifyArgs, Global, Limit, ResumeArgs};
use crate::commands::{Found, findings, stopped};
use crate::decision::workers;
use crate::documents::Reading;
use crate::failure::Failure;
use crate::io::Io;
use crate::load::{self, Origin, seen_from};
use crate::session::Session;

/// Starts `jobs` worker threads, whose time is entered in `ledger`.
///
/// # Errors
/// If they cannot be started.
pub fn threads(jobs: usize, ledger: &Arc<Ledger>) -> Result<rayon::ThreadPool, Failure> {
    workers(jobs, ledger)
}

/// Reads a model with the files and options of `reading`. Without a named language, the name of the first file decides.
///
/// # Errors
/// If files cannot be read, options do not fit, or the model is invalid.
pub fn read(reading: &Reading, language: Option<&str>) -> Result<Box<dyn Procedure>, Failure> {
    if reading.files.is_empty() {
        return Err(Failure::usage("a model has at least one file"));
    }
    let mut spec = ModelSpec {
        files: reading.files.iter().map(PathBuf::from).collect(),
        language: language.map(str::to_owned),
        options: reading.options.clone(),
        ..ModelSpec::default()
    };
    spec.settle();
    quietly(|session| {
        let origin = Origin::Places(&spec.files);
        load::model_from(session, &spec, origin, &reading.operators)
    })
}

/// Takes a folder for a run of a model. The files of an earlier run there go to `DIR.old`.
///
/// # Errors
/// If the path has other files, another run holds it, or the file system refuses.
pub fn folder(path: &Path, procedure: &mut dyn Procedure) -> Result<RunFolder, Failure> {
    let folder = RunFolder::create(&Disk::default(), path)?;
    let listing = procedure.listing_mut();
    listing.reading = seen_from(&listing.reading, folder.path());
    Ok(folder)
}

/// Takes the folder of a stopped run; `None` if the run has finished.
///
/// # Errors
/// If the folder has no run of this version, or a process still runs in it. If a file was changed after the run wrote it.
pub fn reopen(path: &Path) -> Result<Option<Stopped>, Failure> {
    let args = ResumeArgs {
        dir: path.to_owned(),
        external: Vec::new(),
    };
    quietly(|session| {
        Ok(match stopped(session, &args)? {
            Found::Stopped(stopped) => Some(*stopped),
            Found::Finished(_) => None,
        })
    })
}

/// Checks all evidence of a finished run without the engines. `timeout` applies to each claim.
///
/// # Errors
/// If the folder has no run, or the run has not finished.
pub fn certify(path: &Path, timeout: Option<Duration>) -> Result<Findings, Failure> {
    let args = CertifyArgs {
        dir: path.to_owned(),
        shard: None,
        model: Vec::<PathBuf>::new(),
        timeout: Limit(timeout),
        hwmcc: None,
    };
    quietly(|session| Ok(findings(session, &args)?.findings))
}

/// Returns limits for a run: a clock that starts now, a thread for each core, no limit of time or memory, and seed 0.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        jobs: crate::args::Jobs::of_machine().count(),
        ..Limits::by(Arc::new(SystemClock::start()))
    }
}

/// Does work with a session without streams.
fn quietly<T>(work: impl FnOnce(&mut Session<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
    let (mut io, _) = Io::captured("");
    work(&mut Session::new(&mut io, &Global::default()))
}
