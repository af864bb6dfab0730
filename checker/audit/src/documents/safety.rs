//! Plain safety properties of an AIGER file, as in `hyperkill.check/1`.

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
    /// Seed of everything random.
    pub seed: u64,
    /// One answer per property, in the order of the file.
    pub results: Vec<SafetyResult>,
}

/// Whether a bad state can be reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SafetyResult {
    /// `deadlock-free` and `input-enabled` with `--totality`; a keyword such as `LTLSPEC` for what `--specs` does not check;
    /// `b0`, `b1`, …; `j0`, `j1`, … of justice properties, which hold if no fair run meets them; `o0`, `o1`, … where a file of the old
    /// format says bad by outputs.
    pub property: String,
    /// Its name in the file's symbol table; of a specification its name or its text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// It holds if the bad state is never reached.
    pub verdict: TruthWord,
    /// Where it fails: length of the run found, which was replayed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// Where it holds: clauses of the invariant, which was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clauses: Option<usize>,
    /// Where it is unknown: no run of at most so many steps reaches the bad state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known_to: Option<usize>,
    /// Why it is unknown: bound, time, memory, interrupted, engines (those asked for have nothing more to try); `not-checked` for
    /// specifications that are no invariants.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The file with the witness or the certificate, with `--witness`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
    /// With `--specs`, where it fails: the run, with all variables that are no inputs as outputs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traces: Vec<FormulaTrace>,
    /// With `--totality`, where it fails: variables by name and value at each step of the run; of its last state, which has no
    /// successor, no inputs and choices.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub run: Vec<Valuation>,
    /// With `--totality`: the inputs that the last state of the run refuses. Missing if it refuses all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<Valuation>,
    /// What other programs answered, and what came of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// Time spent on it, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}
