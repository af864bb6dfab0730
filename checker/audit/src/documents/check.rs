//! What `check` writes: the results for all mutants of a circuit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::MutantResult;
use super::summary::Summary;

/// `check --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// `hyperkill.check/1`.
    pub schema: String,
    /// Name of the file, `-` for standard input.
    pub model: String,
    /// Seed of everything random.
    pub seed: u64,
    /// What is known of the original: deterministic, non-deterministic or unsettled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original: Option<String>,
    /// One result per mutant, in the order of the file.
    pub results: Vec<MutantResult>,
    /// Numbers over all results.
    pub summary: Summary,
}

impl CheckReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.check/1";
}
