//! The tree of a system: variables, actions, and the loop that offers them.

use std::sync::Arc;

use hyperkill_core::sort::{Sort, Value};
use hyperkill_frontend::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text of the name.
    pub text: String,
    /// The place of the name in the source.
    pub span: Span,
}

/// An expression of a [`System`], by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(u32);

impl ExprId {
    /// Returns the index of the expression in tables of all expressions.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Disjunction.
    Or,
    /// Conjunction.
    And,
    /// Equality of two values of one kind.
    Eq,
    /// Inequality of two values of one kind.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
    /// The sum of two numbers.
    Add,
    /// The difference of two numbers.
    Sub,
    /// The product of two numbers.
    Mul,
}

impl BinaryOp {
    /// Whether the operator compares two values.
    #[must_use]
    pub fn is_relational(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Whether the operator maps two numbers to a number.
    #[must_use]
    pub fn is_arithmetic(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
    }

    /// Whether the operator maps two truth values to a truth value.
    #[must_use]
    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or)
    }
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Negation of a truth value.
    Not,
    /// The number with the opposite sign.
    Minus,
}

/// The kind of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(i64),
    /// A variable, a parameter or a symbol.
    Name(String),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
}

/// An expression and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The kind of the expression, with its operands.
    pub kind: ExprKind,
    /// The place of the expression, without surrounding parentheses.
    pub span: Span,
    /// The place of the expression, with surrounding parentheses.
    pub outer: Span,
    /// The place of the operator; the complete expression if it has none.
    pub sign: Span,
    /// The first of its parts in the arena. The parts are contiguous, operands first, and the expression is the last one.
    first: ExprId,
}

impl Expr {
    /// Whether the expression is in parentheses.
    #[must_use]
    pub fn is_parenthesised(&self) -> bool {
        self.outer != self.span
    }
}

/// All expressions of a system, each after its operands.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Exprs {
    all: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression after its operands. A text has fewer expressions than bytes, and fewer than 2^32 bytes.
    pub fn add(&mut self, kind: ExprKind, span: Span, sign: Span) -> ExprId {
        let id = ExprId(self.all.len() as u32);
        let first = match &kind {
            ExprKind::Unary(_, a) | ExprKind::Binary(_, a, _) => self[*a].first,
            _ => id,
        };
        self.all.push(Expr {
            kind,
            span,
            outer: span,
            sign,
            first,
        });
        id
    }

    /// Records that an expression is in parentheses.
    pub fn enclose(&mut self, id: ExprId, outer: Span) {
        self.all[id.index()].outer = outer;
    }

    /// Maps the places and the names of all expressions from this one on.
    pub fn settle(
        &mut self,
        from: usize,
        mut place: impl FnMut(Span) -> Span,
        mut name: impl FnMut(&str, Span) -> String,
    ) {
        for expr in self.all.iter_mut().skip(from) {
            if let ExprKind::Name(text) = &mut expr.kind {
                *text = name(text, expr.span);
            }
            for span in [&mut expr.span, &mut expr.outer, &mut expr.sign] {
                *span = place(*span);
            }
        }
    }

    /// Converts 1 to true and 0 to false in the expressions from this one on.
    pub fn numbers_as_truths(&mut self, from: usize) {
        for expr in self.all.iter_mut().skip(from) {
            if let ExprKind::Number(value @ (0 | 1)) = expr.kind {
                expr.kind = ExprKind::Truth(value == 1);
            }
        }
    }

    /// Reserves memory for further expressions, so that a long list is not copied while it grows.
    pub fn reserve(&mut self, more: usize) {
        self.all.reserve(more);
    }

    /// Returns the number of expressions in the table.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the table has no expressions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the ids of all expressions, operands first.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.all.len() as u32).map(ExprId)
    }

    /// Returns all parts of an expression, operands first, the expression last.
    pub fn parts(&self, id: ExprId) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (self[id].first.0..=id.0).map(ExprId)
    }

    /// Returns the operator of a chain `a OP b OP c`, and its operands; an expression in parentheses is one operand. Other expressions are
    /// their only operand.
    #[must_use]
    pub fn chain(&self, id: ExprId) -> (Option<BinaryOp>, Vec<ExprId>) {
        let ExprKind::Binary(own, ..) = self[id].kind else {
            return (None, vec![id]);
        };
        let (mut at, mut operands) = (id, Vec::new());
        while let ExprKind::Binary(op, a, b) = self[at].kind
            && op == own
            && (at == id || !self[at].is_parenthesised())
        {
            operands.push(b);
            at = a;
        }
        operands.push(at);
        operands.reverse();
        (Some(own), operands)
    }

    /// Returns the first part of an expression, at which tables of its parts begin.
    #[must_use]
    pub fn first(&self, id: ExprId) -> ExprId {
        self[id].first
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.all[id.index()]
    }
}

/// A command of a [`System`], by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StmtId(u32);

impl StmtId {
    /// Returns the index of the command in tables of all commands.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Does nothing.
    Skip,
    /// Assigns a value to a variable. Disabled if the variable cannot have the value.
    Assign {
        /// The assigned variable.
        target: Name,
        /// The assigned value.
        value: ExprId,
    },
    /// Enabled only if a condition holds.
    Guard {
        /// The condition under which the command is enabled.
        condition: ExprId,
        /// The guarded command.
        body: StmtId,
    },
    /// A sequence, enabled only if all commands are.
    Sequence(Vec<StmtId>),
    /// A nondeterministic choice between the alternatives that are enabled together with the commands after the choice.
    Choice(Vec<StmtId>),
    /// The first enabled alternative, independent of later commands. Disabled if there are none.
    Prioritised(Vec<StmtId>),
    /// The alternatives of the present location; disabled in other locations.
    Located(Vec<(Name, StmtId)>),
    /// Makes an output. Disabled if a parameter cannot have its value.
    Emit {
        /// The name of the output.
        output: Name,
        /// The values of its parameters.
        values: Vec<ExprId>,
    },
    /// Moves the machine to a location.
    Move {
        /// The name of the location.
        target: Name,
    },
    /// A transition of a machine.
    Transition(Box<Transition>),
}

/// A transition of a machine, as `--observe transition` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The unique name of the transition.
    pub name: String,
    /// The command, which is guarded if the action has a guard.
    pub body: StmtId,
    /// The edit that disables it, if it has no guard.
    pub never: Option<(Span, String)>,
}

/// A command and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// The kind of the command, with its parts.
    pub kind: StmtKind,
    /// The place of the command, without surrounding parentheses.
    pub span: Span,
    /// The place of the command, with surrounding parentheses.
    pub outer: Span,
}

/// All commands of a system, each after its parts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stmts {
    all: Vec<Stmt>,
}

impl Stmts {
    /// Adds a command, whose parts must be added before, and returns its id.
    pub fn add(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let id = StmtId(self.all.len() as u32);
        self.all.push(Stmt {
            kind,
            span,
            outer: span,
        });
        id
    }

    /// Records that a command is in parentheses.
    pub fn enclose(&mut self, id: StmtId, outer: Span) {
        self.all[id.index()].outer = outer;
    }

    /// Reserves memory for further commands, so that a long list is not copied while it grows.
    pub fn reserve(&mut self, more: usize) {
        self.all.reserve(more);
    }

    /// Returns the number of commands in the table.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the table has no commands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the ids of all commands, parts first.
    pub fn ids(&self) -> impl Iterator<Item = StmtId> + use<> {
        (0..self.all.len() as u32).map(StmtId)
    }
}

impl std::ops::Index<StmtId> for Stmts {
    type Output = Stmt;

    fn index(&self, id: StmtId) -> &Stmt {
        &self.all[id.index()]
    }
}

/// The values that a variable or a parameter may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// The truth values.
    Bool,
    /// The symbols with these names.
    Symbols(Arc<[String]>),
    /// The integers from `low` to `high`.
    Range {
        /// The least value of the range.
        low: i64,
        /// The greatest value of the range.
        high: i64,
    },
}

impl Domain {
    /// Returns the sort of terms with these values.
    #[must_use]
    pub fn sort(&self) -> Sort {
        match self {
            Domain::Bool => Sort::Bool,
            Domain::Symbols(values) => Sort::Enum {
                values: Arc::clone(values),
            },
            Domain::Range { low, high } => Sort::Range {
                low: *low,
                high: *high,
            },
        }
    }

    /// Whether the domain contains a value.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        self.sort().code_of_value(value).is_some()
    }

    /// Returns the smallest domain with all values of both; `None` if they are of different kinds.
    #[must_use]
    pub fn joined(&self, other: &Domain) -> Option<Domain> {
        match hyperkill_core::term::join(&self.sort(), &other.sort())? {
            Sort::Bool => Some(Domain::Bool),
            Sort::Enum { values } => Some(Domain::Symbols(values)),
            Sort::Range { low, high } => Some(Domain::Range { low, high }),
            Sort::Bit | Sort::Word { .. } => None,
        }
    }
}

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name of the variable, at its declaration.
    pub name: Name,
    /// The values that the variable may have.
    pub domain: Domain,
    /// The initial value of the variable, with its place.
    pub initial: (Value, Span),
}

/// A guarded command with a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The label of the action.
    pub name: Name,
    /// The names of the action's parameters in `guard` and `body`.
    pub parameters: Vec<Name>,
    /// The guard of the action; `None` if it is always true.
    pub guard: Option<ExprId>,
    /// The command that the action executes.
    pub body: StmtId,
}

/// The treatment of a step in which a variable would leave its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// The step is disabled instead.
    Disables,
    /// The step is enabled, but outside the modelled ranges: the run ends.
    EndsRuns,
}

/// An output of a system besides its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The name of the output.
    pub name: Name,
    /// The parameters of the output, each with its possible values.
    pub parameters: Vec<(Name, Domain)>,
}

/// The treatment of a disabled event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The model may refuse every offer, and a mutant only disabled events.
    AtWill,
    /// The event has no effect, which is invisible.
    Ignored,
    /// The event has no effect, which is visible. Tests offer only events that are enabled in the model.
    Seen,
}

/// An action that the loop offers, with all values of its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The label of the action.
    pub action: Name,
    /// The values of each parameter of the action in this offer.
    pub parameters: Vec<Domain>,
    /// The place of the offer in the source.
    pub span: Span,
}

/// The offers of the loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// The offer of one action.
    Offer(Offer),
    /// The offers of all these blocks.
    Choice(Vec<Block>),
    /// The offers of the first block with an enabled action.
    Prioritised(Vec<Block>),
}

/// A system of guarded commands: a loop that executes enabled actions one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// The expressions of all actions.
    pub exprs: Exprs,
    /// The commands of all actions.
    pub stmts: Stmts,
    /// The variables of the state, in the order of its values.
    pub variables: Vec<Variable>,
    /// The actions, in the order of the text.
    pub actions: Vec<Action>,
    /// The offers of the loop.
    pub block: Block,
    /// The labels of input actions, if there are inputs.
    pub inputs: Option<Vec<Name>>,
    /// The outputs besides the variables.
    pub outputs: Vec<Output>,
    /// The variable with the location of the machine, if it has locations, which are its symbols.
    pub location: Option<usize>,
    /// The treatment of disabled offers.
    pub refusal: Refusal,
    /// The treatment of values outside of ranges.
    pub leaving: Leaving,
}

impl Block {
    /// Returns all offers, in the order of the text.
    #[must_use]
    pub fn offers(&self) -> Vec<&Offer> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(block) = open.pop() {
            match block {
                Block::Offer(offer) => found.push(offer),
                Block::Choice(parts) | Block::Prioritised(parts) => open.extend(parts.iter().rev()),
            }
        }
        found
    }
}
