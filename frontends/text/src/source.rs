//! Parts of a text and their places.

use hyperkill_frontend::Span;

/// The text of a file, with its index among the sources of the model.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Index of the file among the sources.
    pub file: usize,
    /// The complete text of the file.
    pub text: &'a str,
}

/// A word and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// The text of the word.
    pub text: &'a str,
    /// The place of the part.
    pub span: Span,
}

impl<'a> Source<'a> {
    /// Returns the place of a part of the text, which is a slice of it, found by its address. For any other string it is the empty
    /// beginning of the text.
    #[must_use]
    pub fn span(self, part: &str) -> Span {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let end = start.wrapping_add(part.len());
        let (start, end) = match start <= end && end <= self.text.len() {
            true => (start, end),
            false => (0, 0),
        };
        Span {
            file: self.file,
            start,
            end,
        }
    }

    /// Returns the words of a part of the text. White space separates them, and each of the `signs` is a word.
    pub fn words(self, part: &'a str, signs: &'a [char]) -> impl Iterator<Item = Word<'a>> {
        let mut rest = part;
        std::iter::from_fn(move || {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            let ends = |c: char| c.is_whitespace() || signs.contains(&c);
            let length = match signs.contains(&first) {
                true => first.len_utf8(),
                false => rest.find(ends).unwrap_or(rest.len()),
            };
            let (text, behind) = rest.split_at(length);
            rest = behind;
            Some(Word {
                text,
                span: self.span(text),
            })
        })
    }

    /// Returns the byte at which a line begins; lines count from 1. It is the end of the text if there are fewer lines.
    #[must_use]
    pub fn start_of_line(self, line: usize) -> usize {
        let before = self.text.split_inclusive('\n').take(line.saturating_sub(1));
        before.map(str::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_they_say() {
        let text = "# a\r\ny=NAND(a,ε) # b";
        let source = Source { file: 3, text };
        let words: Vec<Word<'_>> = source.words(&text[5..], &['(', ')', ',', '=']).collect();
        let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
        assert_eq!(texts, ["y", "=", "NAND", "(", "a", ",", "ε", ")", "#", "b"]);
        for word in words {
            assert_eq!((word.span.file, word.span.of(text)), (3, word.text));
        }
    }

    #[test]
    fn another_string_stands_nowhere() {
        let text = String::from("abc");
        let source = Source {
            file: 0,
            text: &text[..2],
        };
        assert_eq!(source.span(&text[1..2]), Span::new(1, 2));
        assert_eq!(source.span(&text[1..]), Span::new(0, 0));
        assert_eq!(source.span("a long string of its own"), Span::new(0, 0));
    }

    #[test]
    fn lines_begin_behind_the_ends_of_those_before() {
        let source = Source {
            file: 0,
            text: "a\r\n\nbc",
        };
        let starts = [0, 1, 2, 3, 4, 9].map(|line| source.start_of_line(line));
        assert_eq!(starts, [0, 0, 3, 4, 6, 6]);
    }
}
