//! The syntax tree of an SMV text, with spans: modules, sections, declarations; expressions and their operators.

mod expression;
mod operator;

pub use expression::{Branch, Expr, ExprId, ExprKind, Exprs, WordConstant};
pub use operator::{BinaryOp, Function, Level, TemporalForm, TemporalOp, UnaryOp};

use hyperkill_frontend::Span;

/// A declared or assigned name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The spelling of the name.
    pub text: String,
    /// The place of the name in the text.
    pub span: Span,
}

/// The kind of section that declares a variable.
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
    /// Returns the keyword of a section that declares such variables.
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
    /// `signed word[width]`
    Word {
        /// Two's complement, if signed.
        signed: bool,
        /// The number of bits of the word.
        width: ExprId,
    },
    /// `array low..high of element`
    Array {
        /// The index of the first element.
        low: ExprId,
        /// The index of the last element.
        high: ExprId,
        /// The type of all elements.
        element: Box<TypeKind>,
    },
    /// `process module(arguments)`
    Instance {
        /// Whether the instance is a process.
        process: bool,
        /// The name of the module.
        module: Name,
        /// The actual parameters of the instance.
        arguments: Vec<ExprId>,
    },
}

impl TypeKind {
    /// Returns the module that a variable of this type, or each element of an array, is an instance of. `None` if it is no instance.
    #[must_use]
    pub fn module(&self) -> Option<&str> {
        match self.innermost() {
            TypeKind::Instance { module, .. } => Some(&module.text),
            _ => None,
        }
    }

    /// Returns the innermost element type of nested arrays.
    #[must_use]
    pub fn innermost(&self) -> &TypeKind {
        let mut kind = self;
        while let TypeKind::Array { element, .. } = kind {
            kind = element;
        }
        kind
    }
}

/// `name : type;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name of the declared variable.
    pub name: Name,
    /// The type of the declared variable.
    pub kind: TypeKind,
    /// The place of the type.
    pub kind_span: Span,
}

/// `name := body;` in a DEFINE section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Define {
    /// The instance that the definition belongs to, in `instance.name := body;`.
    pub owner: Option<ExprId>,
    /// The name that the section defines.
    pub name: Name,
    /// The expression that the name stands for.
    pub body: ExprId,
}

/// The value of a variable that an assignment sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// `init(x)`
    Init,
    /// `next(x)`
    Next,
    /// `x`
    Current,
}

impl Target {
    /// Returns the left side of an assignment to `name`.
    #[must_use]
    pub fn of(self, name: &str) -> String {
        match self {
            Target::Init => format!("init({name})"),
            Target::Next => format!("next({name})"),
            Target::Current => name.to_owned(),
        }
    }
}

/// `target := value;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// The assigned value of the variable.
    pub target: Target,
    /// The path of the variable.
    pub place: ExprId,
    /// The assigned value.
    pub value: ExprId,
    /// The place of the assignment, with its semicolon.
    pub span: Span,
}

/// The kind of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConstraintKind {
    /// A condition on initial states.
    Init,
    /// A condition on all states.
    Invar,
    /// A condition on all steps.
    Trans,
}

impl ConstraintKind {
    /// Returns the keyword of a section with such a constraint.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            ConstraintKind::Init => "INIT",
            ConstraintKind::Invar => "INVAR",
            ConstraintKind::Trans => "TRANS",
        }
    }
}

/// `INIT`, `INVAR` or `TRANS` with a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The kind of the constraint.
    pub kind: ConstraintKind,
    /// The condition that the constraint requires.
    pub body: ExprId,
    /// The place of the complete section.
    pub span: Span,
}

/// A specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// The keyword: `SPEC`, `CTLSPEC`, `LTLSPEC`, `INVARSPEC`, `PSLSPEC`, `COMPUTE`.
    pub keyword: &'static str,
    /// The name of the specification, if it has one.
    pub name: Option<String>,
    /// The body of the specification.
    pub body: SpecificationBody,
    /// The place of the complete section.
    pub span: Span,
}

/// The body of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecificationBody {
    /// A temporal or plain formula.
    Formula(ExprId),
    /// PSL, a different language, as text.
    Psl(String),
}

/// A fairness constraint, which tests and mutants ignore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// The keyword: `FAIRNESS`, `JUSTICE`, `COMPASSION`.
    pub keyword: &'static str,
    /// One condition, or two for `COMPASSION`.
    pub conditions: Vec<ExprId>,
    /// The place of the complete section.
    pub span: Span,
}

/// A section of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Section {
    /// `VAR`, `IVAR` or `FROZENVAR`
    Variables(VarKind, Vec<Declaration>),
    /// `DEFINE`
    Defines(Vec<Define>),
    /// `CONSTANTS`
    Constants(Vec<Name>),
    /// `ASSIGN`
    Assigns(Vec<Assignment>),
    /// `INIT`, `INVAR` or `TRANS`
    Constraint(Constraint),
    /// `FAIRNESS`, `JUSTICE` or `COMPASSION`
    Fairness(Fairness),
    /// `SPEC` and similar sections
    Specification(Specification),
    /// `ISA module`: the sections of another module
    Isa(Name),
}

/// A `MODULE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The name of the module.
    pub name: Name,
    /// The parameters of the module.
    pub parameters: Vec<Name>,
    /// The sections of the module, in order.
    pub sections: Vec<Section>,
}

impl Module {
    /// Returns all DEFINEs in order.
    pub fn defines(&self) -> impl Iterator<Item = &Define> {
        self.sections.iter().flat_map(|section| match section {
            Section::Defines(all) => all.as_slice(),
            _ => &[],
        })
    }
}

/// A complete text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Program {
    /// The modules of the text, in order.
    pub modules: Vec<Module>,
    /// All expressions of the text.
    pub exprs: Exprs,
}

impl Program {
    /// Returns the module with this name, if there is one.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name.text == name)
    }
}
