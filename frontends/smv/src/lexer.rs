//! Splits text into tokens, as NuSMV 2.5 does. Comments are collected separately, since they have annotations.
//!
//! Names may contain `-`, `$` and `#`, so `wtr-1` is one name. Only this module uses `nom`.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while};
use nom::character::complete::{digit0, digit1, not_line_ending, one_of, satisfy, space1};
use nom::combinator::{map, opt, recognize};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

pub use hyperkill_frontend::mutation::Comment;
use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_text::Source;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name that is no keyword.
    Name,
    /// Decimal digits.
    Number,
    /// A constant word: `0ud8_5`.
    Word,
    /// A reserved word.
    Keyword(&'static str),
    /// An operator or a bracket.
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
        matches!(self, TokenKind::Keyword(_))
    }

    fn unexpected(wanted: &str, there: Token<'_>) -> String {
        let there = match there.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", there.text),
        };
        format!("expected {wanted}, found {there}")
    }
}

/// A token and where it stands.
pub type Token<'a> = hyperkill_text::Token<'a, TokenKind>;

/// The tokens of a text, read from the front.
pub type Tokens<'a> = hyperkill_text::Tokens<'a, TokenKind>;

/// The result of the lexer for a text.
#[derive(Clone, Debug)]
pub struct Lexed<'a> {
    /// The tokens, `End` last.
    pub tokens: Vec<Token<'a>>,
    /// The comments of the text.
    pub comments: Vec<Comment>,
    /// Errors about characters that begin no token.
    pub errors: Vec<Diagnostic>,
}

/// A source with the comments in it, which carry annotations.
#[derive(Clone, Copy, Debug)]
pub struct Commented<'a> {
    /// The source that the comments are in.
    pub source: &'a SourceFile,
    /// The comments of the source, in order.
    pub comments: &'a [Comment],
}

/// Words that cannot be names, in order.
pub const KEYWORDS: &[&str] = &[
    "A",
    "ABF",
    "ABG",
    "AF",
    "AG",
    "ASSIGN",
    "AX",
    "BU",
    "COMPASSION",
    "COMPID",
    "COMPUTE",
    "COMPWFF",
    "CONSTANTS",
    "CONSTRAINT",
    "CTLSPEC",
    "CTLWFF",
    "DEFINE",
    "E",
    "EBF",
    "EBG",
    "EF",
    "EG",
    "EX",
    "F",
    "FAIRNESS",
    "FALSE",
    "FROZENVAR",
    "G",
    "H",
    "IN",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "IVAR",
    "Integer",
    "JUSTICE",
    "LTLSPEC",
    "LTLWFF",
    "MAX",
    "MDEFINE",
    "MIN",
    "MIRROR",
    "MODULE",
    "NAME",
    "NEXTWFF",
    "O",
    "PRED",
    "PREDICATES",
    "PSLSPEC",
    "READ",
    "Real",
    "S",
    "SIMPWFF",
    "SPEC",
    "T",
    "TRANS",
    "TRUE",
    "U",
    "V",
    "VAR",
    "WRITE",
    "Word",
    "X",
    "Y",
    "Z",
    "array",
    "bool",
    "boolean",
    "case",
    "count",
    "esac",
    "extend",
    "in",
    "init",
    "integer",
    "mod",
    "next",
    "of",
    "process",
    "real",
    "resize",
    "self",
    "signed",
    "sizeof",
    "swconst",
    "toint",
    "union",
    "unsigned",
    "uwconst",
    "word",
    "word1",
    "xnor",
    "xor",
];

/// The length of the longest reserved word, in bytes.
const LONGEST_KEYWORD: usize = 10;

/// Operators and brackets, longer before shorter.
const SIGNS: &[&str] = &[
    "<->", ":=", "<<", ">>", "!=", "<=", ">=", "..", "->", "::", "(", ")", "[", "]", "{", "}", "+",
    "-", "*", "/", "=", "<", ">", ".", "|", "&", "!", "?", ",", ":", ";",
];

/// Whether the character may stand inside a name.
#[must_use]
pub fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '-')
}

fn name(input: &str) -> IResult<&str, &str> {
    let first = satisfy(|c| c.is_ascii_alphabetic() || c == '_');
    recognize(pair(first, take_while(is_name_character))).parse(input)
}

fn word(input: &str) -> IResult<&str, TokenKind> {
    map(name, |text: &str| {
        let is_short = text.len() <= LONGEST_KEYWORD;
        match is_short.then(|| KEYWORDS.binary_search(&text)) {
            Some(Ok(at)) => TokenKind::Keyword(KEYWORDS[at]),
            _ => TokenKind::Name,
        }
    })
    .parse(input)
}

/// Parses `0`, signed or not, base, width if given, `_`, digits.
fn word_constant(input: &str) -> IResult<&str, &str> {
    let digit = |c: char| c.is_ascii_hexdigit() || c == '_';
    recognize((
        tag("0"),
        opt(one_of("us")),
        one_of("bBoOdDhH"),
        digit0,
        tag("_"),
        satisfy(|c| c.is_ascii_hexdigit()),
        take_while(digit),
    ))
    .parse(input)
}

fn sign(input: &str) -> IResult<&str, TokenKind> {
    for &sign in SIGNS {
        if let Some(rest) = input.strip_prefix(sign) {
            return Ok((rest, TokenKind::Sign(sign)));
        }
    }
    Err(nom::Err::Error(nom::error::Error::new(
        input,
        nom::error::ErrorKind::Tag,
    )))
}

fn token(input: &str) -> IResult<&str, TokenKind> {
    alt((
        word,
        map(word_constant, |_| TokenKind::Word),
        map(digit1, |_| TokenKind::Number),
        sign,
    ))
    .parse(input)
}

/// Parses a comment, `-- to the end of the line` or `/-- up to --/`. Returns its text.
fn comment(input: &str) -> IResult<&str, &str> {
    alt((
        delimited(tag("/--"), take_until("--/"), tag("--/")),
        preceded(tag("--"), not_line_ending),
    ))
    .parse(input)
}

/// Parses `# 12 "model.smv"` on a line of its own: the mark of a macro processor for the origin of a line.
fn line_marker(input: &str) -> IResult<&str, &str> {
    recognize((tag("#"), space1, digit1, not_line_ending)).parse(input)
}

/// Returns the text after white space. A byte order mark, which editors put before the first character, counts as white space.
fn white_space(input: &str) -> &str {
    input.trim_start_matches([' ', '\t', '\r', '\n', '\x0c', '\u{feff}'])
}

/// Splits a text into tokens and comments. Each stretch of characters that begin no token is skipped and reported once.
#[must_use]
pub fn lex(text: &str) -> Lexed<'_> {
    let source = Source { file: 0, text };
    let offset = |rest: &str| text.len() - rest.len();
    let mut found = Lexed {
        tokens: Vec::new(),
        comments: Vec::new(),
        errors: Vec::new(),
    };
    let mut rest = text;
    let mut line_has_token = false;
    loop {
        let start = offset(rest);
        rest = white_space(rest);
        if text[start..offset(rest)].contains('\n') {
            line_has_token = false;
        }
        let start = offset(rest);
        if rest.is_empty() {
            found.tokens.push(Token {
                kind: TokenKind::End,
                text: rest,
                span: Span::new(start, start),
            });
            return found;
        }
        if let Ok((after, inside)) = comment(rest) {
            found.comments.push(Comment {
                text: source.span(inside),
                own_line: !line_has_token,
            });
            rest = after;
        } else if let (false, Ok((after, _))) = (line_has_token, line_marker(rest)) {
            rest = after;
        } else if rest.starts_with("/--") {
            found.errors.push(
                Diagnostic::error(Span::new(start, start + 3), "this comment does not end")
                    .with_help("`/--` comments end with `--/`"),
            );
            rest = "";
        } else if let Ok((after, kind)) = token(rest) {
            let end = offset(after);
            found.tokens.push(Token {
                kind,
                text: &text[start..end],
                span: Span::new(start, end),
            });
            line_has_token = true;
            rest = after;
        } else {
            let end = stretch_of_strangers(rest);
            let strange = &rest[..end];
            found.errors.push(Diagnostic::error(
                Span::new(start, start + end),
                format!("`{strange}` means nothing in SMV"),
            ));
            rest = &rest[end..];
        }
    }
}

/// Returns the number of bytes at the front of a text that begin no token; at least one character.
fn stretch_of_strangers(text: &str) -> usize {
    text.char_indices()
        .skip(1)
        .find(|(i, c)| c.is_whitespace() || c.is_ascii() && token(&text[*i..]).is_ok())
        .map_or(text.len(), |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings(text: &str) -> Vec<&str> {
        let tokens = lex(text).tokens;
        tokens.iter().map(|t| t.text).collect()
    }

    #[test]
    fn signs_are_cut_as_long_as_possible_and_names_swallow_minus() {
        assert_eq!(
            spellings("a<->b <-> c-1 x:=0..3"),
            ["a", "<->", "b", "<->", "c-1", "x", ":=", "0", "..", "3", ""]
        );
    }

    #[test]
    fn reserved_words_are_in_order() {
        assert!(KEYWORDS.is_sorted());
        let longest = KEYWORDS.iter().map(|word| word.len()).max();
        assert_eq!(longest, Some(LONGEST_KEYWORD));
    }

    #[test]
    fn comments_of_both_kinds_are_kept_aside() {
        let text = "VAR -- @input\n  /-- a\nb --/ x\n-- own\n";
        let found = lex(text);
        let comments: Vec<(&str, bool)> = found
            .comments
            .iter()
            .map(|c| (c.text.of(text), c.own_line))
            .collect();
        assert_eq!(
            comments,
            [(" @input", false), (" a\nb ", true), (" own", true)]
        );
        assert_eq!(found.tokens.len(), 3);
    }

    #[test]
    fn line_markers_are_skipped_where_they_have_a_line_of_their_own() {
        let found = lex("# 1 \"model.smv\"\nMODULE main\n  # 7\nVAR");
        assert_eq!((found.tokens.len(), found.errors.len()), (4, 0));
        assert_eq!(lex("x # 1").errors.len(), 1);
    }

    #[test]
    fn a_byte_order_mark_is_no_strange_character() {
        let found = lex("\u{feff}MODULE main");
        assert_eq!((found.tokens.len(), found.errors.len()), (3, 0));
    }

    #[test]
    fn strange_characters_are_reported_once_per_stretch() {
        let found = lex("x = εε + \"\u{1F375}; /-- open");
        let messages: Vec<&str> = found.errors.iter().map(|e| e.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`εε` means nothing in SMV",
                "`\"\u{1F375}` means nothing in SMV",
                "this comment does not end"
            ]
        );
    }
}
