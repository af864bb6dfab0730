//! The journal of a run: a line for each decided mutant.

use crate::documents::JournalEntry;

/// A parsed journal of a run.
#[derive(Debug)]
pub struct Journal {
    /// The decided mutants, in the order of their decisions.
    pub entries: Vec<JournalEntry>,
    /// Whether the last line is incomplete or malformed, for example since the process was killed while it wrote.
    pub is_torn: bool,
}

/// A malformed line before the last one.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is not as hyperkill writes it")]
pub struct Spoilt {
    /// The number of the line, from 1.
    pub line: usize,
    /// The error of the JSON reader.
    pub source: serde_json::Error,
}

impl Journal {
    /// Parses a journal.
    ///
    /// # Errors
    /// If a line before the last one is malformed.
    pub fn read(bytes: &[u8]) -> Result<Journal, Spoilt> {
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
                Err(source) => {
                    return Err(Spoilt {
                        line: number,
                        source,
                    });
                }
            }
        }
        Ok(journal)
    }
}
