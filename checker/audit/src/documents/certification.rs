//! `certify --format json`: the checked evidence of a run, and its faults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::ModelDescription;

/// The report on the evidence of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CertifyReport {
    /// `hyperkill.certify/1`.
    pub schema: String,
    /// The model. Missing if its file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<ModelDescription>,
    /// The numbers of claims that were checked without a fault.
    pub checked: Vec<Checked>,
    /// The faults that were found.
    pub faults: Vec<Fault>,
    /// Claims that could not be checked within the limits.
    pub open: Vec<Fault>,
    /// Claims without stored evidence, which were not checked.
    #[serde(default)]
    pub not_covered: Vec<String>,
    /// With `--hwmcc`: the number of proofs that were written as circuits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub circuits: Option<Circuits>,
}

impl CertifyReport {
    /// Name and version of the document's schema: the value of its field `schema`.
    pub const SCHEMA: &'static str = "hyperkill.certify/1";
}

/// Numbers of proofs, by whether they were written as safety problems with witness circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Circuits {
    /// The number of proofs that were written.
    pub written: usize,
    /// The number of proofs without such a form: proofs by induction of more than one step, about strategies, or by sets of positions.
    pub other: usize,
}

/// The number of correct claims of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// The kind of claim.
    pub what: String,
    /// The number of claims.
    pub count: usize,
    /// The method of the check.
    pub how: String,
}

/// A claim that is wrong, or that could not be checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The file of the folder, the mutant or the test.
    pub place: String,
    /// The fault, in a sentence.
    pub what: String,
}
