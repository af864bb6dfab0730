//! Texts inside XML: what they say, and which bytes of the file say it.

use hyperkill_frontend::{Diagnostic, Span};

/// The text of an element, without entities and CDATA marks, and where each byte of it comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// What it says.
    pub plain: String,
    /// The stretches in their order.
    pieces: Vec<Piece>,
    /// One past the last byte in the file.
    end: usize,
}

/// A stretch of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    /// Where it begins in what is said.
    plain: usize,
    /// Its bytes in the file.
    file: (usize, usize),
    /// Whether it is one character that is written as an entity.
    is_entity: bool,
}

impl Text {
    /// A text that stands in the file as it is.
    #[must_use]
    pub fn as_it_is(source: &str) -> Text {
        Text::of_stretches(source, &[(0, source.len())])
    }

    /// Stretches of a file as they are, one behind the other.
    #[must_use]
    pub fn of_stretches(source: &str, stretches: &[(usize, usize)]) -> Text {
        let mut text = Text {
            end: stretches.last().map_or(source.len(), |(_, end)| *end),
            ..Text::default()
        };
        for (start, end) in stretches {
            let plain = source.get(*start..*end).unwrap_or("");
            text.piece(plain, (*start, *end), false);
        }
        text
    }

    /// The text between two bytes of a file.
    ///
    /// # Errors
    /// If an entity is not one of XML's own.
    pub fn read(source: &str, start: usize, end: usize) -> Result<Text, Diagnostic> {
        let mut text = Text {
            end,
            ..Text::default()
        };
        let mut at = start;
        while at < end {
            let rest = source.get(at..end).unwrap_or("");
            if let Some(inside) = rest.strip_prefix("<![CDATA[") {
                let length = inside.find("]]>").unwrap_or(inside.len());
                text.piece(&inside[..length], (at + 9, at + 9 + length), false);
                at += 9 + length + 3;
            } else if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |length| length + 3);
            } else if rest.starts_with('&') {
                let length = rest.find(';').map_or(rest.len(), |length| length + 1);
                let name = &rest[..length];
                let Some(character) = character(name) else {
                    let span = Span::new(at, at + length.min(40));
                    return Err(Diagnostic::error(span, "this entity is none of XML's own"));
                };
                text.piece(character.encode_utf8(&mut [0; 4]), (at, at + length), true);
                at += length;
            } else {
                let Some(first) = rest.chars().next().map(char::len_utf8) else {
                    break;
                };
                let length = rest[first..].find(['&', '<']);
                let length = length.map_or(rest.len(), |length| first + length);
                text.piece(&rest[..length], (at, at + length), false);
                at += length;
            }
        }
        Ok(text)
    }

    fn piece(&mut self, plain: &str, file: (usize, usize), is_entity: bool) {
        self.pieces.push(Piece {
            plain: self.plain.len(),
            file,
            is_entity,
        });
        self.plain.push_str(plain);
    }

    fn piece_at(&self, byte: usize) -> Option<&Piece> {
        let index = self.pieces.partition_point(|piece| piece.plain <= byte);
        self.pieces.get(index.checked_sub(1)?)
    }

    /// The bytes of the file that say a stretch of the text.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let inside = start < self.plain.len();
        let from = match self.piece_at(start).filter(|_| inside) {
            None => self.end,
            Some(piece) if piece.is_entity => piece.file.0,
            Some(piece) => piece.file.0 + (start - piece.plain),
        };
        let to = match end.checked_sub(1).and_then(|last| self.piece_at(last)) {
            None => from,
            Some(piece) if piece.is_entity => piece.file.1,
            Some(piece) => (piece.file.0 + (end - piece.plain)).min(piece.file.1),
        };
        Span::new(from, to.max(from))
    }
}

/// The character that an entity stands for.
fn character(entity: &str) -> Option<char> {
    let name = entity.strip_prefix('&')?.strip_suffix(';')?;
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// A text as it has to be written inside an element.
#[must_use]
pub fn escaped(plain: &str) -> String {
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// What a stretch of a file says that has entities in it.
#[must_use]
pub fn unescaped(written: &str) -> String {
    written
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_behind_entities_and_in_cdata_are_those_of_the_file() {
        let source = "<l>x &lt;= 5 &amp;&amp; <![CDATA[y < 2]]></l>";
        let text = Text::read(source, 3, source.len() - 4).unwrap();
        assert_eq!(text.plain, "x <= 5 && y < 2");
        let of = |part: &str| {
            let start = text.plain.find(part).unwrap();
            text.span(start, start + part.len()).of(source)
        };
        assert_eq!(of("x"), "x");
        assert_eq!(of("<="), "&lt;=");
        assert_eq!(of("5"), "5");
        assert_eq!(of("&&"), "&amp;&amp;");
        assert_eq!(of("x <= 5"), "x &lt;= 5");
        assert_eq!(of("y < 2"), "y < 2");
        assert_eq!(of("&& y"), "&amp;&amp; <![CDATA[y");
        assert_eq!(of("y <"), "y <");
    }

    #[test]
    fn an_entity_that_xml_does_not_have_is_refused_where_it_is() {
        let error = Text::read("a &bomb; b", 0, 10).unwrap_err();
        assert_eq!(error.span, Some(Span::new(2, 8)));
    }
}
