//! Mutants as data: places, replacements, and ids that survive unrelated edits.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The id of a mutant: `m-` and 10 hex digits (formats.md, "Mutant ids"), or the text after `mut:` in a file of another tool.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MutantId(pub String);

impl MutantId {
    /// Returns an id derived from the content: a hash of operator, normalised path of the place, original text and replacement.
    #[must_use]
    pub fn derive(operator: &str, place: &str, original: &str, replacement: &str) -> MutantId {
        MutantId::of_texts(&[operator, place, original, replacement])
    }

    /// Returns the id of the mutant that makes all these changes. One change keeps its id; for several changes the id is derived from all
    /// of them, independent of their order.
    #[must_use]
    pub fn of_changes(changes: &[MutantId]) -> MutantId {
        if let [change] = changes {
            return change.clone();
        }
        let mut texts: Vec<&str> = changes.iter().map(|change| change.0.as_str()).collect();
        texts.sort_unstable();
        // This first text separates the hash of four ids from a hash of operator, place, original and replacement.
        texts.insert(0, "changes");
        MutantId::of_texts(&texts)
    }

    fn of_texts(texts: &[&str]) -> MutantId {
        let mut hash = Sha256::new();
        for text in texts {
            // Lengths distinguish ("ab", "c") from ("a", "bc").
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        let digits: String = hash
            .finalize()
            .iter()
            .take(5)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        MutantId(format!("m-{digits}"))
    }
}

impl fmt::Display for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A place in a source file: byte offsets, and line and column (1-based, in characters) of the start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// File name as the user gave it.
    pub file: String,
    /// First byte of the place.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Line of `start`, from 1.
    pub line: usize,
    /// Column of `start`, from 1, in characters.
    pub column: usize,
}

impl Place {
    /// Whether two changes at these places leave each other's text unchanged. Two insertions at one point do not, since their order is
    /// open.
    #[must_use]
    pub fn is_apart_from(&self, other: &Place) -> bool {
        let (here, there) = ((self.start, self.end), (other.start, other.end));
        let (first, second) = (here.min(there), here.max(there));
        self.file != other.file || (first != second && first.1 <= second.0)
    }
}

/// A change of a source text: the bytes from `start` to `end` are replaced.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// First byte of the place.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The source text there.
    pub original: String,
    /// Replacement; empty for a deletion.
    pub replacement: String,
}

/// Separator between the texts of several changes.
const BETWEEN: &str = " … ";

/// A mutation of a source text. A mutant with one change replaces the span by the replacement; otherwise `changes` contains the changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mutant {
    /// Id, independent of the run and of edits elsewhere.
    pub id: MutantId,
    /// Name of the mutation operator.
    pub operator: String,
    /// Structural path of the place, independent of unrelated edits.
    pub path: String,
    /// Place in the source. For several changes: from the first change to the last.
    pub place: Place,
    /// Source text at the place. For several changes: their source texts, separated by ` … `.
    pub original: String,
    /// Text of the mutant at the place; empty for a deletion. For several changes: their replacements, separated by ` … `.
    pub replacement: String,
    /// The changes in ascending order, if there are several. The text between them is unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

impl Mutant {
    /// Returns all changes of the source text, ascending.
    #[must_use]
    pub fn all_changes(&self) -> Vec<Change> {
        match self.changes.is_empty() {
            false => self.changes.clone(),
            true => vec![Change {
                start: self.place.start,
                end: self.place.end,
                original: self.original.clone(),
                replacement: self.replacement.clone(),
            }],
        }
    }

    /// Returns a mutant with these changes, ascending. The triple contains id, operator and path; the place spans all changes.
    #[must_use]
    pub fn of_changes(
        (id, operator, path): (MutantId, String, String),
        place: Place,
        changes: Vec<Change>,
    ) -> Mutant {
        let joined = |of: fn(&Change) -> &str| -> String {
            let texts: Vec<&str> = changes.iter().map(of).collect();
            texts.join(BETWEEN)
        };
        Mutant {
            id,
            operator,
            path,
            place,
            original: joined(|change| &change.original),
            replacement: joined(|change| &change.replacement),
            changes: if changes.len() > 1 {
                changes
            } else {
                Vec::new()
            },
        }
    }
}

/// A mutation operator of a front end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operator {
    /// Short name, as in `--operator`.
    pub name: String,
    /// One sentence: the replaced construct and its replacement.
    pub summary: String,
    /// A small example, `before ⇒ after`.
    pub example: String,
}

/// State of a generated mutant before the engines decide it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Disposition {
    /// A separate circuit, behind a selector.
    Live,
    /// Stillborn: type error, value out of range, combinational cycle, no initial state.
    Invalid {
        /// The reason, as a sentence.
        reason: String,
    },
    /// The same circuit as another mutant.
    DuplicateOf {
        /// The mutant that is kept: the first in catalogue order.
        of: MutantId,
    },
}
