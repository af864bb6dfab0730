//! The documents of a run about its mutants, and how a later process goes on from them.
//!
//! Outcomes of the checker become results, evidence, jobs and lines of the journal ([`results`], [`certificates`], [`jobs`],
//! [`journal`]), and so do verdicts of languages that decide their mutants themselves ([`own`]). The documents of an earlier process are
//! read back ([`resumption`]), and the verdicts of a run before an edit are carried over ([`carry_over`]). This package reads and writes
//! no files: the binary hands over those of a folder as [`hyperkill_audit::certification::Files`], and writes the documents that are made
//! here.

pub mod asked;
pub mod baseline;
pub mod carry_over;
pub mod certificates;
pub mod circuit;
pub mod decided;
pub mod folder;
pub mod jobs;
pub mod journal;
pub mod language;
pub mod life;
pub mod limits;
pub mod merge;
pub mod own;
pub mod patterns;
pub mod procedure;
pub mod results;
pub mod resumption;
pub mod selection;
pub mod sink;
pub mod unfit;

pub(crate) use hyperkill_audit::{documents, names};
