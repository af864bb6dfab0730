//! Source texts and places in them, without access to files.

use hyperkill_core::mutant::Place;
use serde::{Deserialize, Serialize};

/// A source text with the name given by the user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// The file name given by the user; `-` for standard input.
    pub name: String,
    /// The complete text.
    pub text: String,
    /// The name by which other sources include it. Such a file is read only at these places.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub included: Option<String>,
}

impl SourceFile {
    /// Returns a source text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile {
            name: name.into(),
            text: text.into(),
            included: None,
        }
    }
}

/// A range of bytes of a source file.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// Index of the file among the sources of the model.
    pub file: usize,
    /// The index of the first byte.
    pub start: usize,
    /// The index after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the span of the bytes `start..end` of the first file.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            file: 0,
            start,
            end,
        }
    }

    /// Returns the smallest span that contains both spans, in the file of `self`.
    #[must_use]
    pub fn to(self, end: Span) -> Span {
        Span {
            file: self.file,
            start: self.start.min(end.start),
            end: self.end.max(end.end),
        }
    }

    /// Whether the spans have a byte in common.
    #[must_use]
    pub fn overlaps(self, other: Span) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }

    /// Returns the text of the span; empty if it does not lie on characters of `text`.
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

/// The number of bytes between places with a precomputed count of characters.
const STRIDE: usize = 256;

/// Returns the number of characters that start in a slice of text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

impl<'a> LineIndex<'a> {
    /// Returns the index of the lines of a text, which it scans once.
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

    /// Returns the line of a byte offset, from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Returns line and column of a byte offset, from 1. Columns count characters, as editors do, without a byte order mark at the
    /// beginning.
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

    /// Returns the place of a span for a [`hyperkill_core::mutant::Mutant`] in the file called `file`.
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
