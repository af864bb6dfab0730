//! The input of a rule and its proposals.

use hyperkill_frontend::{Span, mutation};
use rustc_hash::FxHashSet;

use crate::ast::{BinaryOp, Branch, ExprId, Target};
use crate::context::Context;
use crate::resolve::Model;
use crate::types::Types;

/// The change that a mutant makes at its site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The operator of a binary expression is replaced.
    Operator(BinaryOp),
    /// The truth value is negated.
    Negate,
    /// `!` is removed.
    DropNot,
    /// This number is added to an integer.
    Offset(i64),
    /// The symbol is replaced.
    Symbol(String),
    /// The constant is replaced by `TRUE` or `FALSE`.
    Truth(bool),
    /// The branch of a `case` with this index is removed.
    DropBranch(usize),
    /// The assignment is removed.
    DropAssignment,
    /// The expression is replaced by the replacement text.
    Replace,
    /// A variable is replaced by its value of the step before, which an additional variable stores.
    Delay,
}

/// The site of a mutant's change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// An expression, with all copies of it.
    Expr(ExprId),
    /// The assignment at this place in the source.
    Assignment(Span),
}

/// A mutant with its meaning.
pub type Mutation = mutation::Mutation<Meaning>;

/// The effect of a mutant on a model.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The site of the change in the model.
    pub site: Site,
    /// The change that the mutant makes at the site.
    pub change: Change,
    /// The reason why the mutant is no system, if it is none.
    pub rejected: Option<String>,
}

/// A place that a rule reads.
pub(super) enum Point<'a> {
    Expr {
        id: ExprId,
        position: Position,
    },
    Branch {
        case: ExprId,
        index: usize,
        branches: &'a [Branch],
    },
    Assignment {
        /// The full name of the variable.
        name: &'a str,
        target: Target,
        value: ExprId,
        span: Span,
    },
    /// A conjunct of a constraint.
    Conjunct(ExprId),
}

/// The position of an expression in its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Position {
    /// The condition of a branch.
    Guard,
    /// The operand of `!`.
    Negated,
    /// The first operands of a longer chain: `a & b` in `a & b & c`.
    ChainStart,
    /// A position for any expression without parentheses: a complete value, an element of a set.
    Open,
    /// The operand of an operator.
    Operand,
}

impl Position {
    /// Whether any expression may stand there without parentheses.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Position::Guard | Position::Open)
    }
}

/// A replacement that a rule proposes.
pub(super) struct Edit {
    pub(super) site: Site,
    pub(super) change: Change,
    pub(super) span: Span,
    pub(super) replacement: String,
}

/// The facts that rules may read.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) types: &'a Types,
    pub(super) context: &'a Context,
    pub(super) text: &'a str,
    /// The prefix of the names of the current instance.
    pub(super) prefix: &'a str,
    /// Expressions of the source that initial values depend on, in some instance.
    pub(super) initial: &'a FxHashSet<ExprId>,
    /// The current assignment or DEFINE.
    pub(super) statement: Option<Statement>,
    /// Whether next values are read: inside a `next(…)`.
    pub(super) ahead: bool,
}

/// An assignment or a DEFINE, in the source.
#[derive(Clone, Copy)]
pub(super) struct Statement {
    /// The keyword of the section.
    pub(super) section: &'static str,
    /// Its place, from the left side to the end of the value.
    pub(super) span: Span,
}

impl Scene<'_> {
    /// Returns an edit that replaces an expression by a text.
    pub(super) fn replace(&self, id: ExprId, replacement: String) -> Edit {
        Edit {
            site: Site::Expr(id),
            change: Change::Replace,
            span: self.model.exprs()[id].span,
            replacement,
        }
    }

    /// Returns the text of an expression without surrounding parentheses.
    pub(super) fn text_of(&self, id: ExprId) -> &str {
        self.model.exprs()[id].span.of(self.text)
    }
}

/// A mutation operator.
pub(super) type Rule = mutation::Rule<Edits>;

/// The edits that a rule proposes at a place.
pub(super) type Edits = fn(&Scene<'_>, &Point<'_>) -> Vec<Edit>;
