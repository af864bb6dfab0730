//! Which mutants a command is about.

use clap::Args;

use super::values::{self, Lines, Shard};

/// Which mutants.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Which mutants")]
pub struct SelectionArgs {
    /// Only this mutant, by id or a unique start of it; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Only mutants of these operators; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub operator: Vec<String>,
    /// Only mutants in this file, or in these lines of it; may be repeated
    #[arg(long = "file", value_name = "FILE[:LINES]")]
    pub lines: Vec<Lines>,
    /// Only mutants in lines that a difference adds or changes: that in a file, as `git diff` and `diff -u` write it, or what
    /// has changed since a revision that git knows
    #[arg(long, value_name = "FILE|REV", conflicts_with = "lines")]
    pub in_diff: Option<String>,
    /// No mutants whose line in `hyperkill list` matches; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub exclude: Vec<String>,
    /// Only N of them, chosen by id and --seed
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub sample: Option<usize>,
    /// Only the K-th of N parts, counted from zero
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

impl SelectionArgs {
    /// Whether no mutant is left out that the usual operators make.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let SelectionArgs {
            mutant,
            operator,
            lines,
            in_diff,
            exclude,
            sample,
            shard,
        } = self;
        let lists = [mutant, operator, exclude].into_iter();
        lists.map(Vec::len).sum::<usize>() + lines.len() == 0
            && in_diff.is_none()
            && sample.is_none()
            && shard.is_none()
    }
}

/// Which mutants a circuit is read with.
#[derive(Clone, Debug)]
pub enum Taken {
    /// Those that are selected, with the seed of samples. A part of them is taken later, so that all parts are of one circuit.
    Selected(SelectionArgs, u64),
    /// Those that an earlier run took: their ids, a line each.
    Listed(String),
}
