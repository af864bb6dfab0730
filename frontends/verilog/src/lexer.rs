//! Source text to raw tokens, one file at a time, directives and macro usages included.
//!
//! Never fails: text that is no token becomes [`Kind::Unknown`], so that text which `ifdef` skips may be anything.

use std::sync::Arc;

use hyperkill_frontend::Span;

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// `\name `, never a keyword; the text is without backslash.
    Escaped,
    /// `$name`.
    System,
    /// Decimal digits, perhaps a real number.
    Number,
    /// `'` and a base with digits, e.g. `'hff`, or a fill `'0`.
    Based,
    /// `"…"`, the text without quotes.
    Text,
    /// An operator or bracket.
    Punct,
    /// `` `name``, the text without the back-tick.
    Directive,
    /// The end of a line; the preprocessor drops it.
    Newline,
    /// A comment with a directive to tools; see [`Remark`].
    Remark,
    /// No token of the language.
    Unknown,
    /// The end of the source.
    End,
}

/// A token with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its text.
    pub text: Arc<str>,
    /// Its place, or the place of the macro usage that it comes from.
    pub span: Span,
    /// The number of the macro usage that it comes from; 0 if it stands in the text itself.
    pub usage: u32,
}

impl Token {
    /// Whether it is this operator or bracket.
    #[must_use]
    pub fn is(&self, punct: &str) -> bool {
        self.kind == Kind::Punct && &*self.text == punct
    }

    /// Whether it is this keyword.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && &*self.text == word
    }
}

/// A directive to tools in a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remark {
    /// `synthesis translate_off`: the following text is for simulators.
    SkipFrom,
    /// `synthesis translate_on`.
    SkipTo,
    /// `hyperkill: off`: no mutants from here on.
    MutantsOff,
    /// `hyperkill: on`.
    MutantsOn,
    /// `hyperkill: nd`: variables declared on this line are choices.
    Choice,
}

impl Remark {
    /// Returns the directive that the words of a comment give; `None` if they are none.
    #[must_use]
    pub fn of(comment: &str) -> Option<Remark> {
        let body = comment.trim_start_matches('/').trim_matches('*').trim();
        let body = body.strip_suffix("*/").unwrap_or(body).trim();
        let mut words = body.split_whitespace();
        match (words.next()?, words.next()?, words.next()) {
            ("synopsys" | "synthesis" | "pragma", "translate_off", _) => Some(Remark::SkipFrom),
            ("synopsys" | "synthesis" | "pragma", "translate_on", _) => Some(Remark::SkipTo),
            ("hyperkill:", "off", None) => Some(Remark::MutantsOff),
            ("hyperkill:", "on", None) => Some(Remark::MutantsOn),
            ("hyperkill:", "nd", None) => Some(Remark::Choice),
            _ => None,
        }
    }
}

/// Operators and brackets, longer ones before their prefixes.
const PUNCT: &[&str] = &[
    "<<<=", ">>>=", "&&&", "<<<", ">>>", "===", "!==", "==?", "!=?", "<<=", ">>=", "**=", "->>",
    "|->", "|=>", "##", "::", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "**", "~&", "~|",
    "~^", "^~", "+:", "-:", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "=>",
    "*>", "(*", "*)", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "@", "#", "=", "<", ">",
    "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "?", "$",
];

struct Lexer<'a> {
    text: &'a str,
    file: usize,
    at: usize,
    tokens: Vec<Token>,
    /// Whether the line is the definition of a macro.
    defines: bool,
}

/// Returns the tokens of a file.
#[must_use]
pub fn lex(file: usize, text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        file,
        at: 0,
        tokens: Vec::new(),
        defines: false,
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.tokens
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Returns the length of the rest of the text up to the first character, after `skip` bytes, that does not pass `test`.
    fn span_of(&self, skip: usize, test: impl Fn(char) -> bool) -> usize {
        let rest = &self.rest()[skip..];
        skip + rest.find(|c| !test(c)).unwrap_or(rest.len())
    }

    fn push(&mut self, kind: Kind, length: usize, text: std::ops::Range<usize>) {
        let span = Span {
            file: self.file,
            start: self.at,
            end: self.at + length,
        };
        let text = Arc::from(&self.rest()[text]);
        self.tokens.push(Token {
            kind,
            text,
            span,
            usage: 0,
        });
        self.at += length;
    }

    fn next(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return;
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        match first {
            '\n' => {
                self.defines = false;
                self.push(Kind::Newline, 1, 0..1);
            }
            c if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
            '/' if rest.starts_with("//") => {
                let length = self.span_of(0, |c| c != '\n');
                let continues = rest[..length].trim_end_matches('\r').ends_with('\\');
                self.comment(length);
                // The definition of a macro continues after such a comment.
                if continues && self.defines && self.rest().starts_with('\n') {
                    self.at += 1;
                }
            }
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => self.comment(end + 4),
                None => self.push(Kind::Unknown, rest.len(), 0..2),
            },
            '"' => self.string(),
            // In bodies of macros: the two sides form one token, or a string is quoted.
            '`' if rest.starts_with("``") || rest.starts_with("`\"") => {
                self.push(Kind::Punct, 2, 0..2);
            }
            '`' => {
                let length = self.span_of(1, word);
                self.defines |= &rest[1..length] == "define";
                self.push(Kind::Directive, length, 1..length);
            }
            '\\' => match self.line_continuation() {
                Some(length) => self.at += length,
                None => {
                    let length = self.span_of(1, |c| !c.is_whitespace());
                    self.push(Kind::Escaped, length, 1..length);
                }
            },
            '$' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
                let length = self.span_of(1, word);
                self.push(Kind::System, length, 0..length);
            }
            '\'' => self.based(),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length = self.span_of(0, word);
                self.push(Kind::Word, length, 0..length);
            }
            c if c.is_ascii_digit() => self.number(),
            _ => self.punct(first),
        }
    }

    /// Returns the length of a backslash at the end of a line, with the line end. `None` if no such backslash is next.
    fn line_continuation(&self) -> Option<usize> {
        let rest = self.rest();
        if rest.starts_with("\\\n") {
            return Some(2);
        }
        rest.starts_with("\\\r\n").then_some(3)
    }

    fn comment(&mut self, length: usize) {
        match Remark::of(&self.rest()[..length]) {
            Some(_) => self.push(Kind::Remark, length, 0..length),
            None => self.at += length,
        }
    }

    fn string(&mut self) {
        let mut escaped = false;
        for (i, c) in self.rest().char_indices().skip(1) {
            match c {
                '"' if !escaped => return self.push(Kind::Text, i + 1, 1..i),
                '\n' if !escaped => break,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        self.push(Kind::Unknown, 1, 0..1);
    }

    fn number(&mut self) {
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        let mut length = self.span_of(0, digits);
        let fraction = |lexer: &Self, at: usize| {
            let rest = &lexer.rest()[at..];
            rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        };
        if fraction(self, length) {
            length = self.span_of(length + 1, digits);
        }
        let rest = &self.rest()[length..];
        if rest.starts_with(['e', 'E']) {
            let sign = usize::from(rest[1..].starts_with(['+', '-']));
            if rest[1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
                length = self.span_of(length + 1 + sign, digits);
            }
        }
        self.push(Kind::Number, length, 0..length);
    }

    /// Reads `'hff`, `'sd 3` or `'0`; digits may stand apart from the base.
    fn based(&mut self) {
        let rest = self.rest();
        let mut chars = rest[1..].chars();
        let mut length = 1;
        let mut base = chars.next();
        if matches!(base, Some('s' | 'S')) {
            length += 1;
            base = chars.next();
        }
        match base {
            Some('b' | 'B' | 'o' | 'O' | 'd' | 'D' | 'h' | 'H') => {
                length = self.span_of(length + 1, |c| c == ' ' || c == '\t');
                let digit = |c: char| {
                    c.is_ascii_hexdigit() || matches!(c, '_' | 'x' | 'X' | 'z' | 'Z' | '?')
                };
                let end = self.span_of(length, digit);
                self.push(Kind::Based, end, 0..end);
            }
            Some('0' | '1' | 'x' | 'X' | 'z' | 'Z') if length == 1 => {
                self.push(Kind::Based, 2, 0..2)
            }
            _ => self.push(Kind::Punct, 1, 0..1),
        }
    }

    fn punct(&mut self, first: char) {
        let rest = self.rest();
        // `@(*)` and `(*)` do not begin an attribute.
        let star = rest.starts_with("(*") && rest[2..].trim_start().starts_with(')');
        let found = PUNCT
            .iter()
            .find(|p| rest.starts_with(**p) && !(star && **p == "(*"));
        match found {
            Some(punct) => self.push(Kind::Punct, punct.len(), 0..punct.len()),
            None => self.push(Kind::Unknown, first.len_utf8(), 0..first.len_utf8()),
        }
    }
}
