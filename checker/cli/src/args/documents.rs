//! Documents by name.

use clap::ValueEnum;
use schemars::Schema;

use crate::documents::{
    Certificate, CertifyReport, CheckReport, CompletenessReport, Digests, FormulaReport,
    JournalEntry, MutantTable, Run, RunEvidence, SafetyReport, Suite, Timings,
};

/// The documents with a published schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DocumentName {
    /// `check --format json`.
    Check,
    /// `verify --formula … --format json`.
    CheckFormula,
    /// `verify --format json` without a formula.
    CheckSafety,
    /// `verify --suite … --format json`.
    Completeness,
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
            DocumentName::Completeness => schemars::schema_for!(CompletenessReport),
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
