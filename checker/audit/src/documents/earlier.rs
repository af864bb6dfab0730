//! The tests that a run keeps from the run before an edit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::certificate::RunEvidence;

/// `earlier.json`: the tests that a run of an edited model takes from the run before the edit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlierSuite {
    /// `hyperkill.earlier/1`.
    pub schema: String,
    /// The hash of the question of that run.
    pub run: String,
    /// Its tests, on the inputs of the edited model. They are tried on every mutant that is decided anew.
    pub tests: Vec<RunEvidence>,
}

impl EarlierSuite {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.earlier/1";
}
