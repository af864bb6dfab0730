//! The infix languages of HyperQB 1, HyperQB 2 and AutoHyper. One reader handles them, since they differ only in signs, precedences and the
//! notation of atoms.
//!
//! HyperQB 1 and AutoHyper have the precedences of our own language: `<->`, `->`, `\/`, `/\`, then `U R W`, loosest first. HyperQB 2 has
//! `=`, `->`, `|`, `&`, `U`, `R`. All binary operators associate to the right.

use super::cursor::Cursor;
use super::language::Dialect;
use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp};
use crate::parser::{ParseError, ParseErrorKind};
use hyperkill_core::sort::Value;

pub(super) fn read(text: &str, dialect: Dialect) -> Result<Formula, ParseError> {
    let mut reader = Reader {
        at: Cursor::new(text),
        dialect,
        bound: Vec::new(),
        trajectories: Vec::new(),
        ambient: None,
    };
    let prefix = reader.prefix()?;
    let asynchronous = reader.trajectories()?;
    let body = reader.formula()?;
    if !reader.at.is_at_end() {
        return Err(reader.at.expected("an operator or the end of the formula"));
    }
    match asynchronous {
        Some(error) => Err(error),
        None => Ok(Formula { prefix, body }),
    }
}

/// The operator of an infix sign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    And,
    Or,
    Equal,
    Op(BinaryOp),
}

/// The levels of precedence, loosest first, each with its signs.
type Levels = &'static [&'static [(&'static str, Infix)]];

const USUAL: Levels = &[
    &[
        ("<->", Infix::Op(BinaryOp::Iff)),
        ("xor", Infix::Op(BinaryOp::Xor)),
    ],
    &[("->", Infix::Op(BinaryOp::Implies))],
    &[("\\/", Infix::Or), ("||", Infix::Or), ("|", Infix::Or)],
    &[("/\\", Infix::And), ("&&", Infix::And), ("&", Infix::And)],
    &[
        ("U", Infix::Op(BinaryOp::Until)),
        ("R", Infix::Op(BinaryOp::Release)),
        ("W", Infix::Op(BinaryOp::WeakUntil)),
    ],
];

const HYPERQB2: Levels = &[
    &[("=", Infix::Equal)],
    &[("->", Infix::Op(BinaryOp::Implies))],
    &[("|", Infix::Or)],
    &[("&", Infix::And)],
    &[("U", Infix::Op(BinaryOp::Until))],
    &[("R", Infix::Op(BinaryOp::Release))],
];

/// An operand that may turn out to be one side of a comparison.
enum Term {
    Formula(Ltl),
    Value(Value),
}

struct Reader<'a> {
    at: Cursor<'a>,
    dialect: Dialect,
    bound: Vec<TraceVar>,
    trajectories: Vec<TraceVar>,
    /// The trace of all names inside `{…}_A`.
    ambient: Option<TraceVar>,
}

impl<'a> Reader<'a> {
    fn levels(&self) -> Levels {
        match self.dialect {
            // Inside braces and stars, comparisons bind alike in all languages.
            Dialect::HyperQb2 if self.ambient.is_none() => HYPERQB2,
            _ => USUAL,
        }
    }

    fn prefix(&mut self) -> Result<Vec<(Quantifier, TraceVar)>, ParseError> {
        let mut prefix = Vec::new();
        loop {
            let quantifier = match self.peek_word() {
                "forall" | "Forall" => Quantifier::Forall,
                "exists" | "Exists" => Quantifier::Exists,
                _ if prefix.is_empty() => return Err(self.at.expected("a quantifier")),
                _ => return Ok(prefix),
            };
            self.at.skip("forall".len());
            self.at.skip_blanks();
            let before = self.at;
            let trace = TraceVar::new(self.at.trace_name()?);
            if self.bound.contains(&trace) {
                return Err(before.wrong(ParseErrorKind::Repeated(trace.0)));
            }
            self.bound.push(trace.clone());
            prefix.push((quantifier, trace));
            self.at.require(".", "`.`")?;
        }
    }

    /// Reads `A t .` and `E t .`: quantifiers over trajectories, which belong to another logic. Returns the error to report at the end of
    /// the formula; `None` if there are no such quantifiers.
    fn trajectories(&mut self) -> Result<Option<ParseError>, ParseError> {
        let mut first = None;
        while matches!(self.peek_word(), "A" | "E") {
            let before = self.at;
            self.at.skip(1);
            self.at.skip_blanks();
            let name = match self.at.trace_name() {
                Ok(name) if self.at.rest().starts_with('.') => TraceVar::new(name),
                _ => {
                    self.at = before;
                    break;
                }
            };
            self.at.require(".", "`.`")?;
            first =
                first.or_else(|| Some(before.wrong(ParseErrorKind::Asynchronous(name.0.clone()))));
            self.trajectories.push(name);
        }
        Ok(first)
    }

    fn peek_word(&self) -> &'a str {
        self.at.span(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn formula(&mut self) -> Result<Ltl, ParseError> {
        let before = self.at;
        match self.level(0)? {
            Term::Formula(formula) => Ok(formula),
            Term::Value(_) => Err(before.expected("a formula")),
        }
    }

    /// Reads a term in which operators outside of parentheses bind at least as strongly as this level; level 0 is the loosest.
    fn level(&mut self, level: usize) -> Result<Term, ParseError> {
        let levels = self.levels();
        let Some(signs) = levels.get(level) else {
            return self.unary();
        };
        let before = self.at;
        let left = self.level(level + 1)?;
        let Some(infix) = self.sign(signs) else {
            return Ok(left);
        };
        self.at.descend()?;
        let result = match infix {
            Infix::Equal => {
                let right = self.level(level)?;
                compared(left, right, true).ok_or_else(|| before.expected("a signal"))?
            }
            Infix::Op(op) => {
                let left = truth(left, before)?;
                let here = self.at;
                let right = self.level(level)?;
                Ltl::binary(op, left, truth(right, here)?)
            }
            Infix::And | Infix::Or => {
                let mut operands = vec![truth(left, before)?];
                loop {
                    let here = self.at;
                    let next = self.level(level + 1)?;
                    operands.push(truth(next, here)?);
                    if self.sign(signs).is_none() {
                        break;
                    }
                }
                match infix {
                    Infix::And => Ltl::And(operands),
                    _ => Ltl::Or(operands),
                }
            }
        };
        self.at.ascend();
        Ok(Term::Formula(result))
    }

    /// Reads one of these signs, if it is next, and returns its operator; `None` if none is next.
    fn sign(&mut self, signs: &[(&'static str, Infix)]) -> Option<Infix> {
        for &(sign, infix) in signs {
            let is_word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
            if is_word && self.peek_word() != sign {
                continue;
            }
            if self.at.take(sign) {
                return Some(infix);
            }
        }
        None
    }

    fn unary(&mut self) -> Result<Term, ParseError> {
        self.at.descend()?;
        let before = self.at;
        let result = if self.at.take("~") || self.at.take("!") || self.at.take("¬") {
            Term::Formula(self.operand()?.not())
        } else if let Some(op) = self.temporal() {
            Term::Formula(Ltl::unary(op, self.operand()?))
        } else {
            let first = self.primary()?;
            self.comparison(first, before)?
        };
        self.at.ascend();
        Ok(result)
    }

    fn operand(&mut self) -> Result<Ltl, ParseError> {
        let before = self.at;
        let term = self.unary()?;
        truth(term, before)
    }

    /// Reads the first letter of a word of `X`, `F` and `G`, and returns its operator. `None`, without reading, if the next word is another
    /// word or a name.
    fn temporal(&mut self) -> Option<UnaryOp> {
        let word = self.peek_word();
        let mut after = self.at;
        after.skip(word.len());
        after.skip_blanks();
        let is_name = self.is_name_before(&after);
        if word.is_empty() || is_name || !word.chars().all(|c| matches!(c, 'X' | 'F' | 'G')) {
            return None;
        }
        let op = match word.as_bytes()[0] {
            b'X' => UnaryOp::Next,
            b'F' => UnaryOp::Finally,
            _ => UnaryOp::Globally,
        };
        self.at.skip(1);
        self.at.skip_blanks();
        Some(op)
    }

    /// Whether the word that ends at `after` is a name: `[` follows or, inside braces, `=` or the end of the text.
    fn is_name_before(&self, after: &Cursor<'_>) -> bool {
        let rest = after.rest();
        rest.starts_with('[')
            || (self.ambient.is_some() && (rest.is_empty() || rest.starts_with('=')))
    }

    /// Reads `= b` or `!= b` after `left`, where comparisons bind strongest. Returns `left` if no comparison follows. `before` is the place
    /// of `left` for errors.
    fn comparison(&mut self, left: Term, before: Cursor<'a>) -> Result<Term, ParseError> {
        if self.dialect == Dialect::HyperQb2 && self.ambient.is_none() {
            return Ok(left);
        }
        let equal = if self.at.take("==") || self.at.take("=") {
            true
        } else if self.at.take("!=") {
            false
        } else {
            return Ok(left);
        };
        let right = self.primary()?;
        let formula = compared(left, right, equal);
        formula
            .map(Term::Formula)
            .ok_or_else(|| before.expected("a signal"))
    }

    fn primary(&mut self) -> Result<Term, ParseError> {
        if self.at.take("(") {
            let inner = self.level(0)?;
            self.at.require(")", "an operator or `)`")?;
            return Ok(inner);
        }
        let rest = self.at.rest();
        match rest.chars().next() {
            Some('{') => self.enclosed('}'),
            Some('*') => self.enclosed('*'),
            Some('#') => self.constant_word(),
            Some(c) if c.is_ascii_digit() || c == '-' => {
                Ok(Term::Value(Value::Int(self.at.number()?)))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named(),
            _ => Err(self.at.expected("a formula")),
        }
    }

    /// Reads `#b0101` or `#x1F`.
    fn constant_word(&mut self) -> Result<Term, ParseError> {
        let before = self.at;
        self.at.skip(1);
        let word = self.peek_word();
        let parsed = match word.split_at_checked(1) {
            Some(("b", digits)) => i64::from_str_radix(digits, 2).ok(),
            Some(("x", digits)) => i64::from_str_radix(digits, 16).ok(),
            _ => None,
        };
        self.at.skip(word.len());
        self.at.skip_blanks();
        let value = parsed.ok_or_else(|| before.expected("a value"))?;
        Ok(Term::Value(Value::Int(value)))
    }

    /// Reads `{…}_A` and `*…*_A`, in which all names belong to trace A, and `*…*` without a trace, in which names have their own. `close`
    /// is the closing sign.
    fn enclosed(&mut self, close: char) -> Result<Term, ParseError> {
        let before = self.at;
        self.at.skip(1);
        let inside = self.at;
        let Some(length) = inside.rest().find(close) else {
            return Err(before.expected(match close {
                '}' => "`{` with its `}`",
                _ => "`*` with its other `*`",
            }));
        };
        self.at.skip(length + 1);
        let ambient = match self.at.rest().starts_with('_') {
            true => {
                self.at.skip(1);
                Some(self.at.bound(&self.bound)?)
            }
            false if close == '}' => return Err(self.at.expected("`_` and a trace variable")),
            false => None,
        };
        self.at.skip_blanks();
        let mut inner = Reader {
            at: inside.until(length),
            // In stars, comparisons bind strongest, as in braces.
            dialect: Dialect::AutoHyper,
            bound: self.bound.clone(),
            trajectories: self.trajectories.clone(),
            ambient,
        };
        inner.at.skip_blanks();
        let term = inner.level(0)?;
        match inner.at.is_at_end() {
            true => Ok(term),
            false => Err(inner.at.expected("an operator")),
        }
    }

    /// Reads a constant, a signal of a trace, or a symbolic value.
    fn named(&mut self) -> Result<Term, ParseError> {
        let mut name = self.name().to_owned();
        if matches!(name.as_str(), "true" | "TRUE" | "True") {
            return Ok(Term::Formula(Ltl::Constant(true)));
        }
        if matches!(name.as_str(), "false" | "FALSE" | "False") {
            return Ok(Term::Formula(Ltl::Constant(false)));
        }
        // Indices of bits and of elements come before the trace.
        loop {
            let mut ahead = self.at;
            if !ahead.take("[") {
                break;
            }
            let digits = ahead.span(|c| c.is_ascii_digit());
            if digits.is_empty() {
                break;
            }
            name.push_str(&format!("[{digits}]"));
            ahead.skip(digits.len());
            ahead.skip_blanks();
            ahead.require("]", "`]`")?;
            self.at = ahead;
        }
        if let Some(trace) = self.ambient.clone() {
            return Ok(Term::Formula(Ltl::Atom(Atom::Signal(SignalOf {
                name,
                trace,
            }))));
        }
        if !self.at.take("[") {
            return Ok(Term::Value(Value::Symbol(name)));
        }
        let trace = self.at.bound(&self.bound)?;
        self.at.require("]", "`]`")?;
        if !self.trajectories.is_empty() && self.at.take("[") {
            self.at.bound(&self.trajectories)?;
            self.at.require("]", "`]`")?;
        }
        Ok(Term::Formula(Ltl::Atom(Atom::Signal(SignalOf {
            name,
            trace,
        }))))
    }

    /// Reads a word, which may contain `.`, and `-` before another character of a word.
    fn name(&mut self) -> &'a str {
        let rest = self.at.rest();
        let mut end = 0;
        let mut characters = rest.char_indices().peekable();
        while let Some((index, c)) = characters.next() {
            let is_hyphen = c == '-'
                && (characters.peek()).is_some_and(|(_, next)| next.is_ascii_alphanumeric());
            if !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '\'') || is_hyphen) {
                break;
            }
            end = index + c.len_utf8();
        }
        let name = &rest[..end];
        self.at.skip(end);
        self.at.skip_blanks();
        name
    }
}

/// Returns the formula of a term.
///
/// # Errors
/// If the term is a value; `at` is its location.
fn truth(term: Term, at: Cursor<'_>) -> Result<Ltl, ParseError> {
    match term {
        Term::Formula(formula) => Ok(formula),
        Term::Value(_) => Err(at.expected("a formula, not a value")),
    }
}

/// Returns `left = right`, or `left != right` unless `equal`: a comparison of signals and values, or an equivalence of formulas. `None` if
/// one side is a value and the other is no signal.
fn compared(left: Term, right: Term, equal: bool) -> Option<Ltl> {
    let atom = match (left, right) {
        (
            Term::Formula(Ltl::Atom(Atom::Signal(left))),
            Term::Formula(Ltl::Atom(Atom::Signal(right))),
        ) => Atom::Equal(left, Operand::Signal(right)),
        (Term::Formula(Ltl::Atom(Atom::Signal(signal))), Term::Value(value))
        | (Term::Value(value), Term::Formula(Ltl::Atom(Atom::Signal(signal)))) => {
            Atom::Equal(signal, Operand::Value(value))
        }
        (Term::Formula(left), Term::Formula(right)) => {
            let op = if equal { BinaryOp::Iff } else { BinaryOp::Xor };
            return Some(Ltl::binary(op, left, right));
        }
        _ => return None,
    };
    let atom = Ltl::Atom(atom);
    Some(if equal { atom } else { atom.not() })
}
