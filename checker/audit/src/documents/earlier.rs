//! What a run keeps of the run before an edit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::certificate::RunEvidence;

/// `earlier.json`: what a run of an edited model has of the run before the edit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlierSuite {
    /// `hyperkill.earlier/1`.
    pub schema: String,
    /// The hash of what was asked of that run.
    pub run: String,
    /// Its tests, on the inputs of the edited model: they are tried on every mutant that has to be decided anew.
    pub tests: Vec<RunEvidence>,
}

impl EarlierSuite {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.earlier/1";
}
