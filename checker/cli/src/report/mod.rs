//! What is told of a run: documents for programs, text for people.

pub mod text;
