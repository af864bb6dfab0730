//! Splits texts into tokens: names, quoted names, numbers and signs, as a language defines them.

use hyperkill_frontend::Diagnostic;
use hyperkill_frontend::mutation::Comment;
use hyperkill_text::{Cursor, Remarks};

/// The tokens of a language.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// The syntax of comments in the language.
    pub remarks: Remarks,
    /// The operators and brackets; a longer one precedes its prefixes.
    pub signs: &'static [&'static str],
    /// The quotes of names with any characters: one of these on both sides.
    pub quotes: &'static [char],
    /// The characters inside names, besides letters, digits and `_`.
    pub inner: &'static [char],
    /// Signs of other languages, each with a suggestion; a longer one precedes its prefixes.
    pub foreign: &'static [(&'static str, &'static str)],
}

/// The kind of a token.
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

impl hyperkill_text::Kind for Kind {
    const END: Kind = Kind::End;

    fn sign(self) -> Option<&'static str> {
        match self {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn is_word(self) -> bool {
        self == Kind::Name
    }

    fn unexpected(wanted: &str, there: Token<'_>) -> String {
        let found = match there.kind {
            Kind::End => "the text ends".to_owned(),
            _ => format!("`{}` stands", there.text),
        };
        format!("{found} where {wanted} is expected")
    }
}

/// A token and its place, with its quotation marks.
pub type Token<'a> = hyperkill_text::Token<'a, Kind>;

/// The tokens of a text, read from the front.
pub type Tokens<'a> = hyperkill_text::Tokens<'a, Kind>;

/// Returns the text of a name, without quotation marks.
#[must_use]
pub fn name_of(token: Token<'_>) -> &str {
    let inside = match token.kind {
        Kind::Quoted => token.text.get(1..token.text.len().saturating_sub(1)),
        _ => None,
    };
    inside.unwrap_or(token.text)
}

/// The result of the lexer for a text.
#[derive(Clone, Debug)]
pub struct Lexed<'a> {
    /// The tokens of the text.
    pub tokens: Tokens<'a>,
    /// The comments of the text.
    pub comments: Vec<Comment>,
}

/// Splits the text of a file, with its index among the sources.
///
/// # Errors
/// If a text is no token, with its place.
pub fn lex<'a>(text: &'a str, file: usize, lexicon: &Lexicon) -> Result<Lexed<'a>, Diagnostic> {
    let mut cursor = Cursor::new(text, file);
    cursor.eat_mark();
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
                cursor.digits();
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
            text: cursor.since(start),
            span: cursor.span_since(start),
        });
        if kind == Kind::End {
            let tokens = Tokens::new(text, tokens);
            return Ok(Lexed { tokens, comments });
        }
    }
}

/// Returns the error for a character that begins no sign of the language.
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
