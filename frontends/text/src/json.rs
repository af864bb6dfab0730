//! JSON that knows its bytes: objects in their order, every part as the stretch of text that it is, and strings with the places of their
//! characters.

use std::fmt;
use std::marker::PhantomData;

use hyperkill_frontend::{Diagnostic, Span};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::cursor::BYTE_ORDER_MARK;

/// The members of an object, in their order.
#[derive(Debug)]
pub struct Members<T>(pub Vec<(String, T)>);

impl<T> Default for Members<T> {
    fn default() -> Members<T> {
        Members(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<T>, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Members<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

/// A part of the text that is JSON.
pub type Raw<'a> = &'a RawValue;

/// A text whose parts know their places.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Index of the file among the sources.
    pub file: usize,
    /// The whole text.
    pub text: &'a str,
    /// What it is if it has the right shape, without an article.
    pub what: &'static str,
    /// What to do if it has not.
    pub help: &'static str,
}

impl<'a> Text<'a> {
    /// Where a part is.
    #[must_use]
    pub fn span(self, part: Raw<'a>) -> Span {
        let start = (part.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        Span {
            file: self.file,
            start,
            end: start + part.get().len(),
        }
    }

    /// The text behind a byte order mark that begins it.
    #[must_use]
    pub fn unmarked(self) -> &'a str {
        self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text)
    }

    /// The whole text in a shape.
    ///
    /// # Errors
    /// If it is no JSON, or none of that shape.
    pub fn document<T: Deserialize<'a>>(self) -> Result<T, Diagnostic> {
        let text = self.unmarked();
        serde_json::from_str(text).map_err(|error| {
            let line = error.line().saturating_sub(1);
            let before = text.split_inclusive('\n').take(line);
            let start = self.text.len() - text.len() + before.map(str::len).sum::<usize>();
            let at = (start + error.column().saturating_sub(1)).min(self.text.len());
            self.wrong(at, &error)
        })
    }

    /// A part in a shape.
    ///
    /// # Errors
    /// If it has not that shape.
    pub fn shaped<T: Deserialize<'a>>(self, part: Raw<'a>) -> Result<T, Diagnostic> {
        serde_json::from_str(part.get()).map_err(|error| {
            let at = self.span(part).start;
            self.wrong(at, &error)
        })
    }

    fn wrong(self, at: usize, error: &serde_json::Error) -> Diagnostic {
        let mut message = error.to_string();
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        let span = Span {
            file: self.file,
            start: at,
            end: at,
        };
        Diagnostic::error(span, format!("this is no {}: {message}", self.what)).with_help(self.help)
    }

    /// What a string says; `None` if it is none.
    #[must_use]
    pub fn string(self, part: Raw<'a>) -> Option<String> {
        serde_json::from_str(part.get()).ok()
    }
}

/// A string without its escapes, whose characters know where they stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unescaped {
    /// What the string says.
    pub text: String,
    file: usize,
    /// Where characters stand, as bytes of `text` and of the file: one entry for each stretch without escapes.
    places: Vec<(usize, usize)>,
}

impl Unescaped {
    /// Where a stretch of [`Unescaped::text`] stands in the file.
    #[must_use]
    pub fn place(&self, span: Span) -> Span {
        Span {
            file: self.file,
            start: self.at(span.start),
            end: self.at(span.end),
        }
    }

    fn at(&self, byte: usize) -> usize {
        let before = self.places.partition_point(|(own, _)| *own <= byte);
        let (own, there) = self.places[before.saturating_sub(1)];
        there + (byte - own)
    }
}

impl<'a> Text<'a> {
    /// A string without its escapes; `None` if the part is none.
    #[must_use]
    pub fn unescaped(self, part: Raw<'a>) -> Option<Unescaped> {
        let text: String = serde_json::from_str(part.get()).ok()?;
        let start = self.span(part).start;
        let raw = part.get().as_bytes();
        // After the quotation mark both texts begin.
        let (mut own, mut there) = (0, 1);
        let mut places = vec![(own, start + there)];
        while own < text.len() {
            let length = text[own..].chars().next().map_or(1, char::len_utf8);
            if raw.get(there) == Some(&b'\\') {
                let is_unicode = raw.get(there + 1) == Some(&b'u');
                there += match (is_unicode, length) {
                    // Two halves of one character.
                    (true, 4) => 12,
                    (true, _) => 6,
                    (false, _) => 2,
                };
                own += length;
                places.push((own, start + there));
            } else {
                own += length;
                there += length;
            }
        }
        Some(Unescaped {
            text,
            file: self.file,
            places,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_strings_know_where_they_stand() {
        let file = r#"{"a": 1, "b": "x == \"y\" \u00e9\ud83d\ude00z\n"}"#;
        let text = Text {
            file: 0,
            text: file,
            what: "object",
            help: "write one",
        };
        let members: Members<Raw<'_>> = text.document().unwrap();
        let string = text.unescaped(members.0[1].1).unwrap();
        assert_eq!(string.text, "x == \"y\" é😀z\n");
        let of = |piece: &str| {
            let start = string.text.find(piece).unwrap();
            let span = Span::new(start, start + piece.len());
            string.place(span).of(file)
        };
        assert_eq!(of("x == "), "x == ");
        assert_eq!(of("\"y\""), r#"\"y\""#);
        assert_eq!(of("é"), r"\u00e9");
        assert_eq!(of("😀"), r"\ud83d\ude00");
        assert_eq!(of("z"), "z");
        assert_eq!(of("\n"), r"\n");
    }

    #[test]
    fn errors_are_where_the_text_goes_wrong() {
        let text = Text {
            file: 2,
            text: "{\n  \"a\": }",
            what: "object",
            help: "write one",
        };
        let error = text.document::<Members<Raw<'_>>>().unwrap_err();
        assert_eq!(error.span.map(|span| (span.file, span.start)), Some((2, 9)));
        assert!(error.message.starts_with("this is no object: "));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_document_but_counts_in_places() {
        let of = |text| Text {
            file: 0,
            text,
            what: "object",
            help: "write one",
        };
        let text = of("\u{feff}{\"a\": 12}");
        let members: Members<Raw<'_>> = text.document().unwrap();
        assert_eq!(text.span(members.0[0].1).of(text.text), "12");
        let wrong = ["\u{feff}{\"a\": }", "\u{feff}{\n\"a\": }"];
        for text in wrong {
            let error = of(text).document::<Members<Raw<'_>>>().unwrap_err();
            assert_eq!(error.span.map(|span| span.start), text.find('}'));
        }
        let twice = of("\u{feff}\u{feff}{}").document::<Members<Raw<'_>>>();
        assert_eq!(twice.unwrap_err().span.map(|span| span.start), Some(3));
    }
}
