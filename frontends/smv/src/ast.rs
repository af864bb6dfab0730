//! The syntax tree of an SMV module, with spans.
//!
//! Expressions live in one arena, operands before the expression that has them, so that the subtree of an
//! expression is a contiguous stretch of ids and side tables are plain vectors.

use hyperkill_frontend::Span;

/// An expression of an [`Exprs`] arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(u32);

impl ExprId {
    /// Index into per-expression tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `&`
    And,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `union`
    Union,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `mod`
    Mod,
}

/// How tightly things bind, from [`Level::IMPLIES`] (loosest) up: the rules of NuSMV's grammar in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(pub u8);

impl Level {
    /// `->`, to the right.
    pub const IMPLIES: Level = Level(1);
    /// `<->`
    pub const IFF: Level = Level(2);
    /// `? :`, to the right.
    pub const CONDITIONAL: Level = Level(3);
    /// `|`, `xor`, `xnor`
    pub const OR: Level = Level(4);
    /// `&`
    pub const AND: Level = Level(5);
    /// `=` and its kin
    pub const RELATIONAL: Level = Level(6);
    /// `in`
    pub const IN: Level = Level(7);
    /// `union`
    pub const UNION: Level = Level(8);
    /// `{…}` and `1..3`: not operands of arithmetic unless in parentheses.
    pub const SET: Level = Level(9);
    /// `+`, `-`
    pub const ADDITIVE: Level = Level(10);
    /// `*`, `/`, `mod`
    pub const MULTIPLICATIVE: Level = Level(11);
    /// Names, numbers, `!`, unary `-`, `case`, `next(…)`, parentheses.
    pub const PRIMARY: Level = Level(12);

    /// The next tighter level.
    #[must_use]
    pub fn tighter(self) -> Level {
        Level(self.0 + 1)
    }
}

impl BinaryOp {
    /// Its spelling.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Implies => "->",
            BinaryOp::Iff => "<->",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "xor",
            BinaryOp::Xnor => "xnor",
            BinaryOp::And => "&",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::In => "in",
            BinaryOp::Union => "union",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "mod",
        }
    }

    /// How tightly it binds.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            BinaryOp::Implies => Level::IMPLIES,
            BinaryOp::Iff => Level::IFF,
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::Xnor => Level::OR,
            BinaryOp::And => Level::AND,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Level::RELATIONAL,
            BinaryOp::In => Level::IN,
            BinaryOp::Union => Level::UNION,
            BinaryOp::Add | BinaryOp::Sub => Level::ADDITIVE,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Level::MULTIPLICATIVE,
        }
    }

    /// The levels that its operands need to stand without parentheses.
    #[must_use]
    pub fn operand_levels(self) -> (Level, Level) {
        let level = self.level();
        match self {
            BinaryOp::Implies => (level.tighter(), level),
            _ => (level, level.tighter()),
        }
    }
}

/// `condition : value;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Before the colon.
    pub condition: ExprId,
    /// After the colon.
    pub value: ExprId,
    /// The branch with its semicolon.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A number; never negative.
    Number(i64),
    /// `TRUE` or `FALSE`
    Truth(bool),
    /// A variable, a DEFINE or a symbol.
    Name(String),
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands.
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
    /// How tightly it binds.
    #[must_use]
    pub fn level(&self) -> Level {
        match self {
            ExprKind::Binary(op, _, _) => op.level(),
            ExprKind::Conditional(..) => Level::CONDITIONAL,
            ExprKind::Set(_) | ExprKind::Range(..) => Level::SET,
            _ => Level::PRIMARY,
        }
    }

    /// Calls `f` on each operand, in the order of the source.
    pub fn for_each_operand(&self, mut f: impl FnMut(ExprId)) {
        match self {
            ExprKind::Number(_) | ExprKind::Truth(_) | ExprKind::Name(_) | ExprKind::Range(..) => {}
            ExprKind::Unary(_, a) | ExprKind::Next(a) => f(*a),
            ExprKind::Binary(_, a, b) => {
                f(*a);
                f(*b);
            }
            ExprKind::Conditional(c, a, b) => {
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
            ExprKind::Set(elements) => elements.iter().copied().for_each(f),
        }
    }
}

/// An expression and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Without the parentheses around it.
    pub span: Span,
    /// With the parentheses around it, if there are any.
    pub outer: Span,
    /// The first expression of its subtree.
    pub first: ExprId,
    /// Height of its subtree.
    pub depth: u32,
}

impl Expr {
    /// Whether it stands in parentheses.
    #[must_use]
    pub fn is_parenthesised(&self) -> bool {
        self.outer != self.span
    }
}

/// The expressions of a module.
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

    /// Notes that an expression stands in parentheses.
    pub fn parenthesise(&mut self, id: ExprId, outer: Span) {
        self.all[id.index()].outer = outer;
    }

    /// How many there are; every [`ExprId::index`] is below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What an expression is.
    #[must_use]
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.all[id.index()].kind
    }

    /// All expressions with their ids, operands first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ExprId, &Expr)> {
        let ids = (0..self.all.len() as u32).map(ExprId);
        ids.zip(&self.all)
    }

    /// The subtree of an expression, operands first, itself last.
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

/// A declared or assigned name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// Its spelling.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// The section a variable is declared in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// `VAR`
    State,
    /// `IVAR`
    Input,
    /// `FROZENVAR`
    Frozen,
}

impl VarKind {
    /// The keyword of the section.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            VarKind::State => "VAR",
            VarKind::Input => "IVAR",
            VarKind::Frozen => "FROZENVAR",
        }
    }
}

/// A value in an enumeration type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnumValue {
    /// A symbol.
    Symbol(String),
    /// A number.
    Number(i64),
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `boolean`
    Boolean,
    /// `{a, b}`
    Enumeration(Vec<(EnumValue, Span)>),
    /// `low..high`
    Range(ExprId, ExprId),
}

/// `name : type;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The variable.
    pub name: Name,
    /// Its type.
    pub kind: TypeKind,
    /// Where the type stands.
    pub kind_span: Span,
}

/// `name := body;` in a DEFINE section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Define {
    /// What is defined.
    pub name: Name,
    /// What it stands for.
    pub body: ExprId,
}

/// Which value an assignment gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// `init(x)`
    Init,
    /// `next(x)`
    Next,
    /// `x`
    Current,
}

/// `target := value;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// Which value of the variable.
    pub target: Target,
    /// The variable.
    pub name: Name,
    /// What it gets.
    pub value: ExprId,
    /// The assignment with its semicolon.
    pub span: Span,
}

impl Assignment {
    /// Its left side: `next(x)`.
    #[must_use]
    pub fn left(&self) -> String {
        let name = &self.name.text;
        match self.target {
            Target::Init => format!("init({name})"),
            Target::Next => format!("next({name})"),
            Target::Current => name.clone(),
        }
    }
}

/// A section of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Section {
    /// `VAR`, `IVAR` or `FROZENVAR`
    Variables(VarKind, Vec<Declaration>),
    /// `DEFINE`
    Defines(Vec<Define>),
    /// `ASSIGN`
    Assigns(Vec<Assignment>),
    /// A specification or fairness section: kept as text, used for nothing.
    Property {
        /// Its keyword.
        keyword: &'static str,
        /// From the keyword to the last token.
        span: Span,
        /// The text there.
        text: String,
    },
}

/// A `MODULE main`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its sections in order.
    pub sections: Vec<Section>,
    /// All its expressions.
    pub exprs: Exprs,
}

impl Module {
    /// All variables with the kind of their section, in order.
    pub fn declarations(&self) -> impl Iterator<Item = (VarKind, &Declaration)> {
        self.sections.iter().flat_map(|section| {
            let (kind, all): (VarKind, &[Declaration]) = match section {
                Section::Variables(kind, all) => (*kind, all),
                _ => (VarKind::State, &[]),
            };
            all.iter().map(move |declaration| (kind, declaration))
        })
    }

    /// All DEFINEs in order.
    pub fn defines(&self) -> impl Iterator<Item = &Define> {
        self.sections.iter().flat_map(|section| match section {
            Section::Defines(all) => all.as_slice(),
            _ => &[],
        })
    }

    /// All assignments in order.
    pub fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.sections.iter().flat_map(|section| match section {
            Section::Assigns(all) => all.as_slice(),
            _ => &[],
        })
    }
}
