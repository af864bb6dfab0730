//! Words, numbers and signs of declarations and labels.

use hyperkill_frontend::{Diagnostic, Span};

use crate::syntax::Real;
use crate::text::Text;

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or keyword.
    Word(String),
    /// A whole number.
    Number(i64),
    /// A number with a point or exponent.
    Fraction(Real),
    /// A text in quotes.
    Quoted,
    /// An operator or mark.
    Sign(&'static str),
    /// Nothing follows.
    End,
}

/// A token and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in the file.
    pub span: Span,
    /// Where it stands in the text.
    pub bytes: (usize, usize),
}

/// Longest first where one begins another.
const SIGNS: [&str; 52] = [
    "<<=", ">>=", "->>", "<=", ">=", "==", "!=", "<?", ">?", "&&", "||", "->", "++", "--", ":=",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "(", ")", "[", "]", "{", "}", ",",
    ";", ":", ".", "+", "-", "*", "/", "%", "<", ">", "=", "!", "?", "&", "|", "^", "'", "~", "#",
    "@",
];

/// The tokens of a text, with the end behind them.
///
/// # Errors
/// The first character that begins none, or number that is too large.
pub fn tokens(text: &Text) -> Result<Vec<Token>, Diagnostic> {
    let plain = text.plain.as_str();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = plain[at..].chars().next() {
        let rest = &plain[at..];
        let error =
            |length: usize, message: &str| Diagnostic::error(text.span(at, at + length), message);
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            let Some(length) = rest.find("*/") else {
                return Err(error(2, "this comment does not end"));
            };
            at += length + 2;
            continue;
        }
        let (kind, length) = if first.is_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            (Kind::Word(rest[..length].to_owned()), length)
        } else if first.is_ascii_digit() {
            number(rest).map_err(|(length, message)| error(length, message))?
        } else if first == '"' {
            let Some(length) = rest[1..].find('"') else {
                return Err(error(1, "this text does not end"));
            };
            (Kind::Quoted, length + 2)
        } else {
            match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Kind::Sign(sign), sign.len()),
                None => {
                    let message = format!("no word begins with `{}`", first.escape_default());
                    return Err(error(first.len_utf8(), &message));
                }
            }
        };
        tokens.push(Token {
            kind,
            span: text.span(at, at + length),
            bytes: (at, at + length),
        });
        at += length;
    }
    tokens.push(Token {
        kind: Kind::End,
        span: text.span(plain.len(), plain.len()),
        bytes: (plain.len(), plain.len()),
    });
    Ok(tokens)
}

fn number(rest: &str) -> Result<(Kind, usize), (usize, &'static str)> {
    let digits = |text: &str| {
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len())
    };
    let mut length = digits(rest);
    let whole = &rest[..length];
    let mut is_fraction = false;
    // `1..2` does not occur, but `p.1` does not either: a point behind digits is a decimal one.
    if rest[length..].starts_with('.') && digits(&rest[length + 1..]) > 0 {
        length += 1 + digits(&rest[length + 1..]);
        is_fraction = true;
    }
    if rest[length..].starts_with(['e', 'E']) {
        let exponent = rest[length + 1..].trim_start_matches(['+', '-']);
        let sign = rest.len() - length - 1 - exponent.len();
        if digits(exponent) > 0 && sign <= 1 {
            length += 1 + sign + digits(exponent);
            is_fraction = true;
        }
    }
    if is_fraction {
        return match rest[..length].parse() {
            Ok(value) => Ok((Kind::Fraction(Real(value)), length)),
            Err(_) => Err((length, "this is no number")),
        };
    }
    match whole.parse::<i32>() {
        Ok(value) => Ok((Kind::Number(value.into()), length)),
        Err(_) => Err((length, "this number does not fit 32 bits")),
    }
}
