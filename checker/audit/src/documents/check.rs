//! The output of `check`: the results for all mutants of a circuit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::MutantResult;
use super::summary::Summary;

/// `check --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// `hyperkill.check/1`.
    pub schema: String,
    /// The name of the file, `-` for standard input.
    pub model: String,
    /// The seed of all random decisions.
    pub seed: u64,
    /// The determinism of the original: deterministic, non-deterministic or unsettled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// One result per mutant, in the order of the file.
    pub results: Vec<MutantResult>,
    /// Counts over all results.
    pub summary: Summary,
}

impl CheckReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.check/1";
}
