//! A run: mutants that are selected, a procedure that settles them, and the documents about both.
//!
//! A run begins with a model, whose files the binary reads and [`load`] makes a circuit of: a [`procedure::Procedure`]. Circuits
//! ([`circuit`]) are settled by the rounds of the checker, models of languages that decide their mutants themselves ([`language`]) by the
//! procedures of the language ([`own`]). A [`procedure::Task`] says which mutants are settled ([`selection`]), and how. [`life::Life`]
//! carries the task out in a folder, from the beginning or from the documents of an earlier process ([`resumption`]); [`merge`] makes one
//! run of the parts of one, and [`carry_over`] takes verdicts from the run of an earlier version of the
//! model. A [`plan`] cuts a run into shards for schedulers.
//!
//! Verdicts become results, evidence, jobs and lines of the journal ([`results`], [`certificates`], [`jobs`], [`journal`]), the question is
//! kept in [`asked`] and told by [`question`], and the end of a run is a [`decided::Decided`].
//!
//! This package only computes. Its [`folder`] is on a disk that the caller brings ([`folder::file_system::FileSystem`]), and a
//! [`stored_run`] reads it. The package tells a [`sink::Sink`] what happens, and has its time, threads and memory from [`limits::Limits`]
//! and the caller.

pub mod asked;
pub mod baseline;
pub mod carry_over;
pub mod certificates;
pub mod changed_lines;
pub mod circuit;
pub mod decided;
pub mod folder;
pub mod jobs;
pub mod journal;
pub mod language;
pub mod life;
pub mod limits;
pub mod load;
pub mod merge;
pub mod nondeterminism;
pub mod own;
pub mod pace;
pub mod patterns;
pub mod plan;
pub mod procedure;
pub mod question;
pub mod reading;
pub mod results;
pub mod resumption;
pub mod selection;
pub mod sink;
pub mod stored_run;
pub mod translated;
pub mod unfit;

pub(crate) use hyperkill_audit::{documents, names};
