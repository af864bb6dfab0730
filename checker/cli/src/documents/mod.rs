//! What hyperkill writes for other programs: one type per JSON document, and its schema.
//!
//! These types are the contract of `formats.md`: adding a field is free, anything else needs a new number in the
//! document's `schema`. They hold data only; [`build`] fills them.

pub mod build;
mod certificate;
mod certified;
mod folder;
mod formula;
mod model;
mod result;
mod safety;
mod strategy;
mod summary;
mod valuation;

pub use certificate::{
    AcceptedSetsEvidence, AimWord, Certificate, ClaimWord, ClauseEvidence, ClosedSetEvidence,
    FactEvidence, KillEvidence, LiteralEvidence, OptionsEvidence, PairWord, Place,
    PositionEvidence, PreferenceWord, ProofEvidence, QuestionEvidence, RelationWord, RunEvidence,
    Shown, SideWord, SteeredEvidence, TreeState, TreeStep,
};
pub use certified::{CertifyReport, Checked, Circuits, Fault};
pub use folder::{
    Digests, FileDigest, JournalEntry, Lock, LockState, MutantTime, Run, Suite, SuiteKill,
    SuiteModel, SuiteTest, TestRuns, Timings,
};
pub use formula::{
    FormulaReport, FormulaResult, FormulaStep, FormulaTrace, ReadingWord, TruthWord,
};
pub use model::{
    ModelDescription, MutantDescription, MutantTable, PlaceDescription, PortDescription, Reading,
    Signature, SourceDigest, StatusWord, netlist_name,
};
pub use result::{
    CheckReport, DefiniteWord, Evidence, MutantResult, PotentialResult, Refusal, StrengthWord,
    Test, TestStep, VerdictWord,
};
pub use safety::{SafetyReport, SafetyResult};
pub use strategy::{Machine, MachineBranch, MachineState, Tree, TreeBranch};
pub use summary::{Interval, Score, Summary};
pub use valuation::Valuation;

use clap::ValueEnum;
use schemars::Schema;
use serde::Serialize;

use crate::render::terminal::harmless;

/// The documents with a published schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DocumentName {
    /// `check --format json`.
    Check,
    /// `verify --formula … --format json`.
    CheckFormula,
    /// `verify --format json` without a formula.
    CheckSafety,
    /// `outcomes.json`.
    Outcomes,
    /// `suite.json`.
    Suite,
    /// `mutants.json` and `list --format json`.
    Mutants,
    /// A line of `journal.jsonl`.
    Journal,
    /// `timings.json`.
    Timings,
    /// `certificates/*.json`.
    Certificate,
    /// `tests/*.run.json`: a test of the suite, bit by bit.
    TestRun,
    /// `digests.json`.
    Digests,
    /// `certify --format json`.
    Certify,
}

impl DocumentName {
    /// Its JSON Schema.
    #[must_use]
    pub fn schema(self) -> Schema {
        match self {
            DocumentName::Check => schemars::schema_for!(CheckReport),
            DocumentName::CheckFormula => schemars::schema_for!(FormulaReport),
            DocumentName::CheckSafety => schemars::schema_for!(SafetyReport),
            DocumentName::Outcomes => schemars::schema_for!(Run),
            DocumentName::Suite => schemars::schema_for!(Suite),
            DocumentName::Mutants => schemars::schema_for!(MutantTable),
            DocumentName::Journal => schemars::schema_for!(JournalEntry),
            DocumentName::Timings => schemars::schema_for!(Timings),
            DocumentName::Certificate => schemars::schema_for!(Certificate),
            DocumentName::TestRun => schemars::schema_for!(RunEvidence),
            DocumentName::Digests => schemars::schema_for!(Digests),
            DocumentName::Certify => schemars::schema_for!(CertifyReport),
        }
    }
}

/// A document as text: indented, with a line end. The same value always gives the same bytes.
///
/// # Errors
/// If it cannot be written as JSON, which its types exclude.
pub fn to_text(document: &impl Serialize) -> anyhow::Result<String> {
    let mut text = harmless(&serde_json::to_string_pretty(document)?);
    text.push('\n');
    Ok(text)
}

/// A document in one line, with its end.
///
/// # Errors
/// As [`to_text`].
pub fn to_line(document: &impl Serialize) -> anyhow::Result<String> {
    Ok(harmless(&serde_json::to_string(document)?) + "\n")
}
