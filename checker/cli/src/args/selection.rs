//! Selection of mutants.

use clap::Args;

use hyperkill_run::selection::{Lines, Selection};

use super::plans::PartChoice;
use super::values;

/// Selection of mutants.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Which mutants")]
pub struct SelectionArgs {
    /// Only this mutant, by id or a unique prefix of its id; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Only mutants of these operators; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub operator: Vec<String>,
    /// Only mutants in this file, or in these lines of it; may be repeated
    #[arg(long = "file", value_name = "FILE[:LINES]")]
    pub lines: Vec<Lines>,
    /// Only mutants in lines that a difference adds or changes
    ///
    /// FILE is a difference, as `git diff` and `diff -u` write it. REV is a git revision, for the changes since then.
    #[arg(long, value_name = "FILE|REV", conflicts_with = "lines")]
    pub in_diff: Option<String>,
    /// Leave out mutants whose line in `hyperkill list` matches; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub exclude: Vec<String>,
    /// Only a sample of N mutants, chosen by id and --seed
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub sample: Option<usize>,
    /// Only part K of N, counted from 0, like `0/4`; `run --plan` takes the number K of a shard
    #[arg(long, value_name = "K/N")]
    pub shard: Option<PartChoice>,
}

impl SelectionArgs {
    /// Returns the selection of these options, with this seed for samples. `in_diff` must have been replaced by lines.
    #[must_use]
    pub fn selection(&self, seed: u64) -> Selection {
        let SelectionArgs {
            mutant,
            operator,
            lines,
            in_diff: _,
            exclude,
            sample,
            shard,
        } = self.clone();
        Selection {
            mutants: mutant,
            operators: operator,
            lines,
            exclude,
            sample,
            shard: match shard {
                Some(PartChoice::Of(shard)) => Some(shard),
                // The file of the shard lists its mutants.
                Some(PartChoice::Planned(_)) | None => None,
            },
            seed,
        }
    }
}
