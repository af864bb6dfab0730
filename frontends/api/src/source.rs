//! Source texts and places in them. Never touches the file system.

use hyperkill_core::mutant::Place;
use serde::{Deserialize, Serialize};

/// A source text with the name the user gave it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// File name as the user gave it; `-` for standard input.
    pub name: String,
    /// The complete text.
    pub text: String,
    /// If other sources include it: how they name it. Such a file is read where it is included, and nowhere else.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub included: Option<String>,
}

impl SourceFile {
    /// A source text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            name: name.into(),
            text: text.into(),
            included: None,
        }
    }
}

/// A stretch of bytes of one source file.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// Index of the file among the sources of the model.
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end` of the first file.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            file: 0,
            start,
            end,
        }
    }

    /// Returns the smallest span that contains both. The file is that of `self`.
    #[must_use]
    pub fn to(self, end: Span) -> Span {
        Span {
            file: self.file,
            start: self.start.min(end.start),
            end: self.end.max(end.end),
        }
    }

    /// Whether something stands in both.
    #[must_use]
    pub fn overlaps(self, other: Span) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }

    /// The text there; empty if the span does not lie on characters of `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// The starts of the lines of a text. It finds lines and columns without another pass over the text.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The number of characters that start before each multiple of [`STRIDE`] bytes, so that a long line is not scanned from its start each
    /// time.
    characters: Vec<usize>,
}

/// Bytes between the places where characters are counted in advance.
const STRIDE: usize = 256;

/// Returns the number of characters that start in a slice of text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

impl<'a> LineIndex<'a> {
    /// Reads the text once.
    #[must_use]
    pub fn new(text: &'a str) -> LineIndex<'a> {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let mut counts = vec![0];
        let mut count = 0;
        for chunk in text.as_bytes().chunks(STRIDE) {
            count += characters(chunk);
            counts.push(count);
        }
        LineIndex {
            text,
            starts: std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect(),
            characters: counts,
        }
    }

    /// Line of a byte offset, from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Line and column of a byte offset, from 1; columns count characters, as editors do: without a byte order mark that begins the text.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.starts[line - 1];
        let marks = line == 1 && offset > 0 && self.text.starts_with('\u{feff}');
        let characters = self.before(offset) - self.before(start);
        (line, characters - usize::from(marks) + 1)
    }

    /// Returns the number of characters that start before a byte.
    fn before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let chunk = offset / STRIDE;
        self.characters[chunk] + characters(&self.text.as_bytes()[chunk * STRIDE..offset])
    }

    /// The place of a span, for a [`hyperkill_core::mutant::Mutant`] in the file called `file`.
    #[must_use]
    pub fn place(&self, file: &str, span: Span) -> Place {
        let (line, column) = self.line_column(span.start);
        Place {
            file: file.to_owned(),
            start: span.start,
            end: span.end,
            line,
            column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let index = LineIndex::new("aε b\n\ncd");
        assert_eq!(index.line_column(0), (1, 1));
        assert_eq!(index.line_column(3), (1, 3));
        assert_eq!(index.line_column(5), (1, 5));
        assert_eq!(index.line_column(6), (2, 1));
        assert_eq!(index.line_column(8), (3, 2));
        assert_eq!(index.line_column(9), (3, 3));
        assert_eq!(index.line_column(99), (3, 3));
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        let index = LineIndex::new("\u{feff}ab\nc");
        let columns = [0, 3, 4, 6].map(|offset| index.line_column(offset));
        assert_eq!(columns, [(1, 1), (1, 1), (1, 2), (2, 1)]);
        assert_eq!(LineIndex::new("\u{feff}").line_column(3), (1, 1));
    }

    #[test]
    fn a_span_off_the_text_or_inside_a_character_is_empty() {
        assert_eq!(Span::new(1, 3).of("aε"), "ε");
        assert_eq!(Span::new(2, 3).of("aε"), "");
        assert_eq!(Span::new(3, 9).of("aε"), "");
    }
}
