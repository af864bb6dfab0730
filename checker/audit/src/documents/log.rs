//! The messages on standard error, with `--log-format json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line of standard error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// `hyperkill.log/1`.
    pub schema: String,
    /// The seconds since the command started.
    pub seconds: f64,
    /// The severity.
    pub level: LogLevel,
    /// The message, as in the text format.
    pub message: String,
    /// A suggestion for the user.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub help: Option<String>,
    /// A place in a source file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<LogPlace>,
    /// For an error: the exit status of the command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_status: Option<u8>,
    /// The progress of the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress: Option<Progress>,
}

impl LogLine {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.log/1";
}

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// The command could not do its work.
    Error,
    /// A condition that the user should check.
    Warning,
    /// Information on the progress of the command.
    Note,
    /// Details, with `-v`.
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

/// The progress of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// The number of decided mutants.
    pub decided: usize,
    /// The number of mutants to decide, including the decided ones.
    pub mutants: usize,
    /// The mutants decided per second since the run began or was resumed.
    pub per_second: f64,
    /// The estimated seconds until the end at this rate. Missing while there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds_left: Option<f64>,
    /// The method that is running. Missing between methods.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// The number of mutants that the method works on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open: Option<usize>,
    /// The number of decided mutants by verdict.
    pub verdicts: BTreeMap<String, usize>,
}
