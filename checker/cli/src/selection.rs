//! Which mutants of the catalogue a command is about.

use regex::Regex;
use sha2::{Digest, Sha256};

use crate::args::SelectionArgs;
use crate::catalogue::Entry;
use crate::documents::build::published_name;
use crate::failure::Failure;
use crate::model::Listing;
use crate::patterns::Globs;
use crate::report::text::mutants::line;

/// Indices into the catalogue, ascending.
///
/// Filters come first, then the sample, then the shard, so that the shards of one sample are its parts.
///
/// # Errors
/// If a pattern is malformed or matches nothing, or no mutant has an id asked for.
pub(crate) fn select(
    listing: &Listing,
    args: &SelectionArgs,
    seed: u64,
) -> Result<Vec<usize>, Failure> {
    let catalogue = &listing.catalogue;
    let mut selected: Vec<usize> = (0..catalogue.len()).collect();
    if !args.mutant.is_empty() {
        let ids: Vec<&str> = catalogue.iter().map(|entry| entry.id.0.as_str()).collect();
        let wanted = args
            .mutant
            .iter()
            .map(|prefix| resolve(prefix, &ids))
            .collect::<Result<Vec<usize>, Failure>>()?;
        selected.retain(|index| wanted.contains(index));
    }
    if let Some(globs) = Globs::compile("--operator", &args.operator)? {
        selected.retain(|&index| {
            let mutant = catalogue[index].mutant.as_ref();
            mutant.is_some_and(|mutant| {
                // A mutant of a mutant has the operators of both.
                let mut both = mutant.operator.split('+');
                globs.matches(&mutant.operator) || both.all(|operator| globs.matches(operator))
            })
        });
        if listing.sources.is_empty() {
            globs.must_have_matched("mutant of the file's table")?;
        }
    }
    if !args.lines.is_empty() {
        selected.retain(|&index| {
            let mutant = catalogue[index].mutant.as_ref();
            mutant.is_some_and(|mutant| {
                let (file, line) = (published_name(&mutant.place.file), mutant.place.line);
                args.lines.iter().any(|lines| lines.have(&file, line))
            })
        });
    }
    for pattern in &args.exclude {
        let regex = Regex::new(pattern)
            .map_err(|error| Failure::usage(format!("--exclude {pattern}: {error}")))?;
        selected.retain(|&index| !regex.is_match(&line(&catalogue[index])));
    }
    if let Some(count) = args.sample {
        selected.sort_by_cached_key(|&index| rank(&catalogue[index], seed));
        selected.truncate(count);
        selected.sort_unstable();
    }
    if let Some(shard) = args.shard {
        selected = selected
            .into_iter()
            .skip(shard.index)
            .step_by(shard.count)
            .collect();
    }
    Ok(selected)
}

/// Where a mutant stands in the queue for samples: by content, so that unrelated edits keep the sample.
fn rank(entry: &Entry, seed: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(entry.id.0.as_bytes());
    hash.finalize().into()
}

/// The index of the id that is, or alone starts with, what the user wrote (`m-` may be left out).
///
/// # Errors
/// If there is none, or more than one.
pub(crate) fn resolve(text: &str, ids: &[&str]) -> Result<usize, Failure> {
    if let Some(index) = ids.iter().position(|id| *id == text) {
        return Ok(index);
    }
    let with_mark = format!("m-{text}");
    let starts: Vec<usize> = (0..ids.len())
        .filter(|&i| ids[i].starts_with(text) || ids[i].starts_with(&with_mark))
        .collect();
    match starts.as_slice() {
        [index] => Ok(*index),
        [] => Err(Failure::usage(format!("there is no mutant {text}"))
            .with_help("`hyperkill list` shows all mutants of a model")),
        [first, second, ..] => Err(Failure::usage(format!(
            "{text} is the start of {} mutants: {}, {}{}",
            starts.len(),
            ids[*first],
            ids[*second],
            if starts.len() > 2 { ", …" } else { "" }
        ))
        .with_help("write more of the id")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_unique_starts() {
        let ids = ["m-00ab", "m-01cd", "mut", "m-00"];
        let found = |text| resolve(text, &ids).map_err(|failure| format!("{failure:?}"));
        assert_eq!(found("m-01"), Ok(1));
        assert_eq!(found("01"), Ok(1));
        assert_eq!(found("mut"), Ok(2));
        assert_eq!(found("m-00"), Ok(3), "an exact id is no prefix");
        assert!(found("m-").unwrap_err().contains("3 mutants"));
        assert!(found("x").is_err());
    }
}
