//! What commands about a run print as JSON: `show` and `status`.

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
    /// The mutant, with its difference to the source.
    pub mutant: MutantDescription,
    /// What is known of it, if it has been decided.
    pub result: Option<MutantResult>,
    /// With `--hidden`: what the runs behind its kill chose where nobody sees it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hidden: Option<Hidden>,
}

impl ShownInFull {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.show/1";
}

/// What is chosen in a run of the model and in one of a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hidden {
    /// In that of the model.
    pub model: Choices,
    /// In that of the mutant.
    pub mutant: Choices,
}

/// What is chosen in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Choices {
    /// First values, by latch.
    pub initial: Valuation,
    /// Choices, step by step.
    pub steps: Vec<Valuation>,
}

/// `show --format json`: mutants of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownList {
    /// `hyperkill.show-list/1`.
    pub schema: String,
    /// The model.
    pub model: String,
    /// How far the run is.
    pub state: LockState,
    /// How many mutants the run has.
    pub of: usize,
    /// Those asked for, in catalogue order.
    pub mutants: Vec<ShownMutant>,
}

impl ShownList {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.show-list/1";
}

/// A mutant of a run, with what is known of it so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownMutant {
    /// The mutant.
    pub mutant: MutantDescription,
    /// What is known of it.
    pub result: MutantResult,
}

/// `status --format json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// `hyperkill.status/1`.
    pub schema: String,
    /// The model.
    pub model: String,
    /// How far the run is.
    pub state: LockState,
    /// Why it was stopped by an error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
    /// How many mutants it has.
    pub mutants: usize,
    /// How many of them are decided.
    pub decided: usize,
    /// Numbers over all of them.
    pub summary: Summary,
    /// Where the time went, with `--work`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<Timings>,
}

impl Status {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.status/1";
}
