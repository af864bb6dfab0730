//! Compares the question in a folder with its other documents.

use hyperkill_audit::model::Listing;

use super::document::{VERSION, sealed};
use super::options::Options;
use crate::documents::{self, Asked, MutantTable, Run};
use crate::procedure::RunError;

/// Whether the question in a folder is the one that its other documents answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// The question fits the documents, or the folder has no question.
    So,
    /// The question does not fit the documents.
    Otherwise,
    /// Another version wrote the question.
    Unknown,
}

/// Compares the bytes of the question in a folder with the mutants and the verdicts there.
///
/// # Errors
/// If a hashed part cannot be serialised, which the types exclude.
pub fn is_so(
    bytes: &[u8],
    listing: &Listing,
    table: &MutantTable,
    run: &Run,
) -> Result<Said, RunError> {
    let asked = serde_json::from_slice::<Asked>(bytes).ok();
    let (Some(asked), Some(reading)) = (asked, &table.reading) else {
        return Ok(Said::Otherwise);
    };
    let Ok(options) = Options::read(&asked.options) else {
        return Ok(match asked.version == VERSION {
            true => Said::Otherwise,
            false => Said::Unknown,
        });
    };
    let selection = &options.selection;
    let Ok(selected) = selection.of(listing) else {
        return Ok(Said::Otherwise);
    };
    let whole = selection.unsharded(listing)?;
    let model = (&listing.description, reading);
    let places = [whole.as_slice(), selected.as_slice()];
    let expected = sealed(asked.version, asked.options, model, listing, places)?;
    let is_same = documents::to_text(&expected)?.as_bytes() == bytes;
    Ok(match is_same && selection.seed == run.seed {
        true => Said::So,
        false => Said::Otherwise,
    })
}
