//! How a language spells operators.

use crate::tree::{BinaryOp, UnaryOp};

/// How tightly an operator binds its operands: the greater the tighter.
pub type Level = u8;

/// The level of numbers, names and whatever stands in parentheses.
pub const PRIMARY: Level = Level::MAX;

/// An operator between two operands.
#[derive(Clone, Copy, Debug)]
pub struct Infix {
    /// Its spelling.
    pub sign: &'static str,
    /// What it means.
    pub op: BinaryOp,
    /// How tightly it binds. `a OP b OP c` is `(a OP b) OP c`, but of relational operators it is an error.
    pub level: Level,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// Its spelling.
    pub sign: &'static str,
    /// What it means.
    pub op: UnaryOp,
    /// How tightly it binds.
    pub level: Level,
}

/// The operators of a language. Each meaning has one spelling that replacements are written with: the first.
#[derive(Clone, Copy, Debug)]
pub struct Operators {
    /// Those between two operands.
    pub infix: &'static [Infix],
    /// Those before an operand.
    pub prefix: &'static [Prefix],
    /// How true is spelled.
    pub yes: &'static str,
    /// How false is spelled.
    pub no: &'static str,
    /// How the command that does nothing is spelled.
    pub skip: &'static str,
    /// What stands between a variable and its new value.
    pub assign: &'static str,
    /// What stands between a guard and what it guards.
    pub guard: &'static str,
    /// What stands between commands that follow each other.
    pub then: &'static str,
    /// What stands between commands of which one is chosen.
    pub choice: &'static str,
    /// How a name is written: between quotation marks if it needs them.
    pub name: fn(&str) -> String,
}

impl Operators {
    /// The operator between operands with this spelling.
    #[must_use]
    pub fn infix(&self, sign: &str) -> Option<&'static Infix> {
        self.infix.iter().find(|infix| infix.sign == sign)
    }

    /// The operator before an operand with this spelling.
    #[must_use]
    pub fn prefix(&self, sign: &str) -> Option<&'static Prefix> {
        self.prefix.iter().find(|prefix| prefix.sign == sign)
    }

    /// How an operator is spelled, if the language has it.
    #[must_use]
    pub fn of(&self, op: BinaryOp) -> Option<&'static Infix> {
        self.infix.iter().find(|infix| infix.op == op)
    }

    /// How an operator with one operand is spelled, if the language has it.
    #[must_use]
    pub fn before(&self, op: UnaryOp) -> Option<&'static Prefix> {
        self.prefix.iter().find(|prefix| prefix.op == op)
    }

    /// The spelling of a truth value.
    #[must_use]
    pub fn truth(&self, value: bool) -> &'static str {
        if value { self.yes } else { self.no }
    }
}
