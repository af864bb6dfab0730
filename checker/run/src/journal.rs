//! The journal of a run: a line for each decided mutant.

use crate::documents::JournalEntry;

/// A journal, read.
#[derive(Debug)]
pub struct Journal {
    /// The decided mutants, in the order in which they were decided.
    pub entries: Vec<JournalEntry>,
    /// Whether its last line is cut off or spoilt, as a run leaves it that was killed while it wrote.
    pub is_torn: bool,
}

/// A line of a journal, before the last one, that says nothing.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is not as hyperkill writes it")]
pub struct Spoilt {
    /// Which line, from 1.
    pub line: usize,
    /// The error of the JSON reader.
    pub source: serde_json::Error,
}

impl Journal {
    /// Reads a journal from its bytes.
    ///
    /// # Errors
    /// If a line before the last one is spoilt.
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
