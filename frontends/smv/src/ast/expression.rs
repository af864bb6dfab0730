//! Expressions in an arena: operands precede their expression, so a subtree is a contiguous range of ids, and side tables are vectors.

use hyperkill_frontend::Span;

use super::{BinaryOp, Function, Level, TemporalForm, TemporalOp, UnaryOp};

/// An expression of an [`Exprs`] arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(u32);

impl ExprId {
    /// Returns the index of the expression in its arena and in tables with one entry for each expression.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A branch `condition : value;` of a `case`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The condition, before the colon.
    pub condition: ExprId,
    /// The value, after the colon.
    pub value: ExprId,
    /// The place of the branch, with its semicolon.
    pub span: Span,
}

/// A constant word like `0ub8_101`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordConstant {
    /// The spelling of the constant in the text.
    pub text: String,
    /// Two's complement, if signed.
    pub signed: bool,
    /// The number of bits of the word.
    pub width: u32,
    /// The bits as a number below 2^width.
    pub bits: u64,
}

/// The kind of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A number; never negative.
    Number(i64),
    /// `TRUE` or `FALSE`
    Truth(bool),
    /// A word, as `0ud8_5`.
    Word(WordConstant),
    /// A variable, a DEFINE, a parameter or a symbol.
    Name(String),
    /// `self`
    SelfInstance,
    /// `instance.name`
    Member(ExprId, String),
    /// `array[index]`
    Index(ExprId, ExprId),
    /// `word[high : low]`
    Bits(ExprId, ExprId, ExprId),
    /// `toint(e)`
    Call(Function, Vec<ExprId>),
    /// `[a, b]`, the body of a DEFINE.
    Array(Vec<ExprId>),
    /// One of the elements, by an index that counts from the number. In flat models only: `a[i]`.
    Element {
        /// The index of the element.
        index: ExprId,
        /// The index of the first element.
        low: i64,
        /// The elements in order; at least one.
        elements: Vec<ExprId>,
    },
    /// `AG p`, `p U q`; in specifications only.
    Temporal(TemporalOp, Vec<ExprId>),
    /// An operator with its operand.
    Unary(UnaryOp, ExprId),
    /// An operator with its two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `condition ? a : b`
    Conditional(ExprId, ExprId, ExprId),
    /// `case … esac`, at least one branch.
    Case(Vec<Branch>),
    /// `{a, b}`, at least one element.
    Set(Vec<ExprId>),
    /// `low..high`
    Range(i64, i64),
    /// `next(e)`
    Next(ExprId),
}

impl ExprKind {
    /// Returns the precedence of the outermost operator.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            ExprKind::Binary(op, _, _) => op.level(),
            ExprKind::Conditional(..) => Level::CONDITIONAL,
            ExprKind::Set(_) | ExprKind::Range(..) => Level::SET,
            ExprKind::Unary(..) => Level::PRIMARY,
            ExprKind::Temporal(op, _) => match op.form {
                TemporalForm::Infix => Level::UNTIL,
                _ => Level::TEMPORAL,
            },
            _ => Level::POSTFIX,
        }
    }

    /// Calls `f` on each operand, in the order of the source.
    pub fn for_each_operand(&self, mut f: impl FnMut(ExprId)) {
        match self {
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Word(_)
            | ExprKind::Name(_)
            | ExprKind::SelfInstance
            | ExprKind::Range(..) => {}
            ExprKind::Unary(_, a) | ExprKind::Next(a) | ExprKind::Member(a, _) => f(*a),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                f(*a);
                f(*b);
            }
            ExprKind::Conditional(c, a, b) | ExprKind::Bits(c, a, b) => {
                f(*c);
                f(*a);
                f(*b);
            }
            ExprKind::Case(branches) => {
                for branch in branches {
                    f(branch.condition);
                    f(branch.value);
                }
            }
            ExprKind::Element {
                index, elements, ..
            } => {
                f(*index);
                elements.iter().copied().for_each(f);
            }
            ExprKind::Set(all)
            | ExprKind::Array(all)
            | ExprKind::Call(_, all)
            | ExprKind::Temporal(_, all) => all.iter().copied().for_each(f),
        }
    }

    /// Returns the same kind with other operands: `next` is called for each operand in the order of [`ExprKind::for_each_operand`].
    #[must_use]
    pub fn with_operands(&self, mut next: impl FnMut(ExprId) -> ExprId) -> ExprKind {
        let mut all = |ids: &[ExprId]| -> Vec<ExprId> { ids.iter().map(|id| next(*id)).collect() };
        match self {
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Word(_)
            | ExprKind::Name(_)
            | ExprKind::SelfInstance
            | ExprKind::Range(..) => self.clone(),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, next(*a)),
            ExprKind::Next(a) => ExprKind::Next(next(*a)),
            ExprKind::Member(a, name) => ExprKind::Member(next(*a), name.clone()),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, next(*a), next(*b)),
            ExprKind::Index(a, b) => ExprKind::Index(next(*a), next(*b)),
            ExprKind::Conditional(c, a, b) => ExprKind::Conditional(next(*c), next(*a), next(*b)),
            ExprKind::Bits(c, a, b) => ExprKind::Bits(next(*c), next(*a), next(*b)),
            ExprKind::Case(branches) => {
                let branch = |branch: &Branch| Branch {
                    condition: next(branch.condition),
                    value: next(branch.value),
                    span: branch.span,
                };
                ExprKind::Case(branches.iter().map(branch).collect())
            }
            ExprKind::Element {
                index,
                low,
                elements,
            } => ExprKind::Element {
                index: next(*index),
                low: *low,
                elements: elements.iter().map(|id| next(*id)).collect(),
            },
            ExprKind::Set(ids) => ExprKind::Set(all(ids)),
            ExprKind::Array(ids) => ExprKind::Array(all(ids)),
            ExprKind::Call(function, ids) => ExprKind::Call(*function, all(ids)),
            ExprKind::Temporal(op, ids) => ExprKind::Temporal(*op, all(ids)),
        }
    }

    /// Whether it is a path: a name, `self`, a member, or an element.
    #[must_use]
    pub fn is_path(&self) -> bool {
        matches!(
            self,
            ExprKind::Name(_) | ExprKind::SelfInstance | ExprKind::Member(..) | ExprKind::Index(..)
        )
    }
}

/// An expression and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The kind of the expression, with its operands.
    pub kind: ExprKind,
    /// The place of the expression, without the parentheses around it.
    pub span: Span,
    /// The place of the expression, with the parentheses around it, if there are any.
    pub outer: Span,
    /// The first expression of its subtree, which is contiguous and ends with the expression itself.
    pub first: ExprId,
    /// The height of the expression's tree; 1 without operands.
    pub depth: u32,
}

impl Expr {
    /// Whether the expression stands in parentheses.
    #[must_use]
    pub fn is_parenthesised(&self) -> bool {
        self.outer != self.span
    }
}

/// The expressions of a text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Exprs {
    all: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression. Its subtree must be the expressions added last.
    pub fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.all.len() as u32);
        let (mut first, mut depth) = (id, 0);
        kind.for_each_operand(|operand| {
            let operand = &self.all[operand.index()];
            first = first.min(operand.first);
            depth = depth.max(operand.depth);
        });
        self.all.push(Expr {
            kind,
            span,
            outer: span,
            first,
            depth: depth + 1,
        });
        id
    }

    /// Sets the place of all expressions from the index `from` on to `span`.
    pub fn place(&mut self, from: usize, span: Span) {
        for expr in self.all.iter_mut().skip(from) {
            expr.span = span;
            expr.outer = span;
        }
    }

    /// Records that an expression stands in parentheses; `outer` includes them.
    pub fn parenthesise(&mut self, id: ExprId, outer: Span) {
        self.all[id.index()].outer = outer;
    }

    /// Returns the number of expressions; every [`ExprId::index`] is below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the table has no expressions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the kind of an expression.
    #[must_use]
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.all[id.index()].kind
    }

    /// Returns all expressions with their ids, operands first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ExprId, &Expr)> {
        let ids = (0..self.all.len() as u32).map(ExprId);
        ids.zip(&self.all)
    }

    /// Returns the subtree of an expression, operands first, the expression last.
    pub fn subtree(&self, root: ExprId) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (self[root].first.0..=root.0).map(ExprId)
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.all[id.index()]
    }
}
