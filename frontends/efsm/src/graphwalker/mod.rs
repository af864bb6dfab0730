//! Models of GraphWalker in JSON: walks through vertices and edges as machines. Names of edges are events, and the reached vertex is the
//! output.

mod assembly;
mod document;
mod elements;
mod late;
mod ranges;
mod script;
mod spelling;
mod steps;
mod values;
mod walks;

use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::tree::System;

pub(crate) use walks::Walks;

/// The spelling of guards and actions.
pub(crate) const LANGUAGE: Language = spelling::LANGUAGE;

/// Reads all models of a file as one machine, with these ranges of integers.
///
/// # Errors
/// The first error of the file, or all errors in its variables; never empty.
pub fn read_models(
    source: &SourceFile,
    ranges: &[(String, (i64, i64))],
) -> Result<System, Vec<Diagnostic>> {
    read_with_needed(source, ranges).map(|(system, _)| system)
}

/// Returns the system as [`read_models`] does, and the places of assignments without which a variable without a value would be read.
///
/// # Errors
/// As [`read_models`].
pub(crate) fn read_with_needed(
    source: &SourceFile,
    ranges: &[(String, (i64, i64))],
) -> Result<(System, Vec<Span>), Vec<Diagnostic>> {
    let elements = elements::read(&source.text)?;
    assembly::assembled(elements, ranges)
}
