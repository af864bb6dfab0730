//! Which mutants of the catalogue a command is about.

use hyperkill_core::mutant::{Mutant, MutantId};
use regex::Regex;
use sha2::{Digest, Sha256};

use crate::args::SelectionArgs;
use crate::documents::build::published_name;
use crate::failure::Failure;
use crate::languages;
use crate::model::{Draft, Listing};
use crate::patterns::Globs;
use crate::report::text::mutants::line;
use crate::session::{Level, Session};

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
    let all = listing.catalogue.iter();
    let all: Vec<Candidate<'_>> = all
        .map(|entry| (&entry.id, entry.mutant.as_ref()))
        .collect();
    let mut selected = unsharded(&all, listing.sources.is_empty(), args, seed)?;
    if let Some(shard) = args.shard {
        let rest = selected.into_iter().skip(shard.index);
        selected = rest.step_by(shard.count).collect();
    }
    Ok(selected)
}

/// Warns if no mutant is selected. If the usual operators make none of this model, the warning names the command that lists all
/// operators.
pub(crate) fn warn_of_none(
    session: &mut Session<'_>,
    listing: &Listing,
    args: &SelectionArgs,
    selected: &[usize],
) {
    if !selected.is_empty() {
        return;
    }
    let language = &listing.description.language;
    let has_operators = languages::by_name(language).is_ok_and(|of| !of.operators().is_empty());
    let text = match has_operators && args.is_everything() {
        true => format!(
            "the usual operators of {language} have nothing to change in this model: `hyperkill operators --language {language}` \
             lists all, also those that --operator has to ask for"
        ),
        false => "no mutant is selected".to_owned(),
    };
    session.say(Level::Warning, text);
}

/// Those of a model of which it is not known yet which of its mutants are models, before a part of them is taken.
///
/// # Errors
/// As [`select`].
pub(crate) fn select_listed(
    draft: &Draft,
    args: &SelectionArgs,
    seed: u64,
) -> Result<Vec<usize>, Failure> {
    let all = draft.listed.iter();
    let all: Vec<Candidate<'_>> = all
        .map(|listed| (&listed.id, listed.mutant.as_ref()))
        .collect();
    unsharded(&all, draft.loaded.listing.sources.is_empty(), args, seed)
}

/// A mutant, and where it comes from.
type Candidate<'a> = (&'a MutantId, Option<&'a Mutant>);

fn unsharded(
    all: &[Candidate<'_>],
    is_table: bool,
    args: &SelectionArgs,
    seed: u64,
) -> Result<Vec<usize>, Failure> {
    let mut selected: Vec<usize> = (0..all.len()).collect();
    if !args.mutant.is_empty() {
        let ids: Vec<&str> = all.iter().map(|(id, _)| id.0.as_str()).collect();
        let wanted = args
            .mutant
            .iter()
            .map(|prefix| resolve(prefix, &ids))
            .collect::<Result<Vec<usize>, Failure>>()?;
        selected.retain(|index| wanted.contains(index));
    }
    if let Some(globs) = Globs::compile("--operator", &args.operator)? {
        selected.retain(|&index| {
            all[index].1.is_some_and(|mutant| {
                // A mutant of a mutant has the operators of both.
                let mut both = mutant.operator.split('+');
                globs.matches(&mutant.operator) || both.all(|operator| globs.matches(operator))
            })
        });
        if is_table {
            globs.must_have_matched("mutant of the file's table")?;
        }
    }
    if !args.lines.is_empty() {
        selected.retain(|&index| {
            all[index].1.is_some_and(|mutant| {
                let (file, line) = (published_name(&mutant.place.file), mutant.place.line);
                args.lines.iter().any(|lines| lines.have(&file, line))
            })
        });
    }
    for pattern in &args.exclude {
        let regex = Regex::new(pattern)
            .map_err(|error| Failure::usage(format!("--exclude {pattern}: {error}")))?;
        selected.retain(|&index| !regex.is_match(&line(all[index].0, all[index].1)));
    }
    if let Some(count) = args.sample {
        selected.sort_by_cached_key(|&index| rank(all[index].0, seed));
        selected.truncate(count);
        selected.sort_unstable();
    }
    Ok(selected)
}

/// Where a mutant stands in the queue for samples: by content, so that unrelated edits keep the sample.
fn rank(id: &MutantId, seed: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(id.0.as_bytes());
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
