//! The question of a run as a document.

use hyperkill_audit::model::Listing;
use hyperkill_audit::names::digest;
use sha2::{Digest, Sha256};

use crate::documents::{self, Asked, ModelDescription, Reading, SourceDigest};
use crate::procedure::RunError;
use crate::selection::Selection;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The prefix of the option that selects one shard of the mutants.
const SHARD: &str = "--shard=";

/// Returns the document of the question of a run with these options. `selected` are the indices of the run's mutants in the catalogue of
/// the listing, and `reading` states how the model was read.
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

/// Returns the question of the unsharded run: the question without `--shard`. Its hashes stay the same.
pub fn without_shard(asked: &Asked) -> Asked {
    let mut whole = asked.clone();
    whole.options.retain(|option| !option.starts_with(SHARD));
    whole
}

/// Returns the document of a question, with its hashes. `places` are indices in the catalogue: first of all mutants of the unsharded run,
/// then of the mutants of this run.
///
/// # Errors
/// If a hashed part cannot be serialised, which the types exclude.
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

/// Whether two readings of a model agree, apart from the places of its files.
pub fn is_same_reading(one: &Reading, other: &Reading) -> bool {
    without_places(one) == without_places(other)
}

/// Returns the reading without the places of the model's files.
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

/// Options that select mutants, limit resources, or judge and use the results. A verdict means the same for all their values.
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

/// Whether verdicts of two runs have the same meaning: the runs have equal options, except those that select mutants, limit resources, or
/// judge the results.
#[must_use]
pub fn asks_the_same(one: &Asked, other: &Asked) -> bool {
    of_verdicts(one) == of_verdicts(other)
}

/// Returns the options that determine the meaning of a verdict: all except those in [`BESIDE`].
fn of_verdicts(asked: &Asked) -> Vec<&str> {
    let options = asked.options.iter().map(String::as_str);
    let options = options.filter(|option| {
        let name = option.split_once('=').map_or(*option, |(name, _)| name);
        !BESIDE.contains(&name)
    });
    options.collect()
}
