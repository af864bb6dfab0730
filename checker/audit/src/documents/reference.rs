//! What hyperkill prints about itself: `operators --format json` and `engines --format json`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `operators --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperatorsReport {
    /// `hyperkill.operators/1`.
    pub schema: String,
    /// All languages, or the one that was asked for.
    pub languages: Vec<LanguageOperators>,
}

impl OperatorsReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.operators/1";
}

/// The mutation operators of a language.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LanguageOperators {
    /// Its name.
    pub language: String,
    /// In the order of its catalogue.
    pub operators: Vec<OperatorDescription>,
}

/// A mutation operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperatorDescription {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// What stands in a model and in a mutant of it.
    pub example: String,
}

/// `engines --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EnginesReport {
    /// `hyperkill.engines/1`.
    pub schema: String,
    /// What can decide mutants.
    pub engines: Vec<EngineDescription>,
    /// Programs that decide nothing, but that models or exports may need.
    pub tools: Vec<EngineDescription>,
}

impl EnginesReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.engines/1";
}

/// An engine, or another program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EngineDescription {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// Whether it is there.
    pub available: bool,
    /// Where the program is, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<PathBuf>,
}
