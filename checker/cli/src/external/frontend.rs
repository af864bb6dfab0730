//! External front ends: programs `hyperkill-frontend-NAME` on the path (docs/src/internals/formats.md).
//!
//! This module starts them; `hyperkill_run::load::program` checks their output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyperkill_core::budget::Budget;
pub(crate) use hyperkill_run::load::program::{Described, Printed, Refusal};

use super::path::{MEMORY, on_path};
use crate::children::{self, Job};

/// The prefix of the programs' names.
const PREFIX: &str = "hyperkill-frontend-";
/// The time limit for the description of a front end.
const MOST_TIME_TO_DESCRIBE: Duration = Duration::from_secs(10);
/// The time limit for the translation of a model.
const MOST_TIME: Duration = Duration::from_secs(600);

/// An external front end.
#[derive(Debug)]
pub(crate) struct FrontendProgram {
    speaks: Speaker,
    /// The output of its `describe` call.
    pub(crate) described: Vec<u8>,
    /// The parsed description.
    pub(crate) description: Described,
}

/// The source of a front end's output.
#[derive(Debug)]
enum Speaker {
    /// A program, which is started.
    Program(PathBuf),
    /// A run, which has stored the program's output.
    Kept { circuit: Vec<u8>, table: Vec<u8> },
}

/// Returns the names of all external front ends on the path.
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

/// Whether a text can be the name of a language: lower-case letters, digits and `-`. Such a name is never a path.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

impl FrontendProgram {
    /// Starts the front end for the language `name` and reads its description; `None` if it is not on the path.
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

    /// Returns the front end that a run has used, from the outputs that the run has stored.
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

    /// Returns the front end's output for a model in a temporary file: the circuit and the table of mutants. A stored front end returns its
    /// stored output.
    ///
    /// # Errors
    /// If the program fails, or breaks its protocol.
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

/// Returns the output of a front end's subcommand for the file `model`, which is its standard input.
///
/// # Errors
/// If the program fails or takes too long.
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

/// Returns the standard output of a program. `words` are its arguments; `input` is its standard input, empty without it.
///
/// # Errors
/// If the program fails: the reason that it states.
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
