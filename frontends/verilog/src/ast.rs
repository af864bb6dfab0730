//! The syntax tree of modules, over arenas of expressions and statements.
//!
//! Every node knows its tokens, and through them its place in the user's text; see [`Extent`].

use std::collections::BTreeSet;
use std::sync::Arc;

use hyperkill_frontend::Span;
use hyperkill_frontend::boxes::Boxes;
use rustc_hash::FxHashMap;

use crate::lexer::Token;
use crate::number::Literal;

mod interface;

pub use interface::{Interface, InterfacePort, Modport};

/// A name of the source.
pub type Name = Arc<str>;

/// The tokens of a node, from the first to the last one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Extent {
    /// Index of the first token.
    pub first: u32,
    /// Index of the last token.
    pub last: u32,
}

impl Extent {
    /// Returns the least stretch of tokens that holds both.
    #[must_use]
    pub fn to(self, end: Extent) -> Extent {
        Extent {
            first: self.first.min(end.first),
            last: self.last.max(end.last),
        }
    }

    /// Whether this stretch holds all tokens of the other one.
    #[must_use]
    pub fn holds(self, other: Extent) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// Returns the place in the source, in the file of the first token.
    #[must_use]
    pub fn span(self, tokens: &[Token]) -> Span {
        match (
            tokens.get(self.first as usize),
            tokens.get(self.last as usize),
        ) {
            (Some(first), Some(last)) if first.span.file == last.span.file => {
                first.span.to(last.span)
            }
            (Some(first), _) => first.span,
            _ => Span::default(),
        }
    }
}

/// An expression of [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// A statement of [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StmtId(pub u32);

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+a`
    Plus,
    /// `-a`
    Minus,
    /// `!a`
    Not,
    /// `~a`
    Complement,
    /// `&a`
    And,
    /// `|a`
    Or,
    /// `^a`
    Xor,
    /// `~&a`
    Nand,
    /// `~|a`
    Nor,
    /// `~^a`
    Xnor,
}

impl UnaryOp {
    /// Returns the operator as it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::And => "&",
            UnaryOp::Or => "|",
            UnaryOp::Xor => "^",
            UnaryOp::Nand => "~&",
            UnaryOp::Nor => "~|",
            UnaryOp::Xnor => "~^",
        }
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    CaseEqual,
    CaseNotEqual,
    WildEqual,
    WildNotEqual,
    And,
    Or,
    Xor,
    Xnor,
    LogicAnd,
    LogicOr,
}

impl BinaryOp {
    /// Returns the operator as it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        use BinaryOp as B;
        match self {
            B::Add => "+",
            B::Sub => "-",
            B::Mul => "*",
            B::Div => "/",
            B::Mod => "%",
            B::Power => "**",
            B::ShiftLeft => "<<",
            B::ShiftRight => ">>",
            B::ShiftRightSigned => ">>>",
            B::Less => "<",
            B::LessEqual => "<=",
            B::Greater => ">",
            B::GreaterEqual => ">=",
            B::Equal => "==",
            B::NotEqual => "!=",
            B::CaseEqual => "===",
            B::CaseNotEqual => "!==",
            B::WildEqual => "==?",
            B::WildNotEqual => "!=?",
            B::And => "&",
            B::Or => "|",
            B::Xor => "^",
            B::Xnor => "~^",
            B::LogicAnd => "&&",
            B::LogicOr => "||",
        }
    }

    /// Returns the precedence; a higher level binds tighter (IEEE 1364-2005 table 5-4).
    #[must_use]
    pub fn level(self) -> u8 {
        use BinaryOp as B;
        match self {
            B::LogicOr => 1,
            B::LogicAnd => 2,
            B::Or => 3,
            B::Xor | B::Xnor => 4,
            B::And => 5,
            B::Equal
            | B::NotEqual
            | B::CaseEqual
            | B::CaseNotEqual
            | B::WildEqual
            | B::WildNotEqual => 6,
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual => 7,
            B::ShiftLeft | B::ShiftRight | B::ShiftRightSigned => 8,
            B::Add | B::Sub => 9,
            B::Mul | B::Div | B::Mod => 10,
            B::Power => 11,
        }
    }
}

/// A part of a hierarchical name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamePart {
    /// The name.
    pub name: Name,
    /// The indices into an array of blocks or instances, or of a variable, by dimension.
    pub indices: Vec<ExprId>,
}

/// The target of a cast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cast {
    /// To a number of bits; the sign stays.
    Size(ExprId),
    /// A type.
    Type(Arc<Declaration>),
}

/// The key of a member in an assignment pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// The next position.
    Place,
    /// All members without a key of their own.
    Default,
    /// The part of this name, or the element with this index.
    Of(ExprId),
    /// The next positions; the expression is their number.
    Times(ExprId),
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A number.
    Number(Literal),
    /// A number with a fraction, as written. It has no meaning in logic.
    Real(Name),
    /// A string, its bytes.
    Text(Name),
    /// A name, hierarchical if there is more than one step.
    Name(Vec<NamePart>),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `a[high:low]`
    Part(ExprId, ExprId, ExprId),
    /// `a[start +: width]`, or `-:` if not upward.
    Indexed {
        /// The expression that bits are selected from.
        base: ExprId,
        /// The first bit.
        start: ExprId,
        /// The number of selected bits.
        width: ExprId,
        /// Whether the selection goes up from the start.
        up: bool,
    },
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `c ? a : b`
    Conditional(ExprId, ExprId, ExprId),
    /// `{a, b}`
    Concat(Vec<ExprId>),
    /// `{n{a, b}}`
    Repeat(ExprId, Vec<ExprId>),
    /// `{<<n{a, b}}`, `{>>{a, b}}`: whether slices come in reverse order, the width of a slice, and the parts.
    Stream(bool, Option<ExprId>, Vec<ExprId>),
    /// `8'(a)`, `type_t'(a)`
    Cast(Cast, ExprId),
    /// `a inside {b, [c:d]}`
    Inside(ExprId, Vec<ExprId>),
    /// `[a:b]`, a member of `inside`.
    Range(ExprId, ExprId),
    /// `'{a, b}`, `'{x: a, default: b}`
    Pattern(Vec<(Key, ExprId)>),
    /// A call of a function.
    Call(Vec<NamePart>, Vec<ExprId>),
    /// `.name(value)` among the arguments of a call.
    Argument(Name, ExprId),
    /// A call of a system function, the name with its `$`.
    SystemCall(Name, Vec<ExprId>),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// Its kind and operands.
    pub kind: ExprKind,
    /// Its tokens, without parentheses around it.
    pub extent: Extent,
    /// Index of the operator's token, if it has one.
    pub operator: u32,
}

/// The comparison of the labels of a `case`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CaseKind {
    /// Bit by bit.
    Plain,
    /// z and `?` match anything.
    Z,
    /// x, z and `?` match anything.
    X,
    /// As `inside` does it.
    Inside,
}

/// A branch of a `case`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseItem {
    /// Its labels; none for `default`.
    pub labels: Vec<ExprId>,
    /// The statement that runs if a label matches.
    pub body: StmtId,
    /// Its tokens.
    pub extent: Extent,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `;`
    Null,
    /// `begin … end`: its name, its declarations and its statements.
    Block(Option<Name>, Vec<Item>, Vec<StmtId>),
    /// `a = b` (blocking) or `a <= b`.
    Assign {
        /// Whether it takes effect at once.
        blocking: bool,
        /// The assigned variable, net or selection.
        target: ExprId,
        /// The value.
        value: ExprId,
        /// Index of the token `=` or `<=`.
        operator: u32,
    },
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// A `case`.
    Case {
        /// The comparison of labels.
        kind: CaseKind,
        /// The compared expression.
        subject: ExprId,
        /// Its branches.
        items: Vec<CaseItem>,
        /// Whether an attribute says that no other value occurs.
        full: bool,
    },
    /// `for (init; condition; step) body`; a declaration in the head comes first.
    For {
        /// A variable declared in the head.
        declares: Option<Box<Item>>,
        /// The first assignment.
        init: StmtId,
        /// The condition of the next turn.
        condition: ExprId,
        /// The assignment after each turn.
        step: StmtId,
        /// The body of the loop.
        body: StmtId,
    },
    /// `while (c) body`
    While(ExprId, StmtId),
    /// `do body while (c);`
    DoWhile(StmtId, ExprId),
    /// `foreach (a[i, j]) body`: the array, the variables of its dimensions, where they are declared.
    Foreach {
        /// The array.
        of: ExprId,
        /// The loop variable of each dimension; `None` if the dimension is skipped.
        variables: Vec<Option<Name>>,
        /// The declaration of the loop variables.
        declares: Box<Item>,
        /// The body of the loop.
        body: StmtId,
    },
    /// `repeat (n) body`
    RepeatTimes(ExprId, StmtId),
    /// A call of a task.
    Task(Vec<NamePart>, Vec<ExprId>),
    /// A call of a system task, without effect on hardware.
    SystemTask(Name, Vec<ExprId>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return value;`
    Return(Option<ExprId>),
    /// `disable name;`: leaves the surrounding block or task of this name.
    Disable(Name),
    /// `assert (c);`
    Assert(ExprId),
    /// `assume (c);`
    Assume(ExprId),
    /// A statement that the parser accepts and elaboration refuses, e.g. "a delay".
    Unsupported(&'static str),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Its kind and parts.
    pub kind: StmtKind,
    /// Its tokens.
    pub extent: Extent,
}

/// Direction of a port or of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    Input,
    Output,
    Inout,
}

/// The class of a declared name: a net, a variable or another kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// A net.
    Wire,
    /// A variable of the width written.
    Reg,
    /// A signed variable of 32 bits.
    Integer,
    /// A loop variable of `generate`.
    Genvar,
    /// A net that is always 0, or 1.
    Supply(bool),
    /// A net that is the conjunction of its drivers, or the disjunction.
    Wired(bool),
    /// A net that is 0, or 1, when no driver drives it.
    Pulled(bool),
    /// A number with a fraction.
    Real,
    /// A kind that is not supported, as written.
    Other(&'static str),
}

/// A type that is more than bits, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataType {
    /// A named type, perhaps with the name of its package (`p::t`).
    Named(Name),
    /// `enum logic [1:0] {A, B = 2}`: the type of its values, and its names.
    Enum(Option<Box<Declaration>>, Vec<Member>),
    /// `struct {…}`: its parts, the most significant first, and whether it is signed as a whole.
    Struct(Vec<Declaration>, bool),
    /// `union packed {…}`: its parts, all in one place, and whether it is signed as a whole.
    Union(Vec<Declaration>, bool),
}

/// A name of an `enum`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name.
    pub name: Name,
    /// Its value, if written; else one more than the value before.
    pub value: Option<ExprId>,
    /// Its tokens.
    pub extent: Extent,
}

/// Bounds of a vector or of an array, as written.
pub type Range = (ExprId, ExprId);

/// One name of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// Dimensions of an array; one bound alone is a count.
    pub dimensions: Vec<(ExprId, Option<ExprId>)>,
    /// The initial value of a variable, or the driver of a net.
    pub value: Option<ExprId>,
    /// Its tokens.
    pub extent: Extent,
}

/// A declaration of nets, variables or ports.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Declaration {
    /// If it declares ports or arguments.
    pub direction: Option<Direction>,
    /// Net or variable; `None` if only the direction is written.
    pub class: Option<Class>,
    /// Two's complement.
    pub signed: bool,
    /// Whether the declaration has the word `unsigned`.
    pub unsigned: bool,
    /// Bounds of the vector.
    pub range: Option<Range>,
    /// Bounds of the further packed dimensions, from outside in.
    pub inner: Vec<Range>,
    /// The element type, if the declaration is more than a vector of bits.
    pub of: Option<Arc<DataType>>,
    /// The names.
    pub names: Vec<Declarator>,
    /// Whether an attribute makes it a choice (`anyseq`, `anyconst`): the attribute.
    pub choice: Option<&'static str>,
    /// Whether its variables are new whenever its block is entered.
    pub automatic: bool,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Whether instances must not set it (`localparam`).
    pub local: bool,
    /// The declared type; parts that are not written have their defaults.
    pub of: Declaration,
    /// Name, dimensions and value, if it has a default.
    pub declarator: Declarator,
}

/// A connection of an instance's port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connection {
    /// The name of the port, if written.
    pub port: Option<Name>,
    /// The connected expression, if any.
    pub value: Option<ExprId>,
    /// Its tokens.
    pub extent: Extent,
}

/// One instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its name; gates may have none.
    pub name: Option<Name>,
    /// Bounds, if it is an array of instances.
    pub range: Option<Range>,
    /// Connections.
    pub connections: Vec<Connection>,
    /// Whether each remaining port is connected to the name equal to its own (`.*`).
    pub rest: bool,
    /// Its tokens.
    pub extent: Extent,
}

/// The event control of an `always` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sensitivity {
    /// Whenever a variable changes that the block reads: `@*`.
    Any,
    /// Whenever a variable changes that the block reads and does not assign: `always_comb`.
    Inputs,
    /// As `always_comb`, but a variable that no branch assigns keeps its value: `always_latch`.
    Latch,
    /// Whenever one of these changes.
    Levels(Vec<ExprId>),
    /// At these edges: whether rising, and the signal.
    Edges(Vec<(bool, ExprId)>),
    /// An unsupported event control, with the reason.
    Unsupported(&'static str),
}

/// A function or a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The name.
    pub name: Name,
    /// The result of a function. `None` for tasks.
    pub result: Option<Declaration>,
    /// Arguments and local variables.
    pub declarations: Vec<Item>,
    /// Its statement.
    pub body: StmtId,
    /// Its tokens.
    pub extent: Extent,
}

/// A part of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its kind and parts.
    pub kind: ItemKind,
    /// Its tokens.
    pub extent: Extent,
}

/// The kinds of items of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// Nets, variables, ports.
    Declaration(Declaration),
    /// Parameters.
    Parameters(Vec<Parameter>),
    /// A parameter that is a type.
    TypeParameter {
        /// The name.
        name: Name,
        /// Whether instances must not set it (`localparam`).
        local: bool,
        /// The type without an override.
        default: Option<Declaration>,
    },
    /// `defparam path = value`
    Defparam(Vec<NamePart>, ExprId),
    /// `typedef`: the name with the dimensions of an array, and the type.
    Typedef(Declarator, Declaration),
    /// A port that stands for an instance of an interface.
    InterfacePort(InterfacePort),
    /// Names of packages: the package, and which name of it or all.
    Import(Vec<(Name, Option<Name>)>),
    /// Continuous assignments.
    Assign(Vec<(ExprId, ExprId)>),
    /// An `always` block.
    Always(Sensitivity, StmtId),
    /// An `initial` block.
    Initial(StmtId),
    /// Instances of a module, with parameters by name or place.
    Instances {
        /// The module.
        module: Name,
        /// Parameters: the name, if written, and the value.
        parameters: Vec<(Option<Name>, ExprId)>,
        /// The instances.
        instances: Vec<Instance>,
    },
    /// Gates.
    Gates(Name, Vec<Instance>),
    /// A function or a task.
    Routine(Arc<Routine>),
    /// `for (i = init; condition; i = step) block`
    GenerateFor {
        /// The loop variable.
        variable: Name,
        /// Its first value.
        init: ExprId,
        /// The condition of the next turn.
        condition: ExprId,
        /// Its next value.
        step: ExprId,
        /// Name of the block.
        label: Option<Name>,
        /// The items of each turn.
        items: Vec<Item>,
    },
    /// `if (condition) block else block`
    GenerateIf(ExprId, Box<Item>, Option<Box<Item>>),
    /// `case (subject) …`, default without labels.
    GenerateCase(ExprId, Vec<(Vec<ExprId>, Item)>),
    /// `begin : name … end`, or a list without a name.
    Block(Option<Name>, Vec<Item>),
    /// `assert property (…)`, with the edge of its clock, if written.
    Assert(ExprId, Option<(bool, ExprId)>),
    /// `assume property (…)`, likewise.
    Assume(ExprId, Option<(bool, ExprId)>),
    /// `$error` or `$fatal` outside blocks, with its message: the parameters are refused.
    Failure(Name, Name),
    /// An item that the parser accepts and elaboration refuses.
    Unsupported(&'static str),
    /// An item without meaning for hardware.
    Ignored,
}

/// A module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The name.
    pub name: Name,
    /// Its ports in order: the name of the port, and the name of the signal inside.
    pub ports: Vec<(Name, Name)>,
    /// Its parts; ports declared in the head come first.
    pub items: Vec<Item>,
    /// Its tokens.
    pub extent: Extent,
    /// Whether it is a primitive, which is no design by itself.
    pub primitive: bool,
}

/// The syntax trees of all files.
#[derive(Clone, Default, Debug)]
pub struct Source {
    /// Tokens that extents refer to.
    pub tokens: Vec<Token>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Modules in the order of the text.
    pub modules: Vec<Module>,
    /// Interfaces in the order of the text.
    pub interfaces: Vec<Interface>,
    /// Packages: names and items.
    pub packages: Vec<(Name, Vec<Item>)>,
    /// The items outside modules: types, parameters, functions.
    pub outside: Vec<Item>,
    /// Unsupported design units: their names, their kinds, and the place of the reason.
    pub foreign: Vec<(Name, String, Span)>,
    /// Stretches of tokens that attributes exclude from mutation.
    pub off: Vec<Extent>,
    /// Tokens from which nets must be declared (`default_nettype none`), or need not.
    pub strict_nets: Vec<(u32, bool)>,
    /// Texts of the files that are read by their names, e.g. by `$readmemh`.
    pub files: FxHashMap<String, Arc<str>>,
    /// Black boxes: modules whose bodies are left out.
    pub boxes: Boxes,
    /// The blocks outside `always_latch` that are latches in the original; `None` before the original has been resolved.
    pub latches: Option<BTreeSet<StmtId>>,
}

impl Source {
    /// Returns the expression with this number.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Returns the statement with this number.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// Adds an expression, and returns its number.
    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Adds a statement, and returns its number.
    pub fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt);
        StmtId(self.stmts.len() as u32 - 1)
    }

    /// Whether two expressions have the same tokens.
    #[must_use]
    pub fn has_same_tokens(&self, a: ExprId, b: ExprId) -> bool {
        let words = |id: ExprId| {
            let Extent { first, last } = self.expr(id).extent;
            let tokens = self.tokens.get(first as usize..=last as usize);
            tokens.unwrap_or_default().iter().map(|token| &token.text)
        };
        words(a).eq(words(b))
    }

    /// Returns the places that attributes exclude from mutation, with all files that are included there.
    #[must_use]
    pub fn excluded(&self) -> Vec<Span> {
        let mut places: Vec<Span> = Vec::new();
        for &Extent { first, last } in &self.off {
            let tokens = self.tokens.get(first as usize..=last as usize);
            let mut before: Option<usize> = None;
            for token in tokens.unwrap_or_default() {
                match places.last_mut() {
                    Some(place) if before == Some(token.span.file) => *place = place.to(token.span),
                    _ => places.push(token.span),
                }
                before = Some(token.span.file);
            }
        }
        places
    }

    /// Returns the place of an expression.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Span {
        self.expr(id).extent.span(&self.tokens)
    }

    /// Returns the place of a statement.
    #[must_use]
    pub fn stmt_span(&self, id: StmtId) -> Span {
        self.stmt(id).extent.span(&self.tokens)
    }

    /// Returns the interface of this name; `None` if there is none.
    #[must_use]
    pub fn interface(&self, name: &str) -> Option<&Interface> {
        (self.interfaces.iter()).find(|interface| &*interface.body.name == name)
    }

    /// Returns the module of this name; `None` if there is none.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| &*module.name == name)
    }
}
