//! Splits a text into lines without comments, with names and punctuation at their places.

use hyperkill_text::{Source, Word};

/// Returns the words of each non-empty line: names, and `(`, `)`, `,` and `=`.
pub(super) fn lines(file: usize, text: &str) -> Vec<Vec<Word<'_>>> {
    let source = Source { file, text };
    let codes = text.lines().filter_map(|line| line.split('#').next());
    let lines = codes.map(|code| source.words(code, &['(', ')', ',', '=']).collect());
    lines.filter(|words: &Vec<_>| !words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_they_say() {
        let text = "# a\r\nINPUT( a )\n\ny=NAND(a,ε) # b\nOUTPUT(y)";
        let found = lines(0, text);
        let words: Vec<Vec<&str>> = found
            .iter()
            .map(|line| line.iter().map(|word| word.text).collect())
            .collect();
        let expected: [&[&str]; 3] = [
            &["INPUT", "(", "a", ")"],
            &["y", "=", "NAND", "(", "a", ",", "ε", ")"],
            &["OUTPUT", "(", "y", ")"],
        ];
        assert_eq!(words, expected);
        for word in found.iter().flatten() {
            assert_eq!(word.span.of(text), word.text);
        }
    }
}
