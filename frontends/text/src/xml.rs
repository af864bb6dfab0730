//! Texts inside XML.

use hyperkill_frontend::{Diagnostic, Span};

use crate::excerpt::Excerpt;

/// Returns the text between two bytes of the first file, without entities, comments and CDATA marks.
///
/// # Errors
/// If an entity is not predefined in XML.
pub fn excerpt(source: &str, start: usize, end: usize) -> Result<Excerpt, Diagnostic> {
    let mut text = Excerpt::empty(0, end);
    let mut at = start;
    while at < end {
        let rest = source.get(at..end).unwrap_or("");
        if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let length = inside.find("]]>").unwrap_or(inside.len());
            text.push(&inside[..length], (at + 9, at + 9 + length));
            at += 9 + length + 3;
        } else if rest.starts_with("<!--") {
            at += rest.find("-->").map_or(rest.len(), |length| length + 3);
        } else if rest.starts_with('&') {
            let length = rest.find(';').map_or(rest.len(), |length| length + 1);
            let Some(character) = character(&rest[..length]) else {
                let span = Span::new(at, at + length.min(40));
                return Err(Diagnostic::error(span, "this entity is none of XML's own"));
            };
            text.push_escape(character, (at, at + length));
            at += length;
        } else {
            let Some(first) = rest.chars().next().map(char::len_utf8) else {
                break;
            };
            let length = rest[first..].find(['&', '<']);
            let length = length.map_or(rest.len(), |length| first + length);
            text.push(&rest[..length], (at, at + length));
            at += length;
        }
    }
    Ok(text)
}

/// Returns the character of an entity `&…;`. `None` if it is neither predefined in XML nor a character's number.
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

/// Escapes a text for the inside of an element.
#[must_use]
pub fn escaped(plain: &str) -> String {
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Returns the text as the value of an XML attribute in double quotes: special characters are entities.
#[must_use]
pub fn quoted(plain: &str) -> String {
    escaped(plain).replace('"', "&quot;")
}

/// Returns a text with its entities replaced.
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
        let text = excerpt(source, 3, source.len() - 4).unwrap();
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
        let error = excerpt("a &bomb; b", 0, 10).unwrap_err();
        assert_eq!(error.span, Some(Span::new(2, 8)));
    }
}
