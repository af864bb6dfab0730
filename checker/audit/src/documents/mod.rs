//! The JSON documents that hyperkill writes for other programs: one type per document, and its schema.
//!
//! These types are the contract of `formats.md`. Adding a field is compatible; any other change needs a new number in the `schema` of the
//! document. The types hold data only; [`build`] fills them.

mod answer;
mod answered;
pub mod bits;
pub mod build;
mod certificate;
mod certification;
mod check;
mod earlier;
mod execution;
mod folder;
mod formula;
mod guidelines;
mod log;
mod model;
mod plan;
pub mod reading;
mod reference;
mod result;
mod safety;
mod score;
mod show;
mod strategy;
mod summary;
pub mod times;
mod valuation;

pub use hyperkill_core::events;

pub use answer::{
    AnswerCertificate, AnswerEvidence, AnsweredSystem, Answers, BeyondEvidence, CopyEvidence,
    ExclusionEvidence, InclusionEvidence, RefutedEvidence, ResponseEvidence, StatementEvidence,
    TraceEvidence, TracesEvidence, WithstoodEvidence,
};
pub use answered::{answered, initial, traces, unanswered};
pub use certificate::{
    AcceptedRelationsEvidence, AcceptedSetsEvidence, AimWord, BeginningEvidence, BreachEvidence,
    Certificate, ClaimWord, ClauseEvidence, ClosedSetEvidence, EstimatesEvidence, FactEvidence,
    KillEvidence, LiteralEvidence, OptionsEvidence, OwnKillEvidence, PairWord, Place,
    PositionEvidence, PreferenceWord, ProofEvidence, QuestionEvidence, RelationWord, RunEvidence,
    Shown, SideWord, SimulationEvidence, SteeredEvidence, TreeState, TreeStep, ValidityEvidence,
};
pub use certification::{CertifyReport, Checked, Circuits, Fault};
pub use check::CheckReport;
pub use earlier::EarlierSuite;
pub use execution::{
    ExecCounts, ExecReport, ExecVerdict, ExecutedRun, ExecutedTest, LeftOut, SeenStep,
};
pub use folder::{
    ArchivedFile, Asked, CompleteWord, CompletenessReport, Digests, DomainResult, FileDigest,
    JournalEntry, Lock, LockState, QueryReport, QueryResult, Run, Suite, SuiteKill, SuiteModel,
    SuiteTest, SurvivorResult, TestRuns,
};
pub use formula::{
    FormulaReport, FormulaResult, FormulaStep, FormulaTrace, ReadingWord, TruthWord,
};
pub use guidelines::OperatorResult;
pub use log::{LogLevel, LogLine, LogPlace, Progress};
pub use model::{
    ChangeDescription, MadeDigest, MadeWord, ModelDescription, MutantDescription, MutantTable,
    PlaceDescription, PortDescription, Reading, Signature, SourceDigest, StatusWord, netlist_name,
};
pub use plan::{
    Basis, DoneShard, Estimate, Matrix, Plan, PlanStatus, PlannedShard, ShardState, ShardStatus,
};
pub use reference::{
    EngineDescription, EnginesReport, LanguageOperators, OperatorDescription, OperatorsReport,
};
pub use result::{
    DefiniteWord, Evidence, MutantResult, PotentialResult, Refusal, StrengthWord, Test, TestStep,
    VerdictWord, WindowDocument,
};
pub use safety::{SafetyReport, SafetyResult};
pub use score::{ScoreCounts, ScoreReport, ScoreResult, Scored, ScoredMutant};
pub use show::{Choices, Hidden, ShownInFull, ShownList, ShownMutant, Status};
pub use strategy::{Machine, MachineBranch, MachineState, Tree, TreeBranch};
pub use summary::{Interval, Score, Summary};
pub use times::{MutantTime, PartTime, ThreadTime, Timings, WorkDone};
pub use valuation::Valuation;

use serde::Serialize;

use crate::terminal::{harmless, is_harmless};

/// Returns a document as indented text with a line end. Equal values give equal bytes.
///
/// # Errors
/// If the document cannot be written as JSON. The document types exclude this.
pub fn to_text(document: &impl Serialize) -> serde_json::Result<String> {
    Ok(of_json(serde_json::to_string_pretty(document)?))
}

/// Returns a document as one line of JSON, with the line end.
///
/// # Errors
/// As [`to_text`].
pub fn to_line(document: &impl Serialize) -> serde_json::Result<String> {
    Ok(of_json(serde_json::to_string(document)?))
}

/// Returns JSON with a line end, and with control characters for terminals escaped. A document may be large, so it is copied only if it has
/// such characters.
fn of_json(json: String) -> String {
    let mut text = match is_harmless(&json) {
        true => json,
        false => harmless(&json),
    };
    text.push('\n');
    text
}
