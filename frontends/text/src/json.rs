//! JSON with places: objects in their order, parts as slices of the text, and strings with the places of their characters.

use std::fmt;
use std::marker::PhantomData;

use hyperkill_frontend::{Diagnostic, Span};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::cursor::BYTE_ORDER_MARK;
use crate::excerpt::Excerpt;
use crate::source::Source;

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

/// A part of a JSON text that is itself JSON, as a slice of the text.
pub type Raw<'a> = &'a RawValue;

/// A JSON text, with methods that return its parts and their places.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Index of the file among the sources.
    pub file: usize,
    /// The complete text.
    pub text: &'a str,
    /// The name of the expected kind of document, without an article, for messages.
    pub what: &'static str,
    /// The suggestion for a text that is no such document.
    pub help: &'static str,
}

impl<'a> Text<'a> {
    /// Returns the place of a part of this text in the file.
    #[must_use]
    pub fn span(self, part: Raw<'a>) -> Span {
        self.source().span(part.get())
    }

    fn source(self) -> Source<'a> {
        Source {
            file: self.file,
            text: self.text,
        }
    }

    /// Returns the text after an initial byte order mark.
    #[must_use]
    pub fn unmarked(self) -> &'a str {
        self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text)
    }

    /// Reads the complete text as a value of a type.
    ///
    /// # Errors
    /// If it is no JSON, or has another shape.
    pub fn document<T: Deserialize<'a>>(self) -> Result<T, Diagnostic> {
        let text = self.unmarked();
        serde_json::from_str(text).map_err(|error| {
            let start = Source {
                text,
                ..self.source()
            }
            .start_of_line(error.line());
            let start = self.text.len() - text.len() + start;
            let at = (start + error.column().saturating_sub(1)).min(self.text.len());
            self.wrong(at, &error)
        })
    }

    /// Returns the documents of a text that consists of several, one after the other.
    ///
    /// # Errors
    /// If one of them is no JSON.
    pub fn documents(self) -> Result<Vec<Raw<'a>>, Diagnostic> {
        let unmarked = self.unmarked();
        let mark = self.text.len() - unmarked.len();
        let mut found = Vec::new();
        let mut stream = serde_json::Deserializer::from_str(unmarked).into_iter();
        loop {
            let at = mark + stream.byte_offset();
            match stream.next() {
                None => return Ok(found),
                Some(Ok(raw)) => found.push(raw),
                Some(Err(error)) => {
                    let blank = self.text.get(at..).unwrap_or_default();
                    return Err(self.wrong(at + blank.len() - blank.trim_start().len(), &error));
                }
            }
        }
    }

    /// Reads a part as a value of a type.
    ///
    /// # Errors
    /// If it has another shape.
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

    /// Returns the value of a string; `None` for other JSON values.
    #[must_use]
    pub fn string(self, part: Raw<'a>) -> Option<String> {
        serde_json::from_str(part.get()).ok()
    }
}

impl<'a> Text<'a> {
    /// Returns a string without its escapes; `None` if the part is no string.
    #[must_use]
    pub fn unescaped(self, part: Raw<'a>) -> Option<Excerpt> {
        let text: String = serde_json::from_str(part.get()).ok()?;
        let Span { file, start, end } = self.span(part);
        let raw = part.get().as_bytes();
        let mut excerpt = Excerpt::empty(file, end.saturating_sub(1));
        // Both texts begin after the quotation mark.
        let (mut own, mut there) = (0, 1);
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            if raw.get(there) == Some(&b'\\') {
                let is_unicode = raw.get(there + 1) == Some(&b'u');
                let length = match (is_unicode, character.len_utf8()) {
                    // A surrogate pair is one character.
                    (true, 4) => 12,
                    (true, _) => 6,
                    (false, _) => 2,
                };
                excerpt.push_escape(character, (start + there, start + there + length));
                there += length;
                own += character.len_utf8();
            } else {
                let raw = raw.get(there..).unwrap_or_default();
                let length = raw.iter().position(|byte| matches!(byte, b'\\' | b'"'));
                let length = length.unwrap_or(raw.len());
                let plain = text.get(own..own + length).unwrap_or_default();
                excerpt.push(plain, (start + there, start + there + length));
                there += length;
                own += length;
                rest = text.get(own..).unwrap_or_default().chars();
            }
        }
        Some(excerpt)
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
        assert_eq!(string.plain, "x == \"y\" é😀z\n");
        let of = |piece: &str| {
            let start = string.plain.find(piece).unwrap();
            string.span(start, start + piece.len()).of(file)
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
