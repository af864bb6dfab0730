//! Front ends that are other programs: `hyperkill-frontend-NAME` on the path (docs/src/internals/formats.md).
//!
//! They are started here; `hyperkill_run::load::program` judges what they print.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyperkill_core::budget::Budget;
pub(crate) use hyperkill_run::load::program::{Described, Printed, Refusal};

use super::path::{MEMORY, on_path};
use crate::children::{self, Job};

/// What such programs are called.
const PREFIX: &str = "hyperkill-frontend-";
/// How long one may take to say what it is.
const MOST_TIME_TO_DESCRIBE: Duration = Duration::from_secs(10);
/// How long it may take to translate a model.
const MOST_TIME: Duration = Duration::from_secs(600);

/// A front end that is another program.
#[derive(Debug)]
pub(crate) struct FrontendProgram {
    speaks: Speaker,
    /// What it printed when it was asked what it is.
    pub(crate) described: Vec<u8>,
    /// What it says of itself.
    pub(crate) description: Described,
}

/// Who speaks for a front end.
#[derive(Debug)]
enum Speaker {
    /// The program, which is started.
    Program(PathBuf),
    /// A run, which has kept what the program printed.
    Kept { circuit: Vec<u8>, table: Vec<u8> },
}

/// Names of all such programs on the path.
pub(crate) fn names() -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
    let entries = folders.flatten().flatten();
    let entries = entries.filter(|entry| entry.path().is_file());
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_prefix(PREFIX).map(str::to_owned)
    });
    names.filter(|name| is_name(name)).collect()
}

/// What can be the name of a language, and so never a path.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

impl FrontendProgram {
    /// The front end of this name; `None` if there is none.
    pub(crate) fn find(name: &str, budget: &Budget) -> Option<Result<FrontendProgram, Refusal>> {
        if !is_name(name) {
            return None;
        }
        let program = on_path(&[&format!("{PREFIX}{name}")])?;
        Some(FrontendProgram::describe(program, name, budget))
    }

    fn describe(program: PathBuf, name: &str, budget: &Budget) -> Result<FrontendProgram, Refusal> {
        let budget = budget.within(Some(MOST_TIME_TO_DESCRIBE));
        let bytes = run(&program, &["describe"], None, &budget)?;
        FrontendProgram::speaking(Speaker::Program(program), name, bytes)
    }

    /// A front end of which a run has kept what it printed.
    pub(crate) fn kept(
        name: &str,
        description: &[u8],
        circuit: &[u8],
        table: &[u8],
    ) -> Result<FrontendProgram, Refusal> {
        let speaks = Speaker::Kept {
            circuit: circuit.to_vec(),
            table: table.to_vec(),
        };
        FrontendProgram::speaking(speaks, name, description.to_vec())
    }

    fn speaking(
        speaks: Speaker,
        name: &str,
        described: Vec<u8>,
    ) -> Result<FrontendProgram, Refusal> {
        Ok(FrontendProgram {
            speaks,
            description: Described::read(name, &described)?,
            described,
        })
    }

    /// What it prints of a model, which lies in a file of ours.
    pub(crate) fn prints(
        &self,
        model: &Path,
        options: &[String],
        budget: &Budget,
    ) -> Result<Printed, Refusal> {
        match &self.speaks {
            Speaker::Kept { circuit, table } => Printed::read(circuit.clone(), table.clone()),
            Speaker::Program(program) => {
                let circuit = asked(program, "translate", model, options, budget)?;
                let table = asked(program, "mutants", model, options, budget)?;
                Printed::read(circuit, table)
            }
        }
    }
}

/// What a program prints of a model.
fn asked(
    program: &Path,
    command: &str,
    model: &Path,
    options: &[String],
    budget: &Budget,
) -> Result<Vec<u8>, Refusal> {
    let mut words = vec![command];
    words.extend(options.iter().map(String::as_str));
    run(
        program,
        &words,
        Some(model),
        &budget.within(Some(MOST_TIME)),
    )
}

/// What a command of the program prints.
fn run(
    program: &Path,
    words: &[&str],
    input: Option<&Path>,
    budget: &Budget,
) -> Result<Vec<u8>, Refusal> {
    let program = program.as_os_str().to_owned();
    let words: Vec<OsString> = std::iter::once(program)
        .chain(words.iter().map(OsString::from))
        .collect();
    let ended = children::run(&Job {
        words: &words,
        folder: None,
        input,
        memory: MEMORY,
        budget,
    });
    let ended = ended.map_err(Refusal::Trouble)?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let how = ended.describe();
    Err(Refusal::of(ended.status.code(), &ended.messages, how))
}
