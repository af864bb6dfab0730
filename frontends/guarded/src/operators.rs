//! The operators of a language.

use crate::tree::{BinaryOp, UnaryOp};

/// The precedence of an operator: higher binds tighter.
pub type Level = u8;

/// The precedence of numbers, names and expressions in parentheses.
pub const PRIMARY: Level = Level::MAX;

/// An operator between two operands.
#[derive(Clone, Copy, Debug)]
pub struct Infix {
    /// The spelling of the operator.
    pub sign: &'static str,
    /// The meaning of the operator.
    pub op: BinaryOp,
    /// The precedence. `a OP b OP c` is `(a OP b) OP c`; for relational operators it is an error.
    pub level: Level,
}

impl Infix {
    /// Returns an operator with this spelling, meaning and precedence.
    #[must_use]
    pub const fn new(sign: &'static str, op: BinaryOp, level: Level) -> Infix {
        Infix { sign, op, level }
    }
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// The spelling of the operator.
    pub sign: &'static str,
    /// The meaning of the operator.
    pub op: UnaryOp,
    /// The precedence of the operator.
    pub level: Level,
}

/// The operators of a language. Replacements are written with the first spelling of each meaning.
#[derive(Clone, Copy, Debug)]
pub struct Operators {
    /// The binary operators of the language.
    pub infix: &'static [Infix],
    /// The unary operators of the language.
    pub prefix: &'static [Prefix],
    /// The spelling of the constant true.
    pub yes: &'static str,
    /// The spelling of the constant false.
    pub no: &'static str,
    /// The spelling of the command without effect.
    pub skip: &'static str,
    /// The sign between a variable and its new value.
    pub assign: &'static str,
    /// The sign between a guard and its command.
    pub guard: &'static str,
    /// The sign between commands in sequence.
    pub then: &'static str,
    /// The sign between alternatives of a choice.
    pub choice: &'static str,
    /// Writes a name, in quotation marks if it needs them.
    pub name: fn(&str) -> String,
}

impl Operators {
    /// Returns the binary operator with this spelling; `None` if the language has none.
    #[must_use]
    pub fn infix(&self, sign: &str) -> Option<&'static Infix> {
        self.infix.iter().find(|infix| infix.sign == sign)
    }

    /// Returns the unary operator with this spelling; `None` if the language has none.
    #[must_use]
    pub fn prefix(&self, sign: &str) -> Option<&'static Prefix> {
        self.prefix.iter().find(|prefix| prefix.sign == sign)
    }

    /// Returns the spelling and precedence of a binary operator, if the language has it.
    #[must_use]
    pub fn of(&self, op: BinaryOp) -> Option<&'static Infix> {
        self.infix.iter().find(|infix| infix.op == op)
    }

    /// Returns the spelling and precedence of a unary operator, if the language has it.
    #[must_use]
    pub fn before(&self, op: UnaryOp) -> Option<&'static Prefix> {
        self.prefix.iter().find(|prefix| prefix.op == op)
    }

    /// Returns the spelling of a truth value.
    #[must_use]
    pub fn truth(&self, value: bool) -> &'static str {
        if value { self.yes } else { self.no }
    }
}
