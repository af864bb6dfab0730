//! Everything that may notice the mutants of a run: a command, tests, or the properties of the model.
//!
//! [`report::begun`] lists the mutants that can be killed; [`command`], [`tests`] and [`specs`] say which of them are noticed. Tests come
//! from suites and files of other programs: [`table`], [`waves`], [`walks`].

pub mod beyond;
pub mod command;
pub mod deciding;
mod error;
pub mod inputs;
pub mod pattern;
pub mod report;
pub mod specs;
pub mod table;
pub mod tests;
pub mod walks;
pub mod waves;

pub use error::ScoreError;
