//! Formulas as text: the readable ASCII dialect, with no more parentheses than needed.
//!
//! The parser reads printed text as the same tree. A formula is printed on one line.

use std::fmt::{self, Write as _};

use hyperkill_core::sort::Value;

use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, UnaryOp};

/// The keywords of the language. Signals and values with these names are printed in quotes.
pub(crate) const KEYWORDS: [&str; 16] = [
    "exists", "forall", "true", "false", "mut", "I", "O", "latches", "X", "wX", "F", "G", "U", "R",
    "W", "xor",
];

/// The precedence of an operator, loosest first, for this printer and for the parser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Iff,
    Implies,
    Xor,
    Or,
    And,
    Until,
    Unary,
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (quantifier, trace) in &self.prefix {
            let word = match quantifier {
                Quantifier::Exists => "exists",
                Quantifier::Forall => "forall",
            };
            write!(f, "{word} {trace}. ")?;
        }
        write!(f, "{}", self.body)
    }
}

impl fmt::Display for Ltl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, Level::Iff, f)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_atom(self, "=", f)
    }
}

/// Prints `formula` with parentheses around operators weaker than `least`.
fn print(formula: &Ltl, least: Level, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let level = level(formula);
    if level < least {
        f.write_char('(')?;
        print(formula, Level::Iff, f)?;
        return f.write_char(')');
    }
    match formula {
        Ltl::Constant(value) => write!(f, "{value}"),
        Ltl::Atom(atom) => print_atom(atom, "=", f),
        Ltl::Unary(op, operand) => match (op, operand.as_ref()) {
            (UnaryOp::Not, Ltl::Atom(atom)) if is_equality(atom) => print_atom(atom, "!=", f),
            _ => {
                f.write_str(match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Next => "X ",
                    UnaryOp::WeakNext => "wX ",
                    UnaryOp::Finally => "F ",
                    UnaryOp::Globally => "G ",
                    UnaryOp::Previously => "Y ",
                    UnaryOp::WeakPreviously => "Z ",
                    UnaryOp::Once => "O ",
                    UnaryOp::Historically => "H ",
                })?;
                // The parser would read `G a = b` correctly, but parentheses help people.
                match operand.as_ref() {
                    Ltl::Atom(atom) if is_equality(atom) => parenthesised(operand, f),
                    Ltl::Unary(UnaryOp::Not, inner) if is_disequality(inner) => {
                        parenthesised(operand, f)
                    }
                    _ => print(operand, Level::Unary, f),
                }
            }
        },
        Ltl::Binary(op, left, right) => {
            // All operators associate to the right.
            print(left, level.next(), f)?;
            f.write_str(match op {
                BinaryOp::Implies => " -> ",
                BinaryOp::Iff => " <-> ",
                BinaryOp::Xor => " xor ",
                BinaryOp::Until => " U ",
                BinaryOp::Release => " R ",
                BinaryOp::WeakUntil => " W ",
                BinaryOp::StrongRelease => " M ",
                BinaryOp::Since => " S ",
                BinaryOp::Triggered => " T ",
            })?;
            print(right, level, f)
        }
        Ltl::And(operands) => chain(operands, " & ", level, f),
        Ltl::Or(operands) => chain(operands, " | ", level, f),
    }
}

fn parenthesised(formula: &Ltl, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('(')?;
    print(formula, Level::Iff, f)?;
    f.write_char(')')
}

fn chain(
    operands: &[Ltl],
    separator: &str,
    level: Level,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (i, operand) in operands.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        print(operand, level.next(), f)?;
    }
    Ok(())
}

impl Level {
    /// Returns the next stronger level.
    pub(crate) fn next(self) -> Level {
        match self {
            Level::Iff => Level::Implies,
            Level::Implies => Level::Xor,
            Level::Xor => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Until,
            Level::Until | Level::Unary => Level::Unary,
        }
    }
}

fn level(formula: &Ltl) -> Level {
    match formula {
        Ltl::Constant(_) | Ltl::Atom(_) | Ltl::Unary(..) => Level::Unary,
        Ltl::Binary(BinaryOp::Iff, ..) => Level::Iff,
        Ltl::Binary(BinaryOp::Implies, ..) => Level::Implies,
        Ltl::Binary(BinaryOp::Xor, ..) => Level::Xor,
        Ltl::Binary(..) => Level::Until,
        Ltl::And(_) => Level::And,
        Ltl::Or(_) => Level::Or,
    }
}

fn is_equality(atom: &Atom) -> bool {
    match atom {
        Atom::Selector(_) | Atom::System(..) | Atom::Signal(_) => false,
        Atom::Equal(..)
        | Atom::InputsEqual(..)
        | Atom::OutputsEqual(..)
        | Atom::InputsEqualExcept(..)
        | Atom::StatesEqual(..) => true,
    }
}

fn is_disequality(negated: &Ltl) -> bool {
    matches!(negated, Ltl::Atom(atom) if is_equality(atom))
}

fn print_atom(atom: &Atom, relation: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match atom {
        Atom::Selector(p) => write!(f, "mut[{p}]"),
        Atom::System(p, number) => write!(f, "mut#{number}[{p}]"),
        Atom::Signal(signal) => write!(f, "{signal}"),
        Atom::Equal(left, Operand::Signal(right)) => write!(f, "{left} {relation} {right}"),
        Atom::Equal(left, Operand::Value(Value::Int(n))) => write!(f, "{left} {relation} {n}"),
        Atom::Equal(left, Operand::Value(Value::Symbol(symbol))) => {
            write!(f, "{left} {relation} ")?;
            print_word(symbol, is_plain_word(symbol), f)
        }
        Atom::InputsEqual(p, q) => write!(f, "I[{p}] {relation} I[{q}]"),
        Atom::OutputsEqual(p, q) => write!(f, "O[{p}] {relation} O[{q}]"),
        Atom::StatesEqual(p, q) => write!(f, "latches[{p}] {relation} latches[{q}]"),
        Atom::InputsEqualExcept(p, q, names) => {
            write!(f, "I[{p}] {relation} I[{q}] except {{")?;
            for (i, name) in names.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                print_word(name, is_plain_name(name), f)?;
            }
            f.write_char('}')
        }
    }
}

impl fmt::Display for SignalOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_word(&self.name, is_plain_name(&self.name), f)?;
        write!(f, "[{}]", self.trace)
    }
}

fn print_word(word: &str, plain: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if plain {
        return f.write_str(word);
    }
    f.write_char('"')?;
    for c in word.chars() {
        if matches!(c, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    f.write_char('"')
}

/// Whether `c` may start a signal's name or a symbol without quotes.
pub(crate) fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether `c` may occur after the first character of a signal's name or a symbol without quotes.
pub(crate) fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | ':' | '#')
}

fn is_plain_word(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(starts_word) && chars.all(continues_word) && !KEYWORDS.contains(&word)
}

/// Whether the name is a word with any number of bit indices `[3]`.
fn is_plain_name(name: &str) -> bool {
    let (word, indices) = name.split_at(name.find('[').unwrap_or(name.len()));
    if !is_plain_word(word) {
        return false;
    }
    let mut rest = indices;
    while !rest.is_empty() {
        let Some((index, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) else {
            return false;
        };
        if index.is_empty() || !index.bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        rest = after;
    }
    true
}
