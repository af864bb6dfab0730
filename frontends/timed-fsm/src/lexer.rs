//! Splits text into tokens. A name is letters, digits and `_`, or any characters between double quotes on one line.

use hyperkill_frontend::Diagnostic;
use hyperkill_text::{Cursor, Remarks, is_number};

/// Words that are names only in quotes.
pub const RESERVED: &[&str] = &[
    "after", "faults", "input", "machine", "never", "output", "state", "time",
];

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a reserved word.
    Word,
    /// A name between quotes.
    Quoted,
    /// Digits only: a number, or a name.
    Number,
    /// `-` and digits, which no construct accepts.
    Negative,
    /// An operator or another sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

impl hyperkill_text::Kind for TokenKind {
    const END: TokenKind = TokenKind::End;

    fn sign(self) -> Option<&'static str> {
        match self {
            TokenKind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn is_word(self) -> bool {
        self == TokenKind::Word
    }

    fn unexpected(wanted: &str, there: Token<'_>) -> String {
        let there = match there.kind {
            TokenKind::End => "the end of the file".to_owned(),
            _ => format!("`{}`", there.text),
        };
        format!("{wanted} is expected, not {there}")
    }
}

/// A token and its place. A quoted name is stored without its quotes.
pub type Token<'a> = hyperkill_text::Token<'a, TokenKind>;

/// The tokens of a text, read from the front.
pub type Tokens<'a> = hyperkill_text::Tokens<'a, TokenKind>;

const SIGNS: &[&str] = &[
    "->", "{", "}", ";", ",", "/", ":", ".", "*", "[", "]", "(", ")",
];

const REMARKS: Remarks = Remarks {
    line: "//",
    block: None,
};

/// Returns the tokens of a file's text, with the index of the file among the sources.
///
/// # Errors
/// At the first character that begins no token.
pub fn tokens(text: &str, file: usize) -> Result<Tokens<'_>, Diagnostic> {
    let mut cursor = Cursor::new(text, file);
    let mut found = Vec::new();
    loop {
        // All comments end with their lines.
        let _ = cursor.skip_space(&REMARKS, &mut Vec::new());
        if cursor.eat_mark() {
            continue;
        }
        let start = cursor.at();
        let kind = kind(&mut cursor)
            .map_err(|message| Diagnostic::error(cursor.span_since(start), message))?;
        let written = cursor.since(start);
        found.push(Token {
            kind,
            text: match kind {
                TokenKind::Quoted => written.trim_matches('"'),
                _ => written,
            },
            span: cursor.span_since(start),
        });
        if kind == TokenKind::End {
            return Ok(Tokens::new(text, found));
        }
    }
}

/// Moves over a token. An error is about the text that was passed.
fn kind(cursor: &mut Cursor<'_>) -> Result<TokenKind, String> {
    let Some(first) = cursor.peek() else {
        return Ok(TokenKind::End);
    };
    if cursor.eat("\"") {
        let name = cursor.take_while(|c| !matches!(c, '"' | '\n' | '\r'));
        return match (cursor.eat("\""), name.trim().is_empty()) {
            (false, _) => Err("the quotes are never closed".to_owned()),
            (true, true) => Err("a name is not empty".to_owned()),
            (true, false) => Ok(TokenKind::Quoted),
        };
    }
    if is_of_names(first) {
        return Ok(match is_number(cursor.take_while(is_of_names)) {
            true => TokenKind::Number,
            false => TokenKind::Word,
        });
    }
    if let Some(sign) = SIGNS.iter().find(|sign| cursor.eat(sign)) {
        return Ok(TokenKind::Sign(sign));
    }
    cursor.bump();
    match first == '-' && !cursor.digits().is_empty() {
        true => Ok(TokenKind::Negative),
        false => Err(format!("`{first}` means nothing here")),
    }
}

fn is_of_names(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns a name as source text, in quotes if it needs them.
#[must_use]
pub fn spelled(name: &str) -> String {
    match name.chars().all(is_of_names) && !RESERVED.contains(&name) {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}
