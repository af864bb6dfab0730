//! Declarations, statements and expressions as they are written.

use hyperkill_frontend::Span;

/// A number with a point. All are told apart by their bits, and stand in one order.
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
    /// What it says.
    pub text: String,
    /// Where.
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

/// What a quantifier does.
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
    /// What it is.
    pub node: Node,
    /// Where.
    pub span: Span,
    /// Operators above one another in it, itself included.
    pub depth: usize,
}

/// What an expression is.
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
    /// An assignment, with the operator that is done with the old value.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++` or `--`: by how much, and whether the value is the one before.
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
    /// `{ a, b }`, with names of fields if they are said
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
    /// What it is.
    pub base: Base,
    /// Where.
    pub span: Span,
}

/// What a type is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// `int`, with a range if it is said.
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
    /// A name that `typedef` gave.
    Named(String),
}

/// A dimension of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// So many elements.
    Count(Expr),
    /// One for each value of a type.
    Each(TypeText),
}

/// A variable, field or parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its type.
    pub base: TypeText,
    /// Its name.
    pub name: Name,
    /// Whether it stands for another variable.
    pub is_reference: bool,
    /// Dimensions, outermost first.
    pub dimensions: Vec<Dimension>,
    /// What it is at the start.
    pub initial: Option<Expr>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// What it gives back.
    pub returns: TypeText,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// What it does.
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
    /// Which channels go before others, from the lowest: nothing stands for all that are not named.
    Priorities(Vec<Vec<Option<Expr>>>, Span),
}

/// A step of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `{ … }`
    Block(Vec<Statement>),
    /// A local variable or type.
    Declare(Declaration),
    /// An expression for what it does; `assert` is one too.
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
    /// Nothing.
    Empty,
}

/// A process made of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its name.
    pub name: Name,
    /// Parameters that are still open.
    pub parameters: Vec<Variable>,
    /// The template, or another instance.
    pub of: Name,
    /// What its parameters are.
    pub arguments: Vec<Expr>,
}

/// The part of a model that says which processes there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// Declarations among the instances.
    pub declarations: Vec<Declaration>,
    /// Instances in their order.
    pub instances: Vec<Instance>,
    /// The processes.
    pub processes: Vec<Name>,
    /// Their priorities.
    pub levels: Vec<usize>,
    /// For a process what its inputs (true) and outputs are.
    pub io: Vec<(Name, Vec<(Name, bool)>)>,
    /// What is read and means nothing.
    pub ignored: Vec<(String, Span)>,
}

/// What a transition takes part in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Expr,
    /// `?`; else `!`
    pub is_input: bool,
}

/// A transition, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Number of the location that it leaves.
    pub source: usize,
    /// Number of the location that it enters.
    pub target: usize,
    /// Names with their types.
    pub select: Vec<(Name, TypeText)>,
    /// Conditions that all have to hold.
    pub guard: Vec<Expr>,
    /// What it takes part in.
    pub sync: Option<Sync>,
    /// What it does, in this order.
    pub update: Vec<Expr>,
    /// What is said of who controls it.
    pub controllable: Option<(bool, Span)>,
    /// Where it stands.
    pub span: Span,
}

/// A location, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Conditions that all have to hold.
    pub invariant: Vec<Expr>,
    /// Whether time stops.
    pub is_urgent: bool,
    /// Whether nothing else happens before it is left.
    pub is_committed: bool,
    /// Where it stands.
    pub span: Span,
}

/// A template, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its declarations.
    pub declarations: Vec<Declaration>,
    /// The locations.
    pub locations: Vec<Location>,
    /// Number of the location that it starts in.
    pub initial: usize,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A model, read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Global declarations.
    pub declarations: Vec<Declaration>,
    /// The templates.
    pub templates: Vec<Template>,
    /// The processes.
    pub system: System,
}
