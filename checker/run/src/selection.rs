//! Selection of mutants of the catalogue for a command.

use std::fmt;
use std::str::FromStr;

use hyperkill_audit::model::{Draft, Listing};
use hyperkill_core::mutant::{Mutant, MutantId};
use regex::Regex;
use sha2::{Digest, Sha256};

use crate::documents::build::published_name;
use crate::patterns::Globs;
use crate::unfit::Unfit;

/// A selection of mutants. Filters apply first, then the sample, then the shard. So the shards of a sample divide it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// Only these mutants, by ids or unique prefixes of ids.
    pub mutants: Vec<String>,
    /// Only mutants whose operator matches one of these globs.
    pub operators: Vec<String>,
    /// Only mutants in these lines.
    pub lines: Vec<Lines>,
    /// No mutant whose [`line()`] matches one of these regular expressions.
    pub exclude: Vec<String>,
    /// Only a sample of this size. The seed and the ids determine it.
    pub sample: Option<usize>,
    /// Only this part.
    pub shard: Option<Shard>,
    /// The seed of samples.
    pub seed: u64,
}

impl Selection {
    /// Returns the places of the selected mutants in the catalogue, ascending.
    ///
    /// # Errors
    /// If a pattern is malformed or matches nothing, or no mutant has a requested id.
    pub fn of(&self, listing: &Listing) -> Result<Vec<usize>, Unfit> {
        let mut selected = self.unsharded(listing)?;
        if let Some(shard) = self.shard {
            let rest = selected.into_iter().skip(shard.index);
            selected = rest.step_by(shard.count).collect();
        }
        Ok(selected)
    }

    /// Returns the places of the mutants that the selection has without its shard.
    ///
    /// # Errors
    /// As [`Selection::of`].
    pub fn unsharded(&self, listing: &Listing) -> Result<Vec<usize>, Unfit> {
        let all = listing.catalogue.iter();
        let all: Vec<Candidate<'_>> = all
            .map(|entry| (&entry.id, entry.mutant.as_ref()))
            .collect();
        self.among(&all, listing.sources.is_empty())
    }

    /// Returns the places of the mutants that the selection has without its shard, for a model before its invalid mutants are known.
    ///
    /// # Errors
    /// As [`Selection::of`].
    pub fn of_draft(&self, draft: &Draft) -> Result<Vec<usize>, Unfit> {
        let all = draft.listed.iter();
        let all: Vec<Candidate<'_>> = all
            .map(|listed| (&listed.id, listed.mutant.as_ref()))
            .collect();
        self.among(&all, draft.loaded.listing.sources.is_empty())
    }

    /// Whether the filters and the sample leave out no mutant.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let Selection {
            mutants,
            operators,
            lines,
            exclude,
            sample,
            shard: _,
            seed: _,
        } = self;
        let lists = [mutants, operators, exclude].into_iter();
        lists.map(Vec::len).sum::<usize>() + lines.len() == 0 && sample.is_none()
    }

    /// Returns the indices in `all` of the selected mutants, ascending, before the shard is taken. `is_table` marks an AIGER file, whose
    /// operators are checked only here.
    fn among(&self, all: &[Candidate<'_>], is_table: bool) -> Result<Vec<usize>, Unfit> {
        let mut selected: Vec<usize> = (0..all.len()).collect();
        if !self.mutants.is_empty() {
            let ids: Vec<&str> = all.iter().map(|(id, _)| id.0.as_str()).collect();
            let wanted = self.mutants.iter().map(|prefix| resolve(prefix, &ids));
            let wanted = wanted.collect::<Result<Vec<usize>, Unfit>>()?;
            selected.retain(|index| wanted.contains(index));
        }
        if let Some(globs) = Globs::compile("--operator", &self.operators)? {
            selected.retain(|&index| {
                let mutant = all[index].1;
                mutant.is_some_and(|mutant| is_of(&globs, &mutant.operator))
            });
            if is_table {
                globs.must_have_matched("mutant of the file's table")?;
            }
        }
        if !self.lines.is_empty() {
            selected.retain(|&index| {
                let mutant = all[index].1;
                mutant.is_some_and(|mutant| {
                    let (file, line) = (published_name(&mutant.place.file), mutant.place.line);
                    self.lines.iter().any(|lines| lines.have(&file, line))
                })
            });
        }
        for pattern in &self.exclude {
            let regex = Regex::new(pattern)
                .map_err(|error| Unfit::new(format!("--exclude {pattern}: {error}")))?;
            selected.retain(|&index| !regex.is_match(&line(all[index].0, all[index].1)));
        }
        if let Some(count) = self.sample {
            selected.sort_by_cached_key(|&index| rank(all[index].0, self.seed));
            selected.truncate(count);
            selected.sort_unstable();
        }
        Ok(selected)
    }
}

/// Whether globs match an operator. A mutant of higher order (`A+B`) matches if each of its operators does.
fn is_of(globs: &Globs, operator: &str) -> bool {
    let mut both = operator.split('+');
    globs.matches(operator) || both.all(|operator| globs.matches(operator))
}

/// Returns a mutant in one line, for the match of `--exclude`.
#[must_use]
pub fn line(id: &MutantId, mutant: Option<&Mutant>) -> String {
    let Some(mutant) = mutant else {
        return id.to_string();
    };
    let place = &mutant.place;
    let (original, replacement) = (&mutant.original, &mutant.replacement);
    format!(
        "{id} {} {}:{}:{} {original} ⇒ {replacement}",
        mutant.operator, place.file, place.line, place.column
    )
}

/// A mutant, with its description if it has one.
type Candidate<'a> = (&'a MutantId, Option<&'a Mutant>);

/// Returns the rank of a mutant for samples: a hash of its id, so that unrelated edits keep the sample.
fn rank(id: &MutantId, seed: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(id.0.as_bytes());
    hash.finalize().into()
}

/// Returns the index of the only id that is or starts with `text` (`m-` may be left out).
///
/// # Errors
/// If there is no such id, or more than one.
pub fn resolve(text: &str, ids: &[&str]) -> Result<usize, Unfit> {
    if let Some(index) = ids.iter().position(|id| *id == text) {
        return Ok(index);
    }
    let with_mark = format!("m-{text}");
    let starts: Vec<usize> = (0..ids.len())
        .filter(|&i| ids[i].starts_with(text) || ids[i].starts_with(&with_mark))
        .collect();
    match starts.as_slice() {
        [index] => Ok(*index),
        [] => Err(Unfit::new(format!("there is no mutant {text}"))
            .with_help("`hyperkill list` shows all mutants of a model")),
        [first, second, ..] => Err(Unfit::new(format!(
            "{text} is the start of {} mutants: {}, {}{}",
            starts.len(),
            ids[*first],
            ids[*second],
            if starts.len() > 2 { ", …" } else { "" }
        ))
        .with_help("write more of the id")),
    }
}

/// Part `index` of `count`; the index begins with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The index of the part.
    pub index: usize,
    /// The number of parts.
    pub count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            Some((_, count)) if count > 0 => {
                Err(format!("parts are counted from 0 to {}", count - 1))
            }
            _ => Err("write it like `0/4`: part and number of parts".to_owned()),
        }
    }
}

/// Lines of a file: `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lines {
    /// The name of the file, or its end.
    pub file: String,
    /// The first and the last line; `None` for all lines.
    pub lines: Option<(usize, usize)>,
}

impl Lines {
    /// Whether this line of a file is in the range. The end of a file's name also matches.
    #[must_use]
    pub fn have(&self, file: &str, line: usize) -> bool {
        let ends = |long: &str, short: &str| {
            let before = long.strip_suffix(short);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let is_file = !self.file.is_empty() && (ends(file, &self.file) || ends(&self.file, file));
        is_file
            && self
                .lines
                .is_none_or(|(first, last)| (first..=last).contains(&line))
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match self.lines {
            None => Ok(()),
            Some((first, last)) if first == last => write!(f, ":{first}"),
            Some((first, last)) => write!(f, ":{first}-{last}"),
        }
    }
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Lines, String> {
        let number = |text: &str| text.parse::<usize>().ok();
        let lines = text.rsplit_once(':').and_then(|(file, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Some((file, number(first)?, number(last)?))
        });
        match lines {
            None => Ok(Lines {
                file: text.to_owned(),
                lines: None,
            }),
            Some((_, first, last)) if first > last || first == 0 => {
                Err("lines count from 1, and the first line must not be after the last".to_owned())
            }
            Some((file, first, last)) => Ok(Lines {
                file: file.to_owned(),
                lines: Some((first, last)),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_unique_starts() {
        let ids = ["m-00ab", "m-01cd", "mut", "m-00"];
        let found = |text| resolve(text, &ids).map_err(|unfit| format!("{unfit:?}"));
        assert_eq!(found("m-01"), Ok(1));
        assert_eq!(found("01"), Ok(1));
        assert_eq!(found("mut"), Ok(2));
        assert_eq!(found("m-00"), Ok(3), "an exact id is no prefix");
        assert!(found("m-").unwrap_err().contains("3 mutants"));
        assert!(found("x").is_err());
    }

    #[test]
    fn shards_are_counted_from_zero() {
        assert_eq!("1/2".parse(), Ok(Shard { index: 1, count: 2 }));
        for wrong in ["2/2", "0/0", "1", "a/b", "/"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
