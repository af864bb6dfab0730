//! Declarations, statements and expressions as they are written.

use hyperkill_frontend::Span;

/// A floating-point number. Equality compares bits, and the order is total, so that numbers can be keys.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub f64);

impl PartialEq for Real {
    fn eq(&self, other: &Real) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Real {}

impl std::hash::Hash for Real {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Real) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Real) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// −
    Minus,
    /// +
    Plus,
    /// !
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// +
    Add,
    /// −
    Subtract,
    /// *
    Multiply,
    /// /
    Divide,
    /// %
    Remainder,
    /// The lesser
    Minimum,
    /// The greater
    Maximum,
    /// <<
    Left,
    /// >>
    Right,
    /// &
    BitAnd,
    /// |
    BitOr,
    /// ^
    BitXor,
    /// <
    Less,
    /// <=
    AtMost,
    /// ==
    Equal,
    /// !=
    Unequal,
    /// >=
    AtLeast,
    /// >
    Greater,
    /// &&
    And,
    /// ||
    Or,
    /// imply
    Imply,
}

/// The kind of a quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// All.
    Forall,
    /// Some.
    Exists,
    /// The sum.
    Sum,
}

/// An expression with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The kind of the expression.
    pub node: Node,
    /// The place.
    pub span: Span,
    /// The height of its tree, 1 for a leaf.
    pub depth: usize,
}

/// The kind of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A whole number.
    Number(i64),
    /// A number with a point.
    Fraction(Real),
    /// A text in quotes.
    Quoted,
    /// `true` or `false`.
    Truth(bool),
    /// A name.
    Name(String),
    /// An operator before its operand.
    Unary(Unary, Box<Expr>),
    /// An operator between its operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An assignment, with the operator that combines the old value with the new one.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++` or `--`: the number added, and whether the value of the expression is the old one.
    Step(i64, bool, Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `s.f`
    Field(Box<Expr>, String),
    /// `f(a, b)`
    Call(Box<Expr>, Vec<Expr>),
    /// `x'`
    Rate(Box<Expr>),
    /// `forall (i : T) e`
    Quantified(Quantifier, Name, Box<TypeText>, Box<Expr>),
    /// `{ a, b }`, with names of fields if written.
    List(Vec<(Option<String>, Expr)>),
}

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeText {
    /// `const`
    pub is_const: bool,
    /// `urgent`
    pub is_urgent: bool,
    /// `broadcast`
    pub is_broadcast: bool,
    /// The base type.
    pub base: Base,
    /// The place.
    pub span: Span,
}

/// The base of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// `int`, with its range if one is written.
    Int(Option<Box<(Expr, Expr)>>),
    /// `bool`
    Bool,
    /// `double`
    Double,
    /// `clock`
    Clock,
    /// `chan`
    Channel,
    /// `void`
    Void,
    /// `scalar[n]`
    Scalar(Box<Expr>),
    /// `struct { … }`
    Struct(Vec<Variable>),
    /// The name of a type from a `typedef`.
    Named(String),
}

/// A dimension of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// A number of elements.
    Count(Expr),
    /// One for each value of a type.
    Each(TypeText),
}

/// A variable, field or parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The type.
    pub base: TypeText,
    /// The name.
    pub name: Name,
    /// Whether it is a reference parameter (`&`).
    pub is_reference: bool,
    /// Dimensions, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The initial value.
    pub initial: Option<Expr>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The type of the result.
    pub returns: TypeText,
    /// The name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The statements.
    pub body: Vec<Statement>,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// A variable.
    Variable(Variable),
    /// A name for a type.
    Type(Variable),
    /// A function.
    Function(Function),
    /// Priorities of channels in ascending order of levels; `None` is `default`.
    Priorities(Vec<Vec<Option<Expr>>>, Span),
}

/// A step of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `{ … }`
    Block(Vec<Statement>),
    /// A local variable or type.
    Declare(Declaration),
    /// An expression with side effects; `assert` is one too.
    Do(Expr),
    /// `if`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while`
    While(Expr, Box<Statement>),
    /// `do … while`
    DoWhile(Box<Statement>, Expr),
    /// `for (a; b; c)`, where commas may be in the first and last part.
    For(Vec<Expr>, Option<Expr>, Vec<Expr>, Box<Statement>),
    /// `for (i : T)`
    Each(Name, TypeText, Box<Statement>),
    /// `return`
    Return(Option<Expr>, Span),
    /// The empty statement.
    Empty,
}

/// A process made of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The name.
    pub name: Name,
    /// The parameters that stay open.
    pub parameters: Vec<Variable>,
    /// The template, or another instance.
    pub of: Name,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// The part of a model with the instances and the `system` line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// Declarations among the instances.
    pub declarations: Vec<Declaration>,
    /// Instances in their order.
    pub instances: Vec<Instance>,
    /// The processes.
    pub processes: Vec<Name>,
    /// The priorities of the processes.
    pub levels: Vec<usize>,
    /// For each process with an `IO` line its actions, each with whether it is an input.
    pub io: Vec<(Name, Vec<(Name, bool)>)>,
    /// Parts that are read but ignored, with their places.
    pub ignored: Vec<(String, Span)>,
}

/// The synchronisation of a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Expr,
    /// Whether the sign is `?` and not `!`.
    pub is_input: bool,
}

/// A transition of a template, with its labels parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The index of the location that it leaves.
    pub source: usize,
    /// The index of the location that it enters.
    pub target: usize,
    /// The names of its `select`, with their types.
    pub select: Vec<(Name, TypeText)>,
    /// Conditions that all have to hold.
    pub guard: Vec<Expr>,
    /// The synchronisation.
    pub sync: Option<Sync>,
    /// The updates, in this order.
    pub update: Vec<Expr>,
    /// The value of `controllable`, if stated.
    pub controllable: Option<(bool, Span)>,
    /// The place.
    pub span: Span,
}

/// A location of a template, with its labels parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The name.
    pub name: String,
    /// Conditions that all have to hold.
    pub invariant: Vec<Expr>,
    /// Whether time stops.
    pub is_urgent: bool,
    /// Whether it is committed: it must be left before any other step.
    pub is_committed: bool,
    /// The place.
    pub span: Span,
}

/// A template, with its texts parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The declarations.
    pub declarations: Vec<Declaration>,
    /// The locations.
    pub locations: Vec<Location>,
    /// The index of the initial location.
    pub initial: usize,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A model, with its texts parsed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Global declarations.
    pub declarations: Vec<Declaration>,
    /// The templates.
    pub templates: Vec<Template>,
    /// The processes.
    pub system: System,
}
