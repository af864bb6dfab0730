//! The question of a run as a document.

use hyperkill_audit::model::Listing;
use hyperkill_audit::names::digest;
use sha2::{Digest, Sha256};

use crate::documents::{self, Asked, ModelDescription, Reading, SourceDigest};
use crate::procedure::RunError;
use crate::selection::Selection;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The option that takes a part of the mutants.
const SHARD: &str = "--shard=";

/// What is asked of a run with these options, about the mutants of a listing at these places of the catalogue. `reading` is how the
/// model was read.
///
/// # Errors
/// If the selection does not fit the model.
pub fn document(
    options: Vec<String>,
    (listing, reading): (&Listing, &Reading),
    selection: &Selection,
    selected: &[usize],
) -> Result<Asked, RunError> {
    let all = selection.unsharded(listing)?;
    let model = (&listing.description, reading);
    let places = [all.as_slice(), selected];
    Ok(sealed(VERSION.to_owned(), options, model, listing, places)?)
}

/// The same of the whole run that a part is of.
pub fn without_shard(asked: &Asked) -> Asked {
    let mut whole = asked.clone();
    whole.options.retain(|option| !option.starts_with(SHARD));
    whole
}

/// The document with its hashes, over all mutants and those of this run at these places.
///
/// # Errors
/// If nothing can be hashed, which the types exclude.
pub fn sealed(
    version: String,
    options: Vec<String>,
    model: (&ModelDescription, &Reading),
    listing: &Listing,
    places: [&[usize]; 2],
) -> Result<Asked, serde_json::Error> {
    let [all, selected] = places.map(|places| -> Vec<&str> {
        let entries = places.iter().map(|&place| &listing.catalogue[place]);
        entries.map(|entry| entry.id.0.as_str()).collect()
    });
    let (shard, rest): (Vec<&String>, Vec<&String>) =
        options.iter().partition(|option| option.starts_with(SHARD));
    let reading = without_places(model.1);
    let whole = hash(&(&version, model.0, &reading, rest, &all))?;
    let hash = hash(&(&whole, shard, selected))?;
    Ok(Asked {
        schema: Asked::SCHEMA.to_owned(),
        version,
        options,
        mutants: all.len(),
        whole,
        hash,
    })
}

fn hash(of: &impl serde::Serialize) -> Result<String, serde_json::Error> {
    Ok(digest(Sha256::new_with_prefix(documents::to_line(of)?)))
}

/// Whether a model was read alike, wherever that was.
pub fn is_same_reading(one: &Reading, other: &Reading) -> bool {
    without_places(one) == without_places(other)
}

/// How a model was read, wherever that was.
fn without_places(reading: &Reading) -> Reading {
    let sources = reading.sources.iter();
    let sources = sources.map(|source| SourceDigest {
        place: None,
        ..source.clone()
    });
    Reading {
        places: Vec::new(),
        sources: sources.collect(),
        ..reading.clone()
    }
}

/// Options that say which mutants are decided, how long that may take and what is made of it, but not what a verdict is.
const BESIDE: [&str; 14] = [
    "--mutant",
    "--operator",
    "--file",
    "--in-diff",
    "--exclude",
    "--sample",
    "--shard",
    "--timeout",
    "--total-timeout",
    "--memory",
    "--accept",
    "--fail-under",
    "--no-minimise",
    "--accept-mutant",
];

/// Whether verdicts of two runs mean the same.
#[must_use]
pub fn asks_the_same(one: &Asked, other: &Asked) -> bool {
    of_verdicts(one) == of_verdicts(other)
}

/// The options that say what a verdict is.
fn of_verdicts(asked: &Asked) -> Vec<&str> {
    let options = asked.options.iter().map(String::as_str);
    let options = options.filter(|option| {
        let name = option.split_once('=').map_or(*option, |(name, _)| name);
        !BESIDE.contains(&name)
    });
    options.collect()
}
