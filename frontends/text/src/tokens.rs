//! Tokens of any language, read from the front.

use hyperkill_frontend::{Diagnostic, Span};

use crate::nesting::Nesting;
use crate::source::Source;

/// The kind of a token, defined by each language.
pub trait Kind: Copy + Eq {
    /// The end of the text.
    const END: Self;

    /// Returns the text of an operator or bracket; `None` for other kinds.
    fn sign(self) -> Option<&'static str>;

    /// Whether reserved words are of this kind.
    fn is_word(self) -> bool;

    /// Returns the message that the token `there` stands where `wanted` is expected.
    fn unexpected(wanted: &str, there: Token<'_, Self>) -> String;
}

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a, K> {
    /// The kind of the token.
    pub kind: K,
    /// The text of the token.
    pub text: &'a str,
    /// The place in the file.
    pub span: Span,
}

/// The tokens of a text with a position among them. The last one, the end of the text, is repeated for ever.
#[derive(Clone, Debug)]
pub struct Tokens<'a, K> {
    /// The number of open constructs.
    pub nesting: Nesting,
    /// The text.
    pub text: &'a str,
    tokens: Vec<Token<'a, K>>,
    at: usize,
}

impl<'a, K: Kind> Tokens<'a, K> {
    /// Returns a cursor over the tokens of a text. Their texts are slices of it, and the last one is the end.
    #[must_use]
    pub fn new(text: &'a str, tokens: Vec<Token<'a, K>>) -> Tokens<'a, K> {
        Tokens {
            nesting: Nesting::default(),
            text,
            tokens,
            at: 0,
        }
    }

    /// Returns the token at a distance from the next one, which has distance 0.
    #[must_use]
    #[inline]
    pub fn ahead(&self, distance: usize) -> Token<'a, K> {
        match self.tokens.get(self.at + distance) {
            Some(token) => *token,
            None => self.last_of_all(),
        }
    }

    /// Returns the last token of the text, which is its end.
    #[cold]
    fn last_of_all(&self) -> Token<'a, K> {
        let end = Token {
            kind: K::END,
            text: "",
            span: Span::default(),
        };
        self.tokens.last().copied().unwrap_or(end)
    }

    /// Returns the next token, without moving over it.
    #[must_use]
    #[inline]
    pub fn peek(&self) -> Token<'a, K> {
        self.ahead(0)
    }

    /// Returns the kind of the token at a distance from the next one.
    #[must_use]
    #[inline]
    pub fn kind(&self, distance: usize) -> K {
        let token = self.tokens.get(self.at + distance);
        token.map_or(K::END, |token| token.kind)
    }

    /// Moves over the next token and returns it.
    #[inline]
    pub fn bump(&mut self) -> Token<'a, K> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Whether all tokens are passed.
    #[must_use]
    #[inline]
    pub fn is_over(&self) -> bool {
        self.kind(0) == K::END
    }

    /// Returns the number of tokens that were passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.at
    }

    /// Returns the token before the next one; `None` at the beginning.
    fn last(&self) -> Option<Token<'a, K>> {
        let last = self.at.min(self.tokens.len()).checked_sub(1)?;
        self.tokens.get(last).copied()
    }

    /// Returns the place of the last token that was passed; the beginning of the first file if there is none.
    #[must_use]
    pub fn previous(&self) -> Span {
        self.last().map_or(Span::default(), |token| token.span)
    }

    /// Returns one past the last byte of the last token that was passed; 0 at the beginning.
    #[must_use]
    pub fn end(&self) -> usize {
        self.previous().end
    }

    /// Returns the span from the start of a token to the end of the last one that was passed.
    #[must_use]
    pub fn since(&self, first: Span) -> Span {
        Span {
            end: self.end().max(first.start),
            ..first
        }
    }

    /// Whether the next token is on another line than the last one that was passed.
    #[must_use]
    pub fn is_on_new_line(&self) -> bool {
        let source = Source {
            file: 0,
            text: self.text,
        };
        self.last().is_some_and(|last| {
            let between = source.span(last.text).end..source.span(self.peek().text).start;
            let between = self.text.get(between);
            between.is_some_and(|between| between.contains('\n'))
        })
    }

    /// Returns the token after the matching `)`. `None` if the next token is no `(`, or the parenthesis is not closed.
    #[must_use]
    pub fn behind_parentheses(&self) -> Option<Token<'a, K>> {
        let mut open = 0_usize;
        for (distance, token) in self.tokens.get(self.at..)?.iter().enumerate() {
            match token.kind.sign() {
                Some("(") => open += 1,
                Some(")") => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return (distance > 0).then(|| self.ahead(distance + 1));
            }
        }
        None
    }

    /// Whether the next token is this sign.
    #[must_use]
    #[inline]
    pub fn is(&self, sign: &str) -> bool {
        self.kind(0).sign() == Some(sign)
    }

    /// Passes the next token if it is this sign. Returns whether it is.
    #[inline]
    pub fn eat(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        self.at += usize::from(there);
        there
    }

    /// Whether the next token is this reserved word.
    #[must_use]
    #[inline]
    pub fn is_word(&self, word: &str) -> bool {
        let token = self.tokens.get(self.at);
        token.is_some_and(|token| token.kind.is_word() && token.text == word)
    }

    /// Passes the next token if it is this reserved word. Returns whether it is.
    #[inline]
    pub fn eat_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        self.at += usize::from(there);
        there
    }

    /// Moves over a required sign.
    ///
    /// # Errors
    /// If the next token is another one.
    pub fn expect(&mut self, sign: &str) -> Result<Token<'a, K>, Diagnostic> {
        match self.is(sign) {
            true => Ok(self.bump()),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    /// Moves over a required reserved word.
    ///
    /// # Errors
    /// If the next token is another one.
    pub fn expect_word(&mut self, word: &str) -> Result<Token<'a, K>, Diagnostic> {
        match self.is_word(word) {
            true => Ok(self.bump()),
            false => Err(self.unexpected(&format!("`{word}`"))),
        }
    }

    /// Returns the error that the next token is not `wanted`, a description of the expected one.
    #[must_use]
    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let there = self.peek();
        Diagnostic::error(there.span, K::unexpected(wanted, there))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Sort {
        Word,
        Sign(&'static str),
        End,
    }

    impl Kind for Sort {
        const END: Sort = Sort::End;

        fn sign(self) -> Option<&'static str> {
            match self {
                Sort::Sign(sign) => Some(sign),
                Sort::Word | Sort::End => None,
            }
        }

        fn is_word(self) -> bool {
            self == Sort::Word
        }

        fn unexpected(wanted: &str, there: Token<'_, Sort>) -> String {
            format!("{wanted} is wanted, not `{}`", there.text)
        }
    }

    /// Returns the tokens of a text, which white space separates.
    fn tokens(text: &str) -> Tokens<'_, Sort> {
        let source = Source { file: 0, text };
        let kind = |text: &str| match text {
            "(" => Sort::Sign("("),
            ")" => Sort::Sign(")"),
            _ => Sort::Word,
        };
        let words = source.words(text, &[]).map(|word| Token {
            kind: kind(word.text),
            text: word.text,
            span: word.span,
        });
        let end = &text[text.len()..];
        let end = Token {
            kind: Sort::End,
            text: end,
            span: source.span(end),
        };
        Tokens::new(text, words.chain([end]).collect())
    }

    #[test]
    fn tokens_are_passed_one_by_one_and_the_end_for_ever() {
        let mut tokens = tokens("a ( b");
        assert_eq!((tokens.end(), tokens.passed()), (0, 0));
        let first = tokens.expect_word("a").unwrap();
        assert!(!tokens.eat_word("(") && !tokens.eat(")") && tokens.eat("("));
        let error = tokens.expect(")").unwrap_err();
        assert_eq!(error.message, "`)` is wanted, not `b`");
        assert_eq!(error.span, Some(Span::new(4, 5)));
        assert_eq!(tokens.since(first.span), Span::new(0, 3));
        for _ in 0..3 {
            tokens.bump();
        }
        assert!(tokens.is_over());
        assert_eq!((tokens.previous(), tokens.end()), (Span::new(5, 5), 5));
        let nothing: Tokens<'_, Sort> = Tokens::new("", Vec::new());
        assert!(nothing.is_over() && nothing.peek().text.is_empty());
    }

    #[test]
    fn parentheses_are_passed_with_all_that_is_inside() {
        let behind = |text| tokens(text).behind_parentheses().map(|token| token.text);
        assert_eq!(behind("( ( a ) ) b"), Some("b"));
        assert_eq!(behind("( a )"), Some(""));
        assert_eq!(behind("( ( a )"), None);
        assert_eq!(behind("a ( b )"), None);
    }

    #[test]
    fn lines_are_noticed_between_tokens() {
        let mut tokens = tokens("a b\n c\n");
        let mut noticed = Vec::new();
        for _ in 0..4 {
            noticed.push(tokens.is_on_new_line());
            tokens.bump();
        }
        assert_eq!(noticed, [false, false, true, true]);
    }
}
