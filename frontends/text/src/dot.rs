//! Reads graphs in DOT as programs write them: one node or edge per line.

/// Returns the names of both ends and the attributes of the edge on a line. `None` if the line is a comment, has no edge, or an end without
/// a name.
#[must_use]
pub fn edge(line: &str) -> Option<((&str, &str), &str)> {
    let line = line.trim();
    if line.starts_with("//") || line.starts_with('#') {
        return None;
    }
    let (from, rest) = node(line)?;
    let (to, attributes) = node(rest.strip_prefix("->")?)?;
    (!from.is_empty() && !to.is_empty()).then_some(((from, to), attributes))
}

/// Returns the name of a node at the beginning of a text, without quotes, and the rest of the text. The name may be empty. `None` if a
/// quote is not closed.
#[must_use]
pub fn node(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => {
            let ends = ["->", "[", ";"].map(|sign| text.find(sign).unwrap_or(text.len()));
            text.split_at(ends.into_iter().min().unwrap_or(text.len()))
        }
    };
    Some((name.trim(), rest.trim_start()))
}

/// Returns the text after the first `name` in attributes that is followed by `=`, without that sign; `None` if there is none.
fn behind<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    loop {
        let found = from + attributes.get(from..)?.find(name)?;
        let rest = attributes[found + name.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            return Some(value.trim_start());
        }
        from = found + name.len();
    }
}

/// Returns the value of an attribute as it is written, without quotes. For a label in HTML it is only the beginning. `None` if the
/// attribute is missing.
#[must_use]
pub fn quoted<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let value = behind(attributes, name)?;
    Some(match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => {
            let end = value.find([',', ';', ']', ' ']).unwrap_or(value.len());
            &value[..end]
        }
    })
}

/// Returns the value of an attribute, without quotes. For a label in HTML it is the text. `None` if the attribute is missing.
#[must_use]
pub fn attribute(attributes: &str, name: &str) -> Option<String> {
    match behind(attributes, name)?.strip_prefix('<') {
        Some(markup) => Some(plain(markup)),
        None => quoted(attributes, name).map(str::to_owned),
    }
}

/// Returns the complete text of a label in HTML, without tags. A line break becomes ` / `, since earlier learners wrote inputs and outputs
/// on two lines.
fn plain(markup: &str) -> String {
    let mut text = String::new();
    let mut tag: Option<String> = None;
    for character in markup.chars() {
        match (character, &mut tag) {
            ('<', None) => tag = Some(String::new()),
            // The end of the label, outside all tags.
            ('>', None) => break,
            ('>', Some(name)) => {
                if name.trim_end_matches('/').trim() == "br" {
                    text.push_str(" / ");
                }
                tag = None;
            }
            (character, Some(name)) => name.push(character),
            (character, None) => text.push(character),
        }
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let plain = |text: String, (entity, sign): (&str, &str)| text.replace(entity, sign);
    entities.into_iter().fold(text, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_ends_and_attributes() {
        let line = "  s0 -> \"s 1\" [style = dashed, label=\"a / x\"];";
        let (ends, attributes) = edge(line).unwrap();
        assert_eq!(ends, ("s0", "s 1"));
        assert_eq!(quoted(attributes, "label"), Some("a / x"));
        assert_eq!(attribute(attributes, "style").as_deref(), Some("dashed"));
        assert_eq!(edge("// a -> b"), None);
        assert_eq!(
            node("0 [style = \"bold\"];").map(|(name, _)| name),
            Some("0")
        );
    }

    #[test]
    fn labels_in_html_are_read_as_text() {
        let attributes = "[label=<<table><tr><td>a&lt;b</td></tr></table>>]";
        assert_eq!(attribute(attributes, "label").as_deref(), Some("a<b"));
    }
}
