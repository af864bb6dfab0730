//! Escapes for texts inside HTML, XML and JSON.

use hyperkill_audit::terminal::harmless;

/// Returns text escaped for elements and attributes of HTML and XML. Control characters of terminals and characters outside of XML are
/// replaced.
pub(crate) fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in harmless(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Returns JSON escaped for a script of a page, so that no text in it ends the script or a line.
pub(crate) fn script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    // JSON contains control characters only in strings, where they may be escaped.
    for character in harmless(json).chars() {
        match character {
            // These characters occur only in JSON strings, where every character may be escaped.
            '<' => escaped.push_str("\\u003c"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_an_attribute_an_element_or_a_script() {
        assert_eq!(
            markup("a<b>\"'&\u{fffe}é"),
            "a&lt;b&gt;&quot;&#39;&amp;\u{fffd}é"
        );
        assert!(!markup("\u{1b}[31m\u{202e}").contains(['\u{1b}', '\u{202e}']));
        let text = "</script><!--\u{2028}\u{9b}\u{202e}";
        let inside = script(&serde_json::to_string(text).expect("a string"));
        assert!(
            !inside.contains(['<', '\u{2028}', '\u{9b}', '\u{202e}']),
            "{inside}"
        );
        let read: String = serde_json::from_str(&inside).expect("still JSON");
        assert_eq!(read, text);
    }
}
