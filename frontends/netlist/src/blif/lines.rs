//! Splits a BLIF text into logical lines: comments are removed, continued lines joined, and words have their places.

use hyperkill_text::{Source, Word};

/// Returns the words of each non-empty logical line.
pub(super) fn lines(file: usize, text: &str) -> Vec<Vec<Word<'_>>> {
    let mut lines = Vec::new();
    let mut words = Vec::new();
    let source = Source { file, text };
    for physical in text.split_inclusive('\n') {
        let code = physical.split('#').next().unwrap_or("");
        let is_commented = code.len() < physical.len();
        let code = code.trim_end();
        // A backslash before a comment is part of a name at most.
        let continued = if is_commented {
            None
        } else {
            code.strip_suffix('\\')
        };
        let rest = continued.unwrap_or(code);
        words.extend(source.words(rest, &[]));
        if continued.is_none() && !words.is_empty() {
            lines.push(std::mem::take(&mut words));
        }
    }
    if !words.is_empty() {
        lines.push(words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_after_a_backslash_and_end_before_a_comment() {
        let text = ".inputs a \\\n  b # c\r\n\n# .outputs\n.outputs \\\n\n y\\";
        let found = lines(0, text);
        let words: Vec<Vec<&str>> = found
            .iter()
            .map(|line| line.iter().map(|word| word.text).collect())
            .collect();
        assert_eq!(
            words,
            [vec![".inputs", "a", "b"], vec![".outputs"], vec!["y"]]
        );
        for word in found.iter().flatten() {
            assert_eq!(word.span.of(text), word.text);
        }
    }
}
