//! Words, numbers and signs of declarations and labels.

use hyperkill_frontend::Diagnostic;
use hyperkill_text::{Cursor, Excerpt, Remarks};

use crate::syntax::Real;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// A whole number.
    Number(i64),
    /// A number with a point or exponent.
    Fraction(Real),
    /// A text in quotation marks.
    Quoted,
    /// An operator or mark.
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
        self == Kind::Word
    }

    fn unexpected(wanted: &str, there: Token<'_>) -> String {
        let there = match there.kind {
            Kind::Word | Kind::Sign(_) => format!("`{}`", there.text),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Fraction(_) => "a number with a point".to_owned(),
            Kind::Quoted => "a text".to_owned(),
            Kind::End => "the end".to_owned(),
        };
        format!("{wanted} is expected here, not {there}")
    }
}

/// A token and its place.
pub type Token<'a> = hyperkill_text::Token<'a, Kind>;

/// The tokens of a text, read from the front.
pub type Tokens<'a> = hyperkill_text::Tokens<'a, Kind>;

/// The operators and marks; a longer one precedes its prefixes.
const SIGNS: [&str; 52] = [
    "<<=", ">>=", "->>", "<=", ">=", "==", "!=", "<?", ">?", "&&", "||", "->", "++", "--", ":=",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "(", ")", "[", "]", "{", "}", ",",
    ";", ":", ".", "+", "-", "*", "/", "%", "<", ">", "=", "!", "?", "&", "|", "^", "'", "~", "#",
    "@",
];

const REMARKS: Remarks = Remarks {
    line: "//",
    block: Some(("/*", "*/")),
};

/// Returns the tokens of a text, the end as the last one.
///
/// # Errors
/// The first character that begins no token, or number that is too large.
pub fn tokens(text: &Excerpt) -> Result<Tokens<'_>, Diagnostic> {
    let mut cursor = Cursor::new(&text.plain, 0);
    let mut tokens = Vec::new();
    loop {
        let space = cursor.skip_space(&REMARKS, &mut Vec::new());
        space.map_err(|remark| {
            let place = text.span(remark.start, remark.end);
            Diagnostic::error(place, "this comment does not end")
        })?;
        let start = cursor.at();
        let kind = kind(&mut cursor)
            .map_err(|message| Diagnostic::error(text.span(start, cursor.at()), message))?;
        tokens.push(Token {
            kind,
            text: cursor.since(start),
            span: text.span(start, cursor.at()),
        });
        if kind == Kind::End {
            return Ok(Tokens::new(&text.plain, tokens));
        }
    }
}

/// Moves over the next token and returns its kind. An error is about the text that was passed.
fn kind(cursor: &mut Cursor<'_>) -> Result<Kind, String> {
    Ok(match cursor.peek() {
        None => Kind::End,
        Some(first) if first.is_alphabetic() || first == '_' => {
            cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$');
            Kind::Word
        }
        Some(first) if first.is_ascii_digit() => number(cursor)?,
        Some('"') => {
            cursor.bump();
            let quoted = |cursor: &mut Cursor<'_>| {
                cursor.take_while(|c| c != '"');
                cursor.eat("\"")
            };
            match cursor.attempt(quoted) {
                true => Kind::Quoted,
                false => return Err("this text does not end".to_owned()),
            }
        }
        Some(first) => match SIGNS.iter().find(|sign| cursor.eat(sign)) {
            Some(sign) => Kind::Sign(sign),
            None => {
                cursor.bump();
                return Err(format!("no word begins with `{}`", first.escape_default()));
            }
        },
    })
}

fn number(cursor: &mut Cursor<'_>) -> Result<Kind, String> {
    let start = cursor.at();
    let whole = cursor.digits();
    // `1..2` does not occur, but `p.1` does not either: a point behind digits is a decimal one.
    let has_point = cursor.attempt(|cursor| cursor.eat(".") && !cursor.digits().is_empty());
    let has_exponent = cursor.attempt(|cursor| {
        let begins = cursor.eat("e") || cursor.eat("E");
        let _ = cursor.eat("+") || cursor.eat("-");
        begins && !cursor.digits().is_empty()
    });
    if has_point || has_exponent {
        let value = cursor.since(start).parse();
        return value
            .map(|value| Kind::Fraction(Real(value)))
            .map_err(|_| "this is no number".to_owned());
    }
    match whole.parse::<i32>() {
        Ok(value) => Ok(Kind::Number(value.into())),
        Err(_) => Err("this number does not fit 32 bits".to_owned()),
    }
}
