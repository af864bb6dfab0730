//! What is told of a run: documents for programs, text for people.

pub(crate) mod results;
pub mod text;
