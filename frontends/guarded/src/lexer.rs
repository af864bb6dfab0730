//! Texts to tokens: names, quoted names, numbers and signs, by what a language says of them.

use hyperkill_frontend::mutation::Comment;
use hyperkill_frontend::{Diagnostic, Span};
use hyperkill_text::{Cursor, Nesting, Remarks};

/// What a language says of its tokens.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// How remarks are written.
    pub remarks: Remarks,
    /// Operators and brackets, longer ones before their beginnings.
    pub signs: &'static [&'static str],
    /// What stands around a name that may have any characters: one of these on both sides.
    pub quotes: &'static [char],
    /// What may stand inside of a name, beside letters, digits and `_`.
    pub inner: &'static [char],
    /// Signs of other languages, each with advice; longer ones before their beginnings.
    pub foreign: &'static [(&'static str, &'static str)],
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name.
    Name,
    /// A name between quotation marks.
    Quoted,
    /// Decimal digits.
    Number,
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What a text consists of.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens, `End` last.
    pub tokens: Vec<Token>,
    /// The remarks.
    pub comments: Vec<Comment>,
    /// For each `(` the index of the `)` that closes it, for all other tokens their own index.
    pub partners: Vec<usize>,
}

/// Cuts the text of a file, which has this index among the sources.
///
/// # Errors
/// If something is no token: where it stands.
pub fn lex(text: &str, file: usize, lexicon: &Lexicon) -> Result<Lexed, Diagnostic> {
    let mut cursor = Cursor::new(text, file);
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    loop {
        let unfinished = |span| Diagnostic::error(span, "this remark never ends");
        cursor
            .skip_space(&lexicon.remarks, &mut comments)
            .map_err(unfinished)?;
        let start = cursor.at();
        let kind = match cursor.peek() {
            None => Kind::End,
            Some(c) if lexicon.quotes.contains(&c) => quoted(&mut cursor, c)?,
            Some(c) if c.is_ascii_digit() => {
                cursor.take_while(|c| c.is_ascii_digit());
                Kind::Number
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                cursor
                    .take_while(|c| c.is_alphanumeric() || c == '_' || lexicon.inner.contains(&c));
                Kind::Name
            }
            Some(c) => match lexicon.signs.iter().find(|sign| cursor.eat(sign)) {
                Some(sign) => Kind::Sign(sign),
                None => return Err(unknown(&mut cursor, c, lexicon.foreign)),
            },
        };
        tokens.push(Token {
            kind,
            span: cursor.span_since(start),
        });
        if kind == Kind::End {
            let partners = partners(&tokens);
            return Ok(Lexed {
                tokens,
                comments,
                partners,
            });
        }
    }
}

/// A character with which no sign of the language begins.
fn unknown(cursor: &mut Cursor<'_>, c: char, foreign: &[(&str, &str)]) -> Diagnostic {
    let start = cursor.at();
    let found = foreign.iter().find(|(sign, _)| cursor.eat(sign));
    if found.is_none() {
        cursor.bump();
    }
    let shown = found.map_or_else(
        || c.escape_debug().to_string(),
        |(sign, _)| (*sign).to_owned(),
    );
    let message = format!("`{shown}` means nothing here");
    let error = Diagnostic::error(cursor.span_since(start), message);
    match found {
        Some((_, instead)) => error.with_help(*instead),
        None => error,
    }
}

fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<Kind, Diagnostic> {
    let start = cursor.at();
    cursor.bump();
    let name = cursor.take_while(|c| c != quote && c != '\n');
    match (name.is_empty(), cursor.bump() == Some(quote)) {
        (false, true) => Ok(Kind::Quoted),
        (true, true) => Err(Diagnostic::error(cursor.span_since(start), "an empty name")),
        (_, false) => {
            let span = cursor.span_since(start);
            Err(Diagnostic::error(span, "this name never ends"))
        }
    }
}

fn partners(tokens: &[Token]) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign("(") => open.push(index),
            Kind::Sign(")") => {
                if let Some(opening) = open.pop() {
                    partners[opening] = index;
                }
            }
            _ => {}
        }
    }
    partners
}

/// The tokens of a text, read from the front.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    /// The text.
    pub text: &'a str,
    /// How many constructs are open.
    pub nesting: Nesting,
    lexed: &'a Lexed,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// All tokens of a text.
    #[must_use]
    pub fn new(text: &'a str, lexed: &'a Lexed) -> Tokens<'a> {
        Tokens {
            text,
            nesting: Nesting::default(),
            lexed,
            at: 0,
        }
    }

    /// The token that comes so many tokens after the next one. Behind the last token comes the end again and again.
    #[must_use]
    pub fn ahead(&self, distance: usize) -> Token {
        let last = self.lexed.tokens.len() - 1;
        self.lexed.tokens[(self.at + distance).min(last)]
    }

    /// The next token.
    #[must_use]
    pub fn peek(&self) -> Token {
        self.ahead(0)
    }

    /// If the next token is `(`: the token behind the `)` that closes it.
    #[must_use]
    pub fn behind_parentheses(&self) -> Option<Token> {
        let close = self.lexed.partners.get(self.at).copied()?;
        (close > self.at).then(|| self.ahead(close + 1 - self.at))
    }

    /// Moves over the next token and returns it.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Where the last token that was passed ends.
    #[must_use]
    pub fn end(&self) -> usize {
        let last = self.at.checked_sub(1);
        last.map_or(0, |at| {
            let at = at.min(self.lexed.tokens.len() - 1);
            self.lexed.tokens[at].span.end
        })
    }

    /// The stretch from the start of a token up to the last token that was passed.
    #[must_use]
    pub fn since(&self, first: Span) -> Span {
        Span {
            end: self.end().max(first.start),
            ..first
        }
    }

    /// Whether the next token is this sign.
    #[must_use]
    pub fn is(&self, sign: &str) -> bool {
        matches!(self.peek().kind, Kind::Sign(there) if there == sign)
    }

    /// Whether the next token is this sign, which is then passed.
    pub fn eat(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        self.at += usize::from(there);
        there
    }

    /// Whether the next token is this word, not quoted.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Name && token.span.of(self.text) == word
    }

    /// Moves over a sign that has to come.
    ///
    /// # Errors
    /// If something else comes.
    pub fn expect(&mut self, sign: &'static str) -> Result<Token, Diagnostic> {
        match self.is(sign) {
            true => Ok(self.bump()),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    /// The error that something else was expected than the next token.
    #[must_use]
    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the text ends".to_owned(),
            _ => format!("`{}` stands", token.span.of(self.text)),
        };
        Diagnostic::error(token.span, format!("{found} where {wanted} is expected"))
    }

    /// The text of a name, without quotation marks.
    #[must_use]
    pub fn name_of(&self, token: Token) -> &'a str {
        let text = token.span.of(self.text);
        match token.kind {
            Kind::Quoted => text.get(1..text.len().saturating_sub(1)).unwrap_or(""),
            _ => text,
        }
    }
}
