//! Places of mutants in source texts, with lines and columns in the units of web pages.

use std::collections::BTreeMap;

use hyperkill_audit::documents::MutantDescription;
use serde::Serialize;

use crate::Source;

/// A range of characters in a text; the character at the end is not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// Line and column, both from 1. Columns count UTF-16 units, as in JavaScript, since web pages read them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Source texts of a model by name.
pub(crate) struct Texts<'a>(BTreeMap<&'a str, Text<'a>>);

struct Text<'a> {
    text: &'a str,
    /// Byte offsets at which the lines begin.
    lines: Vec<usize>,
}

impl<'a> Texts<'a> {
    pub(crate) fn of(sources: &'a [Source]) -> Texts<'a> {
        let mut texts = BTreeMap::new();
        for source in sources {
            // Among files of one name the first is used; mutants whose original text is not there have no location.
            texts
                .entry(source.name.as_str())
                .or_insert_with(|| Text::of(&source.text));
        }
        Texts(texts)
    }

    /// Returns the content of a file; empty if the file is not known.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.0.get(name).map_or("", |text| text.text)
    }

    /// Returns the file and the location of a mutant. `None` if the mutant has no place, or its original text is not at that place of the
    /// file.
    pub(crate) fn location(&self, mutant: &MutantDescription) -> Option<(String, Location)> {
        let place = mutant.place.as_ref()?;
        let text = self.0.get(place.file.as_str())?;
        let there = text.text.get(place.start..place.end)?;
        let is_so = (mutant.original.as_ref()).is_none_or(|original| original == there);
        let location = text.location(place.start, place.end)?;
        is_so.then(|| (place.file.clone(), location))
    }
}

impl<'a> Text<'a> {
    fn of(text: &'a str) -> Text<'a> {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Text {
            text,
            lines: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the location of a range of bytes; `None` if the range is not in the text. An empty range covers one character, so that it is
    /// visible.
    fn location(&self, start: usize, end: usize) -> Option<Location> {
        let mut end = end.max(start);
        if end == start {
            let next = self.text.get(end..)?.chars().next();
            end += next.filter(|&next| next != '\n').map_or(0, char::len_utf8);
        }
        Some(Location {
            start: self.position(start)?,
            end: self.position(end)?,
        })
    }

    fn position(&self, byte: usize) -> Option<Position> {
        let line = self.lines.partition_point(|&begin| begin <= byte);
        let begin = *self.lines.get(line.checked_sub(1)?)?;
        let before = self.text.get(begin..byte)?;
        Some(Position {
            line,
            column: before.encode_utf16().count() + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns_of_javascript() {
        let text = Text::of("ab\né𝄞 cd\n");
        let position = |line, column| Position { line, column };
        let expected = |start, end| Some(Location { start, end });
        let at = |start, end| text.location(start, end);
        assert_eq!(at(0, 2), expected(position(1, 1), position(1, 3)));
        // `é` is one UTF-16 unit, the clef two.
        assert_eq!(at(10, 12), expected(position(2, 5), position(2, 7)));
        assert_eq!(at(1, 5), expected(position(1, 2), position(2, 2)));
        assert_eq!(at(3, 3), expected(position(2, 1), position(2, 2)));
        assert_eq!(at(2, 2), expected(position(1, 3), position(1, 3)));
        assert_eq!(at(4, 5), None, "in the middle of a character");
        assert_eq!(at(0, 99), None);
    }
}
