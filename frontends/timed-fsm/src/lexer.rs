//! Text to tokens. A name is letters, digits and `_`, or anything between double quotes on one line.

use hyperkill_frontend::{Diagnostic, Span};

/// Words that are names only between quotes.
pub const RESERVED: &[&str] = &[
    "after", "faults", "input", "machine", "never", "output", "state", "time",
];

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a reserved word.
    Word,
    /// A name between quotes.
    Quoted,
    /// Digits only: a number, or a name.
    Number,
    /// `-` and digits, which nothing takes.
    Negative,
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// The text, without quotes.
    pub text: &'a str,
    /// Where it stands.
    pub span: Span,
}

const SIGNS: &[&str] = &[
    "->", "{", "}", ";", ",", "/", ":", ".", "*", "[", "]", "(", ")",
];

/// The tokens of a text, `End` last.
///
/// # Errors
/// At the first character that begins no token.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
        } else if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
        } else {
            let token = token(text, at, first)?;
            at = token.span.end;
            found.push(token);
        }
    }
    found.push(Token {
        kind: TokenKind::End,
        text: "",
        span: Span::new(text.len(), text.len()),
    });
    Ok(found)
}

fn token(text: &str, at: usize, first: char) -> Result<Token<'_>, Diagnostic> {
    let rest = &text[at..];
    let made = |kind, length: usize| Token {
        kind,
        text: &rest[..length],
        span: Span::new(at, at + length),
    };
    let run = |from: usize, belongs: fn(char) -> bool| {
        let behind = &rest[from..];
        from + behind.find(|c| !belongs(c)).unwrap_or(behind.len())
    };
    if first == '"' {
        return quoted(rest, at);
    }
    if is_of_names(first) {
        let end = run(0, is_of_names);
        let digits = rest[..end].bytes().all(|byte| byte.is_ascii_digit());
        let kind = if digits {
            TokenKind::Number
        } else {
            TokenKind::Word
        };
        return Ok(made(kind, end));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok(made(TokenKind::Sign(sign), sign.len()));
    }
    let end = run(first.len_utf8(), |c| c.is_ascii_digit());
    if first == '-' && end > 1 {
        return Ok(made(TokenKind::Negative, end));
    }
    let span = Span::new(at, at + first.len_utf8());
    Err(Diagnostic::error(
        span,
        format!("`{first}` means nothing here"),
    ))
}

fn quoted(rest: &str, at: usize) -> Result<Token<'_>, Diagnostic> {
    let inside = &rest[1..];
    let end = inside.find(['"', '\n', '\r']).unwrap_or(inside.len());
    if !inside[end..].starts_with('"') {
        let span = Span::new(at, at + 1 + end);
        return Err(Diagnostic::error(span, "the quotes are never closed"));
    }
    let span = Span::new(at, at + end + 2);
    if inside[..end].trim().is_empty() {
        return Err(Diagnostic::error(span, "a name is not empty"));
    }
    Ok(Token {
        kind: TokenKind::Quoted,
        text: &inside[..end],
        span,
    })
}

fn is_of_names(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A name as it is written: between quotes if it has to be.
#[must_use]
pub fn spelled(name: &str) -> String {
    match name.chars().all(is_of_names) && !RESERVED.contains(&name) {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}
