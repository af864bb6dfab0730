//! What is said on standard error, with `--log-format json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line of standard error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// `hyperkill.log/1`.
    pub schema: String,
    /// Time since the command started.
    pub seconds: f64,
    /// How important it is.
    pub level: LogLevel,
    /// What is said, as a person reads it.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub help: Option<String>,
    /// Where in a source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<LogPlace>,
    /// Of an error: the exit status that it leads to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_status: Option<u8>,
    /// How far the run is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress: Option<Progress>,
}

impl LogLine {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.log/1";
}

/// How important a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// The command could not do its work.
    Error,
    /// Something that the user should look at.
    Warning,
    /// What is going on.
    Note,
    /// More of it, with `-v`.
    Detail,
}

/// A place in a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogPlace {
    /// File name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Mutants that are decided.
    pub decided: usize,
    /// Mutants to decide, those among them.
    pub mutants: usize,
    /// Decided in a second, since the run began or went on.
    pub per_second: f64,
    /// How long the rest takes, if it goes on at that rate; missing while nobody can say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds_left: Option<f64>,
    /// The method that works now; missing between methods.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// Mutants that it looks at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open: Option<usize>,
    /// The decided mutants by verdict.
    pub verdicts: BTreeMap<String, usize>,
}
