//! The journal of a run: a line for each decided mutant.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};

use super::JOURNAL;
use crate::documents::JournalEntry;
use crate::failure::Failure;

/// What a journal says.
#[derive(Debug)]
pub(crate) struct Journal {
    /// The decided mutants, in the order in which they were decided.
    pub entries: Vec<JournalEntry>,
    /// Whether its last line is cut off or spoilt, as a run leaves it that was killed while it wrote.
    pub is_torn: bool,
}

/// Reads the journal of the run in a folder.
///
/// # Errors
/// If it cannot be read, or a line before the last one is spoilt.
pub(crate) fn read(dir: &Path) -> Result<Journal, Failure> {
    let path = dir.join(JOURNAL);
    let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut journal = Journal {
        entries: Vec::new(),
        is_torn: false,
    };
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').peekable();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let is_last = lines.peek().is_none();
        match serde_json::from_slice(line) {
            Ok(entry) if line.ends_with(b"\n") => journal.entries.push(entry),
            Ok(_) | Err(_) if is_last => journal.is_torn = true,
            Ok(_) => {}
            Err(error) => {
                let path = path.display();
                let what = format!("line {number} of {path} is not as hyperkill writes it");
                return Err(Failure::from(anyhow!(error).context(what)).with_help(
                    "put back what it was, or delete the line: its mutant then counts as not decided",
                ));
            }
        }
    }
    Ok(journal)
}
