//! The JSON output of commands about a run: `show` and `status`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::LockState;
use super::model::MutantDescription;
use super::result::MutantResult;
use super::summary::Summary;
use super::times::Timings;
use super::valuation::Valuation;

/// `show ID --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownInFull {
    /// `hyperkill.show/1`.
    pub schema: String,
    /// The mutant, with a diff of its source.
    pub mutant: MutantDescription,
    /// The result for the mutant, if it is decided.
    pub result: Option<MutantResult>,
    /// With `--hidden`: the choices of the two runs behind its kill.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hidden: Option<Hidden>,
}

impl ShownInFull {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.show/1";
}

/// The choices of the run of the model and of the run of the mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hidden {
    /// The choices of the model.
    pub model: Choices,
    /// The choices of the mutant.
    pub mutant: Choices,
}

/// The choices of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Choices {
    /// The first values, by latch.
    pub initial: Valuation,
    /// The choices, step by step.
    pub steps: Vec<Valuation>,
}

/// `show --format json`: mutants of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownList {
    /// `hyperkill.show-list/1`.
    pub schema: String,
    /// The model.
    pub model: String,
    /// The state of the run.
    pub state: LockState,
    /// The number of mutants of the run.
    pub of: usize,
    /// The selected mutants, in catalogue order.
    pub mutants: Vec<ShownMutant>,
}

impl ShownList {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.show-list/1";
}

/// A mutant of a run, with its result so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownMutant {
    /// The mutant.
    pub mutant: MutantDescription,
    /// The result.
    pub result: MutantResult,
}

/// `status --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// `hyperkill.status/1`.
    pub schema: String,
    /// The model.
    pub model: String,
    /// The state of the run.
    pub state: LockState,
    /// The error that stopped the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
    /// The number of mutants of the run.
    pub mutants: usize,
    /// The number of decided mutants.
    pub decided: usize,
    /// Counts over all mutants.
    pub summary: Summary,
    /// The time spent on parts of the run, with `--work`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<Timings>,
}

impl Status {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.status/1";
}
