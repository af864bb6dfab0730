//! Scoring: how many mutants of a run a command, a set of tests or the properties of the model notice.
//!
//! [`report::begun`] lists the killable mutants; [`command`], [`tests`] and [`specs`] determine which of them are noticed. Tests come
//! from suites and from files of other programs: [`table`], [`waves`], [`walks`].

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
