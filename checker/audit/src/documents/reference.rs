//! The descriptions of engines and operators: `operators --format json` and `engines --format json`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `operators --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperatorsReport {
    /// `hyperkill.operators/1`.
    pub schema: String,
    /// All languages, or the selected one.
    pub languages: Vec<LanguageOperators>,
}

impl OperatorsReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.operators/1";
}

/// The mutation operators of a language.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LanguageOperators {
    /// The name of the language.
    pub language: String,
    /// The operators, in catalogue order.
    pub operators: Vec<OperatorDescription>,
}

/// A mutation operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperatorDescription {
    /// The name of the operator.
    pub name: String,
    /// A sentence about the change that the operator makes.
    pub summary: String,
    /// A source text and the text of its mutant.
    pub example: String,
}

/// `engines --format json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EnginesReport {
    /// `hyperkill.engines/1`.
    pub schema: String,
    /// The engines that decide mutants.
    pub engines: Vec<EngineDescription>,
    /// Programs that decide no mutants, but are needed for some models or exports.
    pub tools: Vec<EngineDescription>,
}

impl EnginesReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.engines/1";
}

/// An engine, or another program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EngineDescription {
    /// The name of the engine or program.
    pub name: String,
    /// A sentence about its function.
    pub summary: String,
    /// Whether it can be used on this machine.
    pub available: bool,
    /// The path of the program, if it is an external one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<PathBuf>,
}
