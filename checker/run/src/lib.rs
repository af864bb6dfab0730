//! What a run writes down of its mutants, and how a later process goes on from there.
//!
//! Outcomes of the checker become results, evidence, jobs and lines of the journal ([`results`], [`certificates`], [`jobs`],
//! [`journal`]), and so do verdicts of languages that decide their mutants themselves ([`own`]). What an earlier process has written is
//! read back ([`resumption`]), and what a run before an edit has found out is carried over ([`carry_over`]). It reads and writes no
//! files: who has a folder hands over its files as [`hyperkill_audit::certification::Files`], and writes the texts that are made here.

pub mod carry_over;
pub mod certificates;
pub mod jobs;
pub mod journal;
pub mod own;
pub mod results;
pub mod resumption;

pub(crate) use hyperkill_audit::documents;
