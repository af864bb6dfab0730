//! A run: selected mutants, a procedure that decides them, and documents about both.
//!
//! A run begins with a model. The binary reads its files, and [`load`] makes a circuit of them: a [`procedure::Procedure`]. The rounds of
//! the checker decide mutants of circuits ([`circuit`]). A language with a procedure of its own decides its mutants itself ([`language`],
//! [`own`]). A [`procedure::Task`] selects the mutants ([`selection`]) and the means. [`life::Life`] carries the task out in a folder, from
//! the beginning or from the documents of an earlier process ([`resumption`]). [`merge`] joins the parts of a run. [`carry_over`] takes
//! verdicts from the run of an earlier version of the model. A [`plan`] cuts a run into shards for schedulers.
//!
//! Verdicts become results, evidence, jobs and journal lines ([`results`], [`certificates`], [`jobs`], [`journal`]). [`asked`] keeps the
//! question, [`question`] parses it, and [`decided::Decided`] is the end of a run.
//!
//! This package only computes. Its [`folder`] is on a disk that the caller brings ([`folder::file_system::FileSystem`]), and a
//! [`stored_run`] reads it. The package tells a [`sink::Sink`] what happens, and has its time, threads and memory from [`limits::Limits`]
//! and the caller.
//!
//! The example `runs` of the package `hyperkill` runs, resumes and certifies a model with typed values. Parts work alone, such as the
//! selection of mutants by a diff:
//!
//! ```
//! use hyperkill_run::changed_lines::changed_lines;
//!
//! let diff = "--- a/lamp.smv\n+++ b/lamp.smv\n@@ -7,1 +7,1 @@\n-  old : 1;\n+  new : 2;\n";
//! let lines = changed_lines(diff).expect("a diff");
//! assert_eq!(lines.len(), 1);
//! assert_eq!(changed_lines("no diff"), None);
//! ```

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
