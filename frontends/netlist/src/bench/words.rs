//! The lines of a text: comments gone, names and punctuation with their places.

use hyperkill_frontend::Span;

use crate::open::Word;

/// The words of each line that has some: names, and `(`, `)`, `,` and `=`.
pub(super) fn lines(file: usize, text: &str) -> Vec<Vec<Word<'_>>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or("");
        let words = words(code).map(|(at, word)| Word {
            text: word,
            span: Span {
                file,
                start: start + at,
                end: start + at + word.len(),
            },
        });
        let words: Vec<Word<'_>> = words.collect();
        if !words.is_empty() {
            lines.push(words);
        }
        start += line.len();
    }
    lines
}

fn is_punctuation(c: char) -> bool {
    matches!(c, '(' | ')' | ',' | '=')
}

/// The words of a line, each with where it begins.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let ends = |c: char| c.is_whitespace() || is_punctuation(c);
        let length = match is_punctuation(first) {
            true => first.len_utf8(),
            false => rest.find(ends).unwrap_or(rest.len()),
        };
        let at = line.len() - rest.len();
        let word = &rest[..length];
        rest = &rest[length..];
        Some((at, word))
    })
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
