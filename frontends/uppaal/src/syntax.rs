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
    /// The text of the name.
    pub text: String,
    /// The place of the name.
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
    /// The lesser of two values (`<?`).
    Minimum,
    /// The greater of two values (`>?`).
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
    /// `forall`: whether the operand holds for all values.
    Forall,
    /// `exists`: whether the operand holds for some value.
    Exists,
    /// `sum`: the sum of the operand over all values.
    Sum,
}

/// An expression with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The kind of the expression.
    pub node: Node,
    /// The place of the expression.
    pub span: Span,
    /// The height of the expression's tree; 1 without operands.
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
    /// Whether the type has the prefix `const`.
    pub is_const: bool,
    /// Whether the type has the prefix `urgent`.
    pub is_urgent: bool,
    /// Whether the type has the prefix `broadcast`.
    pub is_broadcast: bool,
    /// The type without its prefixes.
    pub base: Base,
    /// The place of the type.
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
    /// The expression gives the number of elements.
    Count(Expr),
    /// One for each value of a type.
    Each(TypeText),
}

/// A variable, field or parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The type of the variable, without dimensions.
    pub base: TypeText,
    /// The name of the variable.
    pub name: Name,
    /// Whether it is a reference parameter (`&`).
    pub is_reference: bool,
    /// The dimensions of an array, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The initial value, if one is written.
    pub initial: Option<Expr>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The type of the result.
    pub returns: TypeText,
    /// The name of the function.
    pub name: Name,
    /// The parameters of the function.
    pub parameters: Vec<Variable>,
    /// The statements of the function.
    pub body: Vec<Statement>,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// The declaration of a variable.
    Variable(Variable),
    /// A name for a type.
    Type(Variable),
    /// The definition of a function.
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
    /// The empty statement `;`.
    Empty,
}

/// A process made of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The name of the instance.
    pub name: Name,
    /// The parameters of the instance that stay open.
    pub parameters: Vec<Variable>,
    /// The template, or another instance.
    pub of: Name,
    /// The arguments for the parameters of the template.
    pub arguments: Vec<Expr>,
}

/// The part of a model with the instances and the `system` line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// The declarations among the instances.
    pub declarations: Vec<Declaration>,
    /// The instances, in their order.
    pub instances: Vec<Instance>,
    /// The names of the processes of the system.
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
    /// The channel of the synchronisation.
    pub channel: Expr,
    /// Whether the sign is `?` and not `!`.
    pub is_input: bool,
}

/// A transition of a template, with its labels parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The index of the location that the transition leaves.
    pub source: usize,
    /// The index of the location that the transition enters.
    pub target: usize,
    /// The names of the transition's `select`, with their types.
    pub select: Vec<(Name, TypeText)>,
    /// The guard: conditions that all have to hold.
    pub guard: Vec<Expr>,
    /// The synchronisation of the transition, if it has one.
    pub sync: Option<Sync>,
    /// The updates, in this order.
    pub update: Vec<Expr>,
    /// The value of `controllable`, if stated.
    pub controllable: Option<(bool, Span)>,
    /// The place of the transition.
    pub span: Span,
}

/// A location of a template, with its labels parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The name of the location.
    pub name: String,
    /// The invariant: conditions that all have to hold.
    pub invariant: Vec<Expr>,
    /// Whether the location is urgent: time stops there.
    pub is_urgent: bool,
    /// Whether it is committed: it must be left before any other step.
    pub is_committed: bool,
    /// The place of the location.
    pub span: Span,
}

/// A template, with its texts parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// The name of the template.
    pub name: Name,
    /// The parameters of the template.
    pub parameters: Vec<Variable>,
    /// The declarations of the template.
    pub declarations: Vec<Declaration>,
    /// The locations of the template.
    pub locations: Vec<Location>,
    /// The index of the initial location.
    pub initial: usize,
    /// The edges of the template.
    pub edges: Vec<Edge>,
}

/// A model, with its texts parsed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The global declarations of the model.
    pub declarations: Vec<Declaration>,
    /// The templates of the model.
    pub templates: Vec<Template>,
    /// The instances and the `system` line of the model.
    pub system: System,
}
