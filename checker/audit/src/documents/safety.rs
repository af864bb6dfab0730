//! The answers to safety properties of an AIGER file, in the form of `hyperkill.check/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::formula::{FormulaTrace, TruthWord};
use super::valuation::Valuation;

/// `verify --format json` without a formula.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SafetyReport {
    /// `hyperkill.check/1`.
    pub schema: String,
    /// Name of the file, `-` for standard input.
    pub model: String,
    /// The seed of all random decisions.
    pub seed: u64,
    /// One answer per property, in the order of the file.
    pub results: Vec<SafetyResult>,
}

/// Whether a bad state can be reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SafetyResult {
    /// The property: `b0`, `b1`, … for bad states; `j0`, `j1`, … for justice properties, which hold if no fair run meets them; `o0`, `o1`,
    /// … if a file of the old format has outputs for bad states; `deadlock-free` and `input-enabled` with `--totality`; a keyword such as
    /// `LTLSPEC` for a specification that `--specs` does not check.
    pub property: String,
    /// The name in the symbol table of the file. For a specification: its name or its text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The answer. The property holds if the bad state is unreachable.
    pub verdict: TruthWord,
    /// If the property fails: the number of steps of the run, which was replayed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// If the property holds: the number of clauses of the invariant, which was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clauses: Option<usize>,
    /// If the answer is unknown: no run of at most this many steps reaches the bad state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// The reason if the answer is unknown: bound, time, memory, interrupted, engines (the selected engines can do no more); `not-checked`
    /// for specifications that are no invariants.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The file with the witness or the certificate, with `--witness`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
    /// With `--specs`, if the property fails: the run. Its outputs include all variables that are no inputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<FormulaTrace>,
    /// With `--totality`, if the property fails: the variables by name at each step of the run. The last state has no successor, so it has
    /// no inputs and choices.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub run: Vec<Valuation>,
    /// With `--totality`: the inputs that the last state of the run refuses. Missing if it refuses all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<Valuation>,
    /// Remarks on the answers of other programs and their checks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// The seconds spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}
