//! The tokens of the formula language: names, numbers, quoted text and operators in all their spellings.
//!
//! Each parser here also skips the blanks and comments after its token. The grammar is in the parent module.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{
    anychar, char, digit1, multispace1, none_of, not_line_ending, satisfy,
};
use nom::combinator::{cond, cut, not, opt, recognize, verify};
use nom::multi::{fold_many0, many0_count};
use nom::sequence::{delimited, preceded, terminated};
use nom::{Err, IResult, Parser};

use super::error::{ParseErrorKind, Rejection};
use crate::ast::{BinaryOp, Quantifier, UnaryOp};
use crate::printer::{KEYWORDS, continues_word, starts_word};

pub(super) type Parsed<'a, T> = IResult<&'a str, T, Rejection>;

/// The operator of an infix token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    And,
    Or,
    Binary(BinaryOp),
}

/// Spellings with their meanings. A spelling comes before its own prefixes.
type Spellings<T> = &'static [(&'static str, T)];

const QUANTIFIERS: Spellings<Quantifier> = &[
    ("exists", Quantifier::Exists),
    ("∃", Quantifier::Exists),
    ("forall", Quantifier::Forall),
    ("∀", Quantifier::Forall),
];

const CONSTANTS: Spellings<bool> = &[("true", true), ("⊤", true), ("false", false), ("⊥", false)];

const PREFIXES: Spellings<UnaryOp> = &[
    ("!", UnaryOp::Not),
    ("¬", UnaryOp::Not),
    ("X", UnaryOp::Next),
    ("○", UnaryOp::Next),
    ("◯", UnaryOp::Next),
    ("wX", UnaryOp::WeakNext),
    ("F", UnaryOp::Finally),
    ("◇", UnaryOp::Finally),
    ("◊", UnaryOp::Finally),
    ("G", UnaryOp::Globally),
    ("□", UnaryOp::Globally),
];

/// Words that are operators unless `[` follows, since signals often have these names; `O[p]` denotes all outputs.
const PREFIXES_OR_NAMES: Spellings<UnaryOp> = &[
    ("Y", UnaryOp::Previously),
    ("Z", UnaryOp::WeakPreviously),
    ("O", UnaryOp::Once),
    ("H", UnaryOp::Historically),
];

const INFIXES: Spellings<Infix> = &[
    ("&&", Infix::And),
    ("&", Infix::And),
    ("∧", Infix::And),
    ("||", Infix::Or),
    ("|", Infix::Or),
    ("∨", Infix::Or),
    ("<->", Infix::Binary(BinaryOp::Iff)),
    ("↔", Infix::Binary(BinaryOp::Iff)),
    ("->", Infix::Binary(BinaryOp::Implies)),
    ("→", Infix::Binary(BinaryOp::Implies)),
    ("xor", Infix::Binary(BinaryOp::Xor)),
    ("⊕", Infix::Binary(BinaryOp::Xor)),
    ("U", Infix::Binary(BinaryOp::Until)),
    ("R", Infix::Binary(BinaryOp::Release)),
    ("W", Infix::Binary(BinaryOp::WeakUntil)),
    ("M", Infix::Binary(BinaryOp::StrongRelease)),
    ("S", Infix::Binary(BinaryOp::Since)),
    ("T", Infix::Binary(BinaryOp::Triggered)),
];

/// The relations, with whether they are equality.
const RELATIONS: Spellings<bool> = &[("==", true), ("=", true), ("!=", false), ("≠", false)];

pub(super) fn quantifier(input: &str) -> Parsed<'_, Quantifier> {
    one_of_spellings(input, QUANTIFIERS, "`exists` or `forall`")
}

pub(super) fn constant(input: &str) -> Parsed<'_, bool> {
    one_of_spellings(input, CONSTANTS, "`true` or `false`")
}

pub(super) fn prefix(input: &str) -> Parsed<'_, UnaryOp> {
    const EXPECTED: &str = "a prefix operator";
    one_of_spellings(input, PREFIXES, EXPECTED).or_else(|error| {
        let found = one_of_spellings(input, PREFIXES_OR_NAMES, EXPECTED)?;
        match found.0.starts_with('[') {
            true => Err(error),
            false => Ok(found),
        }
    })
}

pub(super) fn infix(input: &str) -> Parsed<'_, Infix> {
    one_of_spellings(input, INFIXES, "an operator")
}

pub(super) fn relation(input: &str) -> Parsed<'_, bool> {
    one_of_spellings(input, RELATIONS, "`=` or `!=`")
}

fn one_of_spellings<'a, T: Copy>(
    input: &'a str,
    spellings: Spellings<T>,
    expected: &'static str,
) -> Parsed<'a, T> {
    for &(spelling, meaning) in spellings {
        if let Ok((rest, _)) = token(spelling, expected)(input) {
            return Ok((rest, meaning));
        }
    }
    Err(Err::Error(Rejection::expected(input, expected)))
}

/// Reads exactly this word or sign.
pub(super) fn token<'a>(
    spelling: &'static str,
    expected: &'static str,
) -> impl Fn(&'a str) -> Parsed<'a, ()> {
    let is_word = spelling.starts_with(starts_word);
    move |input| {
        let end = (cond(is_word, not(satisfy(continues_word))), blank);
        let found: Parsed<'a, &str> = terminated(tag(spelling), end).parse(input);
        match found {
            Ok((rest, _)) => Ok((rest, ())),
            Err(_) => Err(Err::Error(Rejection::expected(input, expected))),
        }
    }
}

/// Skips blanks, line ends, and comments from `--` to the end of the line.
pub(super) fn blank(input: &str) -> Parsed<'_, ()> {
    let comment = recognize((tag("--"), not_line_ending));
    let (rest, _) = many0_count(alt((multispace1, comment))).parse(input)?;
    Ok((rest, ()))
}

/// Reads the name of a trace variable: letters of any alphabet, digits, `_` and `'`.
pub(super) fn trace_name(input: &str) -> Parsed<'_, &str> {
    let name = recognize((
        satisfy(|c| c.is_alphabetic() || c == '_'),
        take_while(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'')),
    ));
    terminated(name, blank)
        .parse(input)
        .map_err(|_: Err<Rejection>| Err::Error(Rejection::expected(input, "a trace variable")))
}

/// Reads a word that is no keyword.
fn plain_word(input: &str) -> Parsed<'_, &str> {
    let word = recognize((satisfy(starts_word), take_while(continues_word)));
    verify(word, |word: &str| !KEYWORDS.contains(&word)).parse(input)
}

/// Reads text in double quotes; `\` escapes the next character.
fn quoted(input: &str) -> Parsed<'_, String> {
    let character = alt((preceded(char('\\'), anychar), none_of("\"\\")));
    let text = fold_many0(character, String::new, |mut text, c| {
        text.push(c);
        text
    });
    let close = |rest| {
        let closed: Parsed<'_, char> = char('"')(rest);
        closed.map_err(|_| Err::Error(Rejection::expected(rest, "a closing `\"`")))
    };
    delimited(char('"'), text, cut(close)).parse(input)
}

/// Reads a signal's name or a symbolic value: a word, plain or quoted, and any number of bit indices like `[3]`.
pub(super) fn name(input: &str) -> Parsed<'_, String> {
    let word = alt((quoted, plain_word.map(str::to_owned)));
    let index = recognize((char('['), digit1, char(']')));
    let indices = recognize(many0_count(index));
    let (rest, (word, indices)) = terminated((word, indices), blank).parse(input)?;
    Ok((rest, word + indices))
}

/// Reads a decimal number, possibly negative.
pub(super) fn number(input: &str) -> Parsed<'_, i64> {
    let digits = recognize((opt(char('-')), digit1));
    let (rest, digits) = terminated(digits, blank).parse(input)?;
    match digits.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => Err(Err::Failure(Rejection::new(
            input,
            ParseErrorKind::NumberTooLarge,
        ))),
    }
}
