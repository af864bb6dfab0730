//! The journal of the run in a folder.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use hyperkill_run::journal::Journal;

use super::JOURNAL;
use crate::failure::Failure;

/// Reads it.
///
/// # Errors
/// If it cannot be read, or a line before the last one is spoilt.
pub(crate) fn read(dir: &Path) -> Result<Journal, Failure> {
    let path = dir.join(JOURNAL);
    let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Journal::read(&bytes).map_err(|spoilt| {
        let (path, line) = (path.display(), spoilt.line);
        let what = format!("line {line} of {path} is not as hyperkill writes it");
        Failure::from(anyhow!(spoilt.source).context(what)).with_help(
            "put back what it was, or delete the line: its mutant then counts as not decided",
        )
    })
}
