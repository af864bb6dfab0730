//! `certify --format json`: what was checked of a run, and what is wrong with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::ModelDescription;

/// The report on the evidence of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CertifyReport {
    /// `hyperkill.certify/1`.
    pub schema: String,
    /// The model; missing if that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<ModelDescription>,
    /// How much of what was found to be as it should.
    pub checked: Vec<Checked>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What could not be checked within the limits.
    pub open: Vec<Fault>,
    /// What was not checked, since no evidence of it is kept.
    #[serde(default)]
    pub not_covered: Vec<String>,
    /// With `--hwmcc`, what became of proofs as circuits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub circuits: Option<Circuits>,
}

impl CertifyReport {
    /// What `schema` says.
    pub const SCHEMA: &'static str = "hyperkill.certify/1";
}

/// Proofs that were written as safety problems with witness circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Circuits {
    /// How many.
    pub written: usize,
    /// How many proofs have no such form: by more than one step of induction, about strategies, or sets of positions.
    pub other: usize,
}

/// How many claims of a kind are as they should.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Kind of claim.
    pub what: String,
    /// How many.
    pub count: usize,
    /// How they were checked.
    pub how: String,
}

/// Something that is not as it should, or not known to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// A file in the folder, a mutant or a test.
    pub place: String,
    /// What is wrong.
    pub what: String,
}
