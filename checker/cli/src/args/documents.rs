//! Names of documents with a schema.

use clap::ValueEnum;
use schemars::Schema;

use crate::documents::{
    AnswerCertificate, Answers, ArchivedFile, Asked, Certificate, CertifyReport, CheckReport,
    CompletenessReport, Digests, DoneShard, EarlierSuite, EnginesReport, ExecReport, FormulaReport,
    JournalEntry, LogLine, MutantTable, OperatorsReport, Plan, PlanStatus, QueryReport, Run,
    RunEvidence, SafetyReport, ScoreReport, ShownInFull, ShownList, Status, Suite, Timings,
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
    /// `verify --format json` of a model of timed processes.
    Queries,
    /// `outcomes.json`.
    Outcomes,
    /// `suite.json`.
    Suite,
    /// `mutants.json` and `list --format json`.
    Mutants,
    /// `asked.json`.
    Asked,
    /// `earlier.json`.
    Earlier,
    /// `plan.json`.
    Plan,
    /// `shard-K/done.json` of a plan.
    Shard,
    /// `status --format json` of a plan.
    PlanStatus,
    /// A line of `journal.jsonl`.
    Journal,
    /// A line of `archive.jsonl`.
    Archive,
    /// `timings.json`.
    Timings,
    /// `certificates/*.json`.
    Certificate,
    /// `tests/*.run.json`: a test of the suite, bit by bit.
    TestRun,
    /// `answers.json`: answers to a formula, written by `verify -o`.
    Answers,
    /// `certificates/*.json` beside `answers.json`.
    Answer,
    /// `digests.json`.
    Digests,
    /// `certify --format json`.
    Certify,
    /// `show ID --format json`.
    Show,
    /// `show --format json` without an id.
    ShowList,
    /// `status --format json`.
    Status,
    /// `exec --format json`.
    Exec,
    /// `score --format json`.
    Score,
    /// `operators --format json`.
    Operators,
    /// `engines --format json`.
    Engines,
    /// A line of standard error with `--log-format json`.
    Log,
    /// `hyperkill.toml`.
    Config,
}

impl DocumentName {
    /// Returns the JSON Schema of the document.
    #[must_use]
    pub fn schema(self) -> Schema {
        match self {
            DocumentName::Check => schemars::schema_for!(CheckReport),
            DocumentName::CheckFormula => schemars::schema_for!(FormulaReport),
            DocumentName::CheckSafety => schemars::schema_for!(SafetyReport),
            DocumentName::Completeness => schemars::schema_for!(CompletenessReport),
            DocumentName::Queries => schemars::schema_for!(QueryReport),
            DocumentName::Outcomes => schemars::schema_for!(Run),
            DocumentName::Suite => schemars::schema_for!(Suite),
            DocumentName::Mutants => schemars::schema_for!(MutantTable),
            DocumentName::Asked => schemars::schema_for!(Asked),
            DocumentName::Earlier => schemars::schema_for!(EarlierSuite),
            DocumentName::Plan => schemars::schema_for!(Plan),
            DocumentName::Shard => schemars::schema_for!(DoneShard),
            DocumentName::PlanStatus => schemars::schema_for!(PlanStatus),
            DocumentName::Journal => schemars::schema_for!(JournalEntry),
            DocumentName::Archive => schemars::schema_for!(ArchivedFile),
            DocumentName::Timings => schemars::schema_for!(Timings),
            DocumentName::Certificate => schemars::schema_for!(Certificate),
            DocumentName::TestRun => schemars::schema_for!(RunEvidence),
            DocumentName::Answers => schemars::schema_for!(Answers),
            DocumentName::Answer => schemars::schema_for!(AnswerCertificate),
            DocumentName::Digests => schemars::schema_for!(Digests),
            DocumentName::Certify => schemars::schema_for!(CertifyReport),
            DocumentName::Show => schemars::schema_for!(ShownInFull),
            DocumentName::ShowList => schemars::schema_for!(ShownList),
            DocumentName::Status => schemars::schema_for!(Status),
            DocumentName::Exec => schemars::schema_for!(ExecReport),
            DocumentName::Score => schemars::schema_for!(ScoreReport),
            DocumentName::Operators => schemars::schema_for!(OperatorsReport),
            DocumentName::Engines => schemars::schema_for!(EnginesReport),
            DocumentName::Log => schemars::schema_for!(LogLine),
            DocumentName::Config => super::in_files::schema(),
        }
    }
}
