//! Front ends that are other programs: `hyperkill-frontend-NAME` on the path (docs/src/internals/formats.md).
//!
//! What such a program writes is judged here as far as its form goes; whether its circuit and its table of mutants fit the model is
//! judged where they are read.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use hyperkill_checker::external::Trouble;
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::Operator;
use hyperkill_frontend::{Diagnostic, Severity, Span};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::path::{MEMORY, on_path};
use crate::children::{self, Ended, Job};

/// What such programs are called.
const PREFIX: &str = "hyperkill-frontend-";
/// The version of what they say of themselves that is understood.
const SCHEMA: &str = "hyperkill.frontend/1";
/// The version of their table of mutants that is understood.
const MUTANTS: &str = "hyperkill.frontend-mutants/1";
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

/// What `describe` prints.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    schema: String,
    /// Its language: NAME.
    pub(crate) name: String,
    /// Extensions of files in the language, without the dot.
    pub(crate) extensions: Vec<String>,
    /// Its mutation operators.
    pub(crate) operators: Vec<Operator>,
}

/// What `mutants` prints.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Table {
    schema: String,
    mutants: Vec<Row>,
}

/// A mutant in the table.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Its id: the name of its selector, without `mut:`.
    pub(crate) id: String,
    /// Name of its operator.
    pub(crate) operator: String,
    /// Where it is, structurally.
    pub(crate) path: String,
    /// First byte of its place.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// What stands there.
    pub(crate) original: String,
    /// What stands there in the mutant.
    pub(crate) replacement: String,
    /// Why it is no model, if it is none. It has no selector then.
    #[serde(default)]
    pub(crate) invalid: Option<String>,
}

/// A line of standard error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    severity: Severity,
    message: String,
    #[serde(default)]
    start: Option<usize>,
    #[serde(default)]
    end: Option<usize>,
    #[serde(default)]
    help: Option<String>,
}

/// Why such a program is of no use.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It finds the model wrong: its own words, with places in the model.
    Model(Vec<Diagnostic>),
    /// It finds its options wrong.
    Options(Vec<Diagnostic>),
    /// It could not be run to its end.
    Trouble(Trouble),
    /// What it did is not what is agreed.
    Malformed(String),
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
        let description: Described = parsed(&described, "describe", SCHEMA)?;
        let wrong = |what: String| Err(Refusal::Malformed(what));
        if description.schema != SCHEMA {
            return wrong(other_version("describe", &description.schema, SCHEMA));
        }
        if description.name != name {
            return wrong(format!("it calls itself `{}`", description.name));
        }
        let mut operators = BTreeSet::new();
        for operator in &description.operators {
            if operator.name.is_empty() || !operators.insert(&operator.name) {
                return wrong(format!("it has two operators called `{}`", operator.name));
            }
        }
        Ok(FrontendProgram {
            speaks,
            described,
            description,
        })
    }

    /// The circuit of a model, which lies in a file of ours: the bytes of an AIGER file.
    pub(crate) fn translate(
        &self,
        model: &std::path::Path,
        options: &[String],
        budget: &Budget,
    ) -> Result<Vec<u8>, Refusal> {
        match &self.speaks {
            Speaker::Program(program) => asked(program, "translate", model, options, budget),
            Speaker::Kept { circuit, .. } => Ok(circuit.clone()),
        }
    }

    /// The table of its mutants: what is printed, and what that says.
    pub(crate) fn mutants(
        &self,
        model: &std::path::Path,
        options: &[String],
        budget: &Budget,
    ) -> Result<(Vec<u8>, Vec<Row>), Refusal> {
        let bytes = match &self.speaks {
            Speaker::Program(program) => asked(program, "mutants", model, options, budget)?,
            Speaker::Kept { table, .. } => table.clone(),
        };
        let table: Table = parsed(&bytes, "mutants", MUTANTS)?;
        match table.schema == MUTANTS {
            true => Ok((bytes, table.mutants)),
            false => Err(Refusal::Malformed(other_version(
                "mutants",
                &table.schema,
                MUTANTS,
            ))),
        }
    }
}

/// What a program prints of a model.
fn asked(
    program: &std::path::Path,
    command: &str,
    model: &std::path::Path,
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

fn other_version(command: &str, is: &str, expected: &str) -> String {
    format!("`{command}` prints the schema `{is}`, and only `{expected}` is understood")
}

/// What a command of the program prints.
fn run(
    program: &std::path::Path,
    words: &[&str],
    input: Option<&std::path::Path>,
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
    Err(refused(&ended))
}

/// Why a program did not succeed, in its own words if they are of the form agreed.
fn refused(ended: &Ended) -> Refusal {
    let lines = ended.messages.lines();
    let lines = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let diagnostics: Vec<Diagnostic> = lines.map(diagnostic).collect();
    let has_errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match ended.status.code() {
        Some(4) if has_errors => Refusal::Model(diagnostics),
        Some(1) if has_errors => Refusal::Options(diagnostics),
        _ => Refusal::Malformed(ended.describe()),
    }
}

fn diagnostic(line: Line) -> Diagnostic {
    let span = line.start.map(|start| {
        let end = line.end.unwrap_or(start).max(start);
        Span::new(start, end)
    });
    Diagnostic {
        severity: line.severity,
        span,
        help: line.help,
        ..Diagnostic::unlocated(line.message)
    }
}

/// A JSON document of the form agreed.
fn parsed<T: DeserializeOwned>(bytes: &[u8], command: &str, schema: &str) -> Result<T, Refusal> {
    // Another version may have any other form, so that it is asked for first.
    let value: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    let version = value
        .as_ref()
        .and_then(|value| value.get("schema")?.as_str());
    if let Some(version) = version.filter(|version| *version != schema) {
        return Err(Refusal::Malformed(other_version(command, version, schema)));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        Refusal::Malformed(format!(
            "`{command}` does not print the JSON that is agreed: {error}"
        ))
    })
}
