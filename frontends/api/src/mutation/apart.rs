//! Separates a replacement from its context by spaces.

/// Returns the replacement, with a space on each side where it would merge with the adjacent text `before` or `after`. `grow` says whether
/// two adjacent texts are read differently than one after the other. An empty replacement becomes a space if both sides would merge.
pub fn apart(
    before: Option<&str>,
    replacement: &str,
    after: Option<&str>,
    grow: impl Fn(&str, &str) -> bool,
) -> String {
    let space = |grows: bool| if grows { " " } else { "" };
    if replacement.is_empty() {
        let both = before.zip(after);
        return space(both.is_some_and(|(before, after)| grow(before, after))).to_owned();
    }
    let left = before.is_some_and(|before| grow(before, replacement));
    let right = after.is_some_and(|after| grow(replacement, after));
    [space(left), replacement, space(right)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(left: &str, right: &str) -> bool {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        letter(left.chars().next_back()) && letter(right.chars().next())
    }

    #[test]
    fn a_space_stands_only_where_texts_would_grow_together() {
        assert_eq!(apart(Some("a"), "b", Some("c"), letters), " b ");
        assert_eq!(apart(Some("("), "b", Some("c"), letters), "b ");
        assert_eq!(apart(None, "b", None, letters), "b");
        assert_eq!(apart(Some("a"), "", Some("c"), letters), " ");
        assert_eq!(apart(Some("a"), "", Some(";"), letters), "");
    }
}
