//! A plan: a run cut into shards, which other machines decide.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::ModelDescription;

/// `plan.json`: the shards of a run, written when everything that they need is there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// `hyperkill.plan/1`.
    pub schema: String,
    /// The version of hyperkill that made the plan. Shards are decided by the same version.
    pub version: String,
    /// The model.
    pub model: ModelDescription,
    /// The options of the run, as in `asked.json`.
    pub options: Vec<String>,
    /// The hash of the question of the run: `whole` in `asked.json`.
    pub whole: String,
    /// The number of selected mutants.
    pub mutants: usize,
    /// The number of mutants that the plan has decided. Invalid mutants count as decided.
    pub decided: usize,
    /// The estimated time for the mutants of all shards.
    pub estimate: Estimate,
    /// The shards, by their numbers. Each mutant without a verdict is in one of them.
    pub shards: Vec<PlannedShard>,
    /// SHA-256 over all this.
    pub hash: String,
}

impl Plan {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.plan/1";
}

/// An estimate of the time that undecided mutants take.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The basis of the estimate.
    pub by: Basis,
    /// Time of one thread for all undecided mutants, in seconds.
    pub seconds: f64,
    /// The median error of the estimate for mutants with a known time, as a part of that time. Missing without an earlier run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<f64>,
}

/// The basis of an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The part of the model that a verdict depends on; a mutant of mean size is taken for one second.
    Cone,
    /// The times of an earlier run: of the same mutant, else of its operator by size.
    Timings,
}

/// A shard of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedShard {
    /// Its file in the folder of the plan: a circuit with its mutants, or a list of them.
    pub file: String,
    /// SHA-256 of the file.
    pub digest: String,
    /// SHA-256 of the circuit without comments, if the file is a circuit: the circuit of its certificates.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub circuit: Option<String>,
    /// The number of its mutants.
    pub mutants: usize,
    /// The estimated time of one thread, in seconds.
    pub seconds: f64,
}

/// `shard-K/done.json`: a shard that was decided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoneShard {
    /// `hyperkill.shard/1`.
    pub schema: String,
    /// The hash of the plan.
    pub plan: String,
    /// The number of the shard.
    pub shard: usize,
    /// The folder of the attempt that decided it, beside this file.
    pub attempt: String,
}

impl DoneShard {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.shard/1";
}

/// `submit --to matrix`: the shards as the matrix of a pipeline has them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The numbers of the shards.
    pub shard: Vec<usize>,
}

/// `status --format json` of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanStatus {
    /// `hyperkill.plan-status/1`.
    pub schema: String,
    /// The name of the model.
    pub model: String,
    /// The number of selected mutants.
    pub mutants: usize,
    /// The number of mutants that the plan or a shard has decided so far.
    pub decided: usize,
    /// Estimated seconds of one thread for the mutants without a verdict.
    pub seconds_left: f64,
    /// The shards, by their numbers.
    pub shards: Vec<ShardStatus>,
}

impl PlanStatus {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.plan-status/1";
}

/// The state of a shard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShardStatus {
    /// Its state.
    pub state: ShardState,
    /// The number of its mutants.
    pub mutants: usize,
    /// The number of mutants that its farthest attempt has decided.
    pub decided: usize,
    /// The number of attempts.
    pub attempts: usize,
    /// Estimated seconds of one thread.
    pub seconds: f64,
    /// Seconds spent on the mutants that are decided.
    pub spent: f64,
    /// The last failure, if an attempt failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
}

/// The state of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShardState {
    /// No attempt was made.
    Waiting,
    /// An attempt goes on on this machine, or its state cannot be seen from this machine.
    Running,
    /// The last attempt was stopped.
    Stopped,
    /// The last attempt failed.
    Failed,
    /// It is decided.
    Done,
}
