//! A cursor in a text.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::Comment;

use crate::source::Source;

/// The byte order mark, which some editors write before a text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The syntax of comments in a language.
#[derive(Clone, Copy, Debug)]
pub struct Remarks {
    /// The beginning of a comment that ends with its line.
    pub line: &'static str,
    /// The beginning and the end of a comment that may span several lines, if the language has such comments.
    pub block: Option<(&'static str, &'static str)>,
}

/// A place in a text: the beginning of a character, or the end.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    source: Source<'a>,
    at: usize,
    looked_back: usize,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor at the beginning of a file's text, with the index of the file among the sources.
    #[must_use]
    pub fn new(text: &'a str, file: usize) -> Cursor<'a> {
        Cursor {
            source: Source { file, text },
            at: 0,
            looked_back: 0,
        }
    }

    /// Returns the number of characters before the cursor that were read again. It is at most the length of the text, so that reading is
    /// linear.
    #[must_use]
    pub fn looked_back(&self) -> usize {
        self.looked_back
    }

    /// Returns the place of the cursor, in bytes from the beginning of the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the text from here on.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.source.text.get(self.at..).unwrap_or("")
    }

    /// Returns the next character; `None` at the end.
    #[must_use]
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Moves over the next character and returns it; `None` at the end.
    pub fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes `word` if it is next. Returns whether it is.
    pub fn eat(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Lets `read` move a copy of the cursor, and moves the cursor there if it returns true. Returns its answer.
    pub fn attempt(&mut self, read: impl FnOnce(&mut Cursor<'a>) -> bool) -> bool {
        let mut ahead = self.clone();
        let is_there = read(&mut ahead);
        if is_there {
            *self = ahead;
        }
        is_there
    }

    /// Passes a byte order mark if it is next. Returns whether it is.
    pub fn eat_mark(&mut self) -> bool {
        self.eat(BYTE_ORDER_MARK)
    }

    /// Moves over decimal digits and returns them.
    pub fn digits(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_digit())
    }

    /// Moves over all next characters for which `kind` holds and returns them; the text may be empty.
    pub fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !kind(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Returns the text from an earlier place to here.
    #[must_use]
    pub fn since(&self, start: usize) -> &'a str {
        self.source.text.get(start..self.at).unwrap_or("")
    }

    /// Returns the span from an earlier place to here.
    #[must_use]
    pub fn span_since(&self, start: usize) -> Span {
        Span {
            file: self.source.file,
            start,
            end: self.at,
        }
    }

    /// Moves over white space and comments, and appends the comments to `comments`.
    ///
    /// # Errors
    /// If a comment never ends: the place of its beginning.
    pub fn skip_space(
        &mut self,
        remarks: &Remarks,
        comments: &mut Vec<Comment>,
    ) -> Result<(), Span> {
        loop {
            self.take_while(char::is_whitespace);
            let start = self.at;
            if self.eat(remarks.line) {
                let own_line = self.is_first_in_line(start);
                let inside = self.at;
                self.take_while(|c| c != '\n');
                comments.push(Comment {
                    text: self.span_since(inside),
                    own_line,
                });
                continue;
            }
            let Some((begin, end)) = remarks.block else {
                return Ok(());
            };
            if !self.eat(begin) {
                return Ok(());
            }
            let own_line = self.is_first_in_line(start);
            let inside = self.at;
            let Some(length) = self.rest().find(end) else {
                return Err(self.span_since(start));
            };
            self.at += length;
            comments.push(Comment {
                text: self.span_since(inside),
                own_line,
            });
            self.at += end.len();
        }
    }

    /// Whether only white space precedes a place on its line. Reads no further back than that.
    fn is_first_in_line(&mut self, place: usize) -> bool {
        let text = &self.source.text[..place];
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        for before in text.chars().rev() {
            self.looked_back += 1;
            match before {
                '\n' => return true,
                before if before.is_whitespace() => {}
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMARKS: Remarks = Remarks {
        line: "%",
        block: Some(("/*", "*/")),
    };

    #[test]
    fn remarks_are_passed_and_kept() {
        let text = "  % one\n x /* two\n */ /* three */ ε";
        let mut cursor = Cursor::new(text, 3);
        let mut comments = Vec::new();
        cursor.skip_space(&REMARKS, &mut comments).unwrap();
        assert!(cursor.eat("x"));
        cursor.skip_space(&REMARKS, &mut comments).unwrap();
        assert_eq!(cursor.bump(), Some('ε'));
        assert_eq!((cursor.peek(), cursor.bump()), (None, None));
        let texts: Vec<&str> = comments.iter().map(|c| c.text.of(text).trim()).collect();
        assert_eq!(texts, ["one", "two", "three"]);
        let alone: Vec<bool> = comments.iter().map(|c| c.own_line).collect();
        assert_eq!(alone, [true, false, false]);
        assert!(comments.iter().all(|c| c.text.file == 3));
    }

    #[test]
    fn a_byte_order_mark_is_no_space_and_has_no_place_in_a_line() {
        for (text, alone) in [("\u{feff}% one\nx", true), ("\u{feff} x% one\n", false)] {
            let mut cursor = Cursor::new(text, 0);
            let mut comments = Vec::new();
            assert!(cursor.eat_mark());
            cursor.skip_space(&REMARKS, &mut comments).unwrap();
            assert!(cursor.eat("x"), "{text:?}");
            assert_eq!(cursor.since(cursor.at() - 1), "x");
            cursor.skip_space(&REMARKS, &mut comments).unwrap();
            let own_lines: Vec<bool> = comments.iter().map(|c| c.own_line).collect();
            assert_eq!(own_lines, [alone], "{text:?}");
            assert_eq!(comments[0].text.of(text), " one");
        }
        let mut cursor = Cursor::new(" \u{feff}x", 0);
        cursor.skip_space(&REMARKS, &mut Vec::new()).unwrap();
        assert_eq!(cursor.peek(), Some('\u{feff}'));
    }

    #[test]
    fn an_attempt_that_fails_passes_nothing() {
        let mut cursor = Cursor::new("1.5.x", 0);
        let fraction = |cursor: &mut Cursor<'_>| cursor.eat(".") && !cursor.digits().is_empty();
        assert_eq!(cursor.digits(), "1");
        assert!(cursor.attempt(fraction) && !cursor.attempt(fraction));
        assert_eq!(cursor.rest(), ".x");
    }

    #[test]
    fn a_text_of_one_line_is_read_in_linear_time() {
        for word in ["x ", "x /* y */ ", "x /* y */  /* z */"] {
            let text = word.repeat(100_000) + "% all of it";
            let mut cursor = Cursor::new(&text, 0);
            let mut comments = Vec::new();
            cursor.skip_space(&REMARKS, &mut comments).unwrap();
            while cursor.eat("x") {
                cursor.skip_space(&REMARKS, &mut comments).unwrap();
            }
            assert_eq!(cursor.peek(), None);
            assert!(cursor.looked_back() <= text.len());
            assert!(comments.iter().all(|comment| !comment.own_line));
        }
    }

    #[test]
    fn a_remark_that_never_ends_is_an_error_where_it_begins() {
        let mut cursor = Cursor::new(" /*/ and on", 0);
        let error = cursor.skip_space(&REMARKS, &mut Vec::new()).unwrap_err();
        assert_eq!((error.start, error.end), (1, 3));
    }
}
