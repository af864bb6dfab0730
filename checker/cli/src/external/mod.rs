//! Other model checkers as programs: which there are, and how they are run. What they answer is judged by
//! `hyperkill_checker::external`.

mod abc;
mod command;
mod frontend;
mod icarus;
mod yosys;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperkill_checker::external::{External, Program, Trouble};
use tempfile::TempDir;

use crate::args::{ExternalCommand, LimitArgs};
use crate::children::MOST_BYTES;
use crate::failure::Failure;
use crate::session::{Level, Session};
use command::ByCommand;

pub(crate) use abc::Abc;
pub(crate) use frontend::{FrontendProgram, Refusal, Row, names as frontend_names};
pub(crate) use icarus::iverilog;
pub(crate) use yosys::Yosys;

/// Bytes of address space that a program may use, if nobody says otherwise.
pub(crate) const MEMORY: u64 = 8 << 30;

/// The file with the circuit.
const MODEL: &str = "model.aig";

/// The programs that options ask for; `None` if there are none.
///
/// # Errors
/// If options contradict each other.
pub(crate) fn programs(
    session: &mut Session<'_>,
    limits: &LimitArgs,
    commands: &[ExternalCommand],
) -> Result<Option<External>, Failure> {
    if limits.engine.external && commands.is_empty() {
        return Err(Failure::usage(
            "--engine external: no program is given; name it by --external",
        ));
    }
    let memory = limits.memory_of_job(session.jobs).unwrap_or(MEMORY);
    let mut programs: Vec<Arc<dyn Program>> = Vec::new();
    if limits.engine.abc {
        match Abc::find(memory) {
            Some(abc) => programs.push(Arc::new(abc)),
            None => session.say(
                Level::Warning,
                "--engine abc: neither `berkeley-abc` nor `abc` is on the path, so nobody is asked",
            ),
        }
    }
    for command in commands {
        programs.push(Arc::new(ByCommand::new(command, memory)));
    }
    Ok((!programs.is_empty()).then(|| External::new(programs)))
}

/// A folder for one question, gone with it.
struct Workshop(TempDir);

impl Workshop {
    /// With this circuit in it.
    fn with(circuit: &[u8]) -> Result<Workshop, Trouble> {
        let missing = |error: std::io::Error| Trouble::Missing(error.to_string());
        let folder = tempfile::tempdir().map_err(missing)?;
        fs::write(folder.path().join(MODEL), circuit).map_err(missing)?;
        Ok(Workshop(folder))
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn model(&self) -> PathBuf {
        self.path(MODEL)
    }

    /// What a program has written; `None` if that is nothing.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let path = self.path(name);
        // Not what only looks like a file, and might never end.
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let Ok(file) = File::open(&path) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        if file.take(MOST_BYTES + 1).read_to_end(&mut bytes).is_err() {
            return Ok(None);
        }
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Trouble::Flood(MOST_BYTES));
        }
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

/// The first program of these names on the path.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = names.iter().flat_map(|name| {
        let folders = std::env::split_paths(&path);
        folders.map(|folder| folder.join(name)).collect::<Vec<_>>()
    });
    candidates.into_iter().find(|program| program.is_file())
}

/// The last part of a path.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
