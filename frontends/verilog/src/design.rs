//! A design after elaboration: variables, scopes and processes of the full hierarchy, and the drivers of every bit.
//!
//! Values are terms over *leaves*: words of variables, and unknown values. [`crate::resolve`] decides whether a leaf is an input, a
//! register or a wire.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use hyperkill_core::system::Warning;
use hyperkill_core::term::{TermError, TermId};
use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

pub use crate::early::{Early, WordId};

use crate::ast::{Direction, ExprId, Name, Routine, Sensitivity, StmtId};
use crate::layout::Layout;
use crate::number::Literal;
use crate::words::{Words, word_sort};

/// A reason why a construct has no meaning.
#[derive(Debug)]
pub enum Stop {
    /// An error in the model.
    Model(Box<Diagnostic>),
    /// A term cannot be built; a caller adds the place.
    Term(TermError),
    /// These mutants cannot be alternatives here: each must be executed apart.
    Apart(Vec<usize>),
}

impl Stop {
    /// An error at a place.
    pub fn at(span: Span, message: impl Into<String>) -> Stop {
        Stop::Model(Box::new(Diagnostic::error(span, message)))
    }

    /// Returns the diagnostic, at this place if it has none.
    #[must_use]
    pub fn located(self, span: Span) -> Diagnostic {
        match self {
            Stop::Model(diagnostic) => *diagnostic,
            Stop::Term(error) => Diagnostic::error(span, error.to_string()),
            Stop::Apart(_) => Diagnostic::error(span, "a mutant must be executed apart"),
        }
    }

    /// Returns the error, at this place if it has none.
    #[must_use]
    pub fn placed(self, span: Span) -> Stop {
        match self {
            Stop::Model(diagnostic) if diagnostic.span.is_none() && !diagnostic.about_option => {
                Stop::at(span, diagnostic.message)
            }
            Stop::Term(error) => Stop::at(span, error.to_string()),
            stop => stop,
        }
    }
}

impl From<TermError> for Stop {
    fn from(error: TermError) -> Stop {
        Stop::Term(error)
    }
}

/// The result of an elaboration.
pub type Run<T> = Result<T, Stop>;

/// A variable of [`Design`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub usize);

/// A scope of [`Design`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScopeId(pub usize);

/// The resolution of several drivers of a net.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Net {
    /// Exactly one of them must drive.
    #[default]
    Plain,
    /// Their conjunction.
    And,
    /// Their disjunction.
    Or,
    /// Like a plain one, and 0 or 1 if none drives.
    Pulled(bool),
}

/// A driver that drives some bits of a word at times (tri-state).
#[derive(Clone, Debug)]
pub struct Partial {
    /// The lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// The value.
    pub value: TermId,
    /// The mask of the driven bits.
    pub driven: TermId,
    /// The place of the driver.
    pub place: Span,
}

/// A net or variable of some instance.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name with the path of instances and blocks.
    pub name: String,
    /// Bits of a word of it.
    pub width: u32,
    /// The bound on the left.
    pub left: i64,
    /// The bound on the right: of the least significant bit.
    pub right: i64,
    /// Two's complement.
    pub signed: bool,
    /// Whether only its function, task or block uses it.
    pub local: bool,
    /// Whether it is a variable, not a net.
    pub variable: bool,
    /// Whether it is an integer, as loops use it.
    pub integer: bool,
    /// The constant value of a supply net.
    pub supply: Option<bool>,
    /// The resolution of several drivers.
    pub net: Net,
    /// Whether an attribute makes it a choice.
    pub choice: Option<&'static str>,
    /// The layout of a word, if it is more than a vector of bits.
    pub layout: Option<Arc<Layout>>,
    /// Bounds of an array, the outermost first.
    pub dimensions: Vec<(i64, i64)>,
    /// Its first word.
    pub first: usize,
    /// Number of its words.
    pub count: u32,
    /// Direction, if it is a port of the top module.
    pub port: Option<Direction>,
    /// The place of the declaration.
    pub place: Span,
}

impl Var {
    /// Whether bits that nothing assigns keep their value at the start.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.variable && self.choice.is_none()
    }

    /// Returns the indices of an element of an array, the outermost first.
    #[must_use]
    pub fn indices(&self, element: u32) -> Vec<i64> {
        let mut rest = i64::from(element);
        let mut found = Vec::with_capacity(self.dimensions.len());
        for (a, b) in self.dimensions.iter().rev() {
            let count = a.max(b) - a.min(b) + 1;
            found.push(a.min(b) + rest % count);
            rest /= count;
        }
        found.reverse();
        found
    }
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Entity {
    /// A type.
    Type(Arc<Layout>),
    /// A net or variable.
    Var(VarId),
    /// A parameter or loop variable of `generate`.
    Constant(Literal),
    /// A parameter that is a number with a fraction.
    Real,
    /// A function or task, with the scope that declares it: an import gives its name to another one.
    Routine(Arc<Routine>, ScopeId),
    /// An instance or block.
    Scope(ScopeId),
    /// An array of instances or the turns of a loop.
    Scopes(BTreeMap<i64, ScopeId>),
}

/// A scope for looking up names.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The surrounding scope; names are looked up there too, unless this scope is a module.
    pub parent: Option<ScopeId>,
    /// Path in front of names, with a dot at the end unless empty.
    pub path: String,
    /// Its names.
    pub names: FxHashMap<Name, Entity>,
}

/// A place where a value enters terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// The visible value of a word, after asynchronous overrides.
    Word(WordId),
    /// The value of a word before a process without memory runs: a latch, if it is read.
    Old(WordId, usize),
    /// The stored value of a register, before asynchronous overrides.
    Held(WordId),
    /// The value of a word after all blocking assignments of a process.
    Final(usize),
    /// A named choice: any value.
    Choice(String),
    /// The table of an unknown function.
    Table(usize),
}

/// Whether a block is a latch, where it does not assign a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Latch {
    /// It is one: `always_latch`, or another block that is a latch in the original.
    Yes,
    /// It is one if a variable keeps its value: `always @*` in a design whose original has not been resolved.
    Perhaps,
    /// It is none, for this reason.
    No(&'static str),
}

/// The kind of a driver: wires change at once, registers at the next edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Drive {
    /// The value itself.
    Wire,
    /// The value after the edge, with the asynchronous overrides that take precedence.
    Register {
        /// Index of the clock.
        clock: usize,
        /// Asynchronous sets and resets, the first one with precedence: condition, and the value if the override sets one.
        overrides: Vec<(TermId, Option<TermId>)>,
    },
}

/// A stretch of bits of a word with its driver.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// Wire or register.
    pub drive: Drive,
    /// The value.
    pub value: TermId,
    /// The place of the driver.
    pub place: Span,
    /// The process that it belongs to.
    pub process: usize,
}

/// The source of a sampled value, which a register takes at every edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sampled {
    /// The value of an expression.
    Expr(ExprId),
    /// The value of a variable.
    Var(VarId),
}

/// A process, which runs all the time or at edges.
#[derive(Clone, Debug)]
pub enum Process {
    /// `assign target = value`, both in one scope.
    Assign(ScopeId, ExprId, ExprId),
    /// A variable gets the value of an expression: initial values of nets, input ports.
    Drive(VarId, ScopeId, ExprId),
    /// A target gets the value of a variable: output ports.
    Export(ScopeId, ExprId, VarId, Option<(u32, u32)>),
    /// The first variable drives the second one, which is of the same kind.
    Link(VarId, VarId),
    /// An element of the first variable drives an element of the second one, which is as wide.
    Element(VarId, u32, VarId, u32),
    /// A part of an expression drives an input port of one of an array of instances.
    Part(VarId, ScopeId, ExprId, u32),
    /// A block that runs whenever a variable in its sensitivity changes.
    Combinational(ScopeId, Sensitivity, StmtId),
    /// A block that runs at edges.
    Edges(ScopeId, Vec<(bool, ExprId)>, StmtId),
    /// A block that runs once.
    Initial(ScopeId, StmtId),
    /// The value of a variable at the start.
    InitialValue(VarId, ScopeId, ExprId),
    /// A gate: output, inputs, and the number of gates if it is an array.
    Gate(ScopeId, Name, ExprId, Vec<ExprId>, u32),
    /// `assert`, or `assume` if the flag is set, with the edge of its clock, if written.
    Property(ScopeId, ExprId, Option<(bool, ExprId)>, bool),
    /// A register takes a value at every edge of a clock.
    Sample(VarId, ScopeId, Sampled, usize),
}

/// An edge of a signal that processes run at.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The signal.
    pub signal: TermId,
    /// Whether its rising edge.
    pub rising: bool,
    /// The place of the first use.
    pub place: Span,
}

/// An expression that drives bits of a net continuously.
#[derive(Clone, Debug)]
pub struct Driving {
    /// The variable that it drives.
    pub var: VarId,
    /// The bits of the variable; `None` if they may be any.
    pub bits: Option<Range<u32>>,
    /// The expression.
    pub value: ExprId,
    /// Whether the expression joins expressions that are recorded too.
    pub joins: bool,
}

/// A clock gate: a net that enables the edges of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockGate {
    /// The clock.
    pub clock: TermId,
    /// The net that says whether its next edge goes through.
    pub enable: TermId,
}

/// The table of an unknown function, which a test chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name of the test input.
    pub name: String,
    /// Its bits.
    pub width: u32,
}

/// A condition that is asserted or assumed.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// A truth value.
    pub term: TermId,
    /// The clock at whose edges the condition is checked, and whether at rising edges; `None`: at all times.
    pub clock: Option<(TermId, bool)>,
    /// The place of the claim.
    pub place: Span,
    /// Whether it is assumed.
    pub assumed: bool,
}

/// An asynchronous set or reset.
#[derive(Clone, Debug)]
pub struct Asynchronous {
    /// The signal.
    pub signal: TermId,
    /// The value that it acts at.
    pub active: bool,
    /// The place of the condition.
    pub place: Span,
}

/// The whole hierarchy.
#[derive(Clone, Default, Debug)]
pub struct Design {
    /// All terms; inputs are indices into `leaves`.
    pub words: Words,
    /// The leaves of terms, with their widths.
    pub leaves: Vec<(Leaf, u32)>,
    /// All variables.
    pub vars: Vec<Var>,
    /// For each word: its variable, its element, the leaf of its visible value.
    pub elements: Vec<(VarId, u32, TermId)>,
    /// All scopes, the top module first.
    pub scopes: Vec<Scope>,
    /// The drivers of each word.
    pub drivers: BTreeMap<WordId, Vec<Driver>>,
    /// The drivers that drive each word at times only, until they are joined.
    pub partial: BTreeMap<WordId, Vec<Partial>>,
    /// Values at the start.
    pub initial: BTreeMap<WordId, TermId>,
    /// Values of [`Leaf::Final`].
    pub finals: Vec<TermId>,
    /// Edges that processes run at.
    pub clocks: Vec<Clock>,
    /// Whether the blocks without edges may be latches, by the numbers of their processes.
    pub latches: BTreeMap<usize, Latch>,
    /// Blocks without edges, by the numbers of their processes.
    pub blocks: BTreeMap<usize, StmtId>,
    /// Those of `blocks` that are parts of clock gates.
    pub gating: Vec<StmtId>,
    /// Clock gates, by the nets that they drive.
    pub clock_gates: BTreeMap<WordId, ClockGate>,
    /// Asynchronous sets and resets.
    pub asynchronous: Vec<Asynchronous>,
    /// The expressions that drive nets continuously.
    pub driving: Vec<Driving>,
    /// Assertions and assumptions.
    pub claims: Vec<Claim>,
    /// Words that processes assign by `=` at edges: the mutant that does so (`None`: the original), the word, the process.
    pub at_once: BTreeSet<(Option<usize>, WordId, usize)>,
    /// Words read at edges after a mutant has replaced `<=` by `=`: the mutants with the words they assigned, and the word that is read.
    pub read_after: Vec<(Rc<Early>, WordId)>,
    /// The places of the choices for `x`, by name.
    pub chosen: Vec<(String, Span)>,
    /// Ports of the top module in order.
    pub ports: Vec<VarId>,
    /// Inputs of black boxes, which are observed.
    pub into_boxes: Vec<VarId>,
    /// Outputs of black boxes, with the modules.
    pub from_boxes: BTreeMap<VarId, Name>,
    /// Tables of unknown functions.
    pub tables: Vec<Table>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Warnings about constructs that simulators read differently.
    pub warnings: Vec<Warning>,
}

impl Design {
    /// Returns a variable.
    #[must_use]
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0]
    }

    /// Returns the name of a word.
    #[must_use]
    pub fn word_name(&self, word: WordId) -> String {
        let (var, element, _) = self.elements[word.0];
        let var = self.var(var);
        match var.dimensions.as_slice() {
            [] => var.name.clone(),
            [(a, b)] => format!("{}[{}]", var.name, i64::from(element) + a.min(b)),
            _ => format!("{}[{element}]", var.name),
        }
    }

    /// Whether a process is a latch where it does not assign a variable.
    #[must_use]
    pub fn is_latch(&self, process: usize) -> bool {
        matches!(
            self.latches.get(&process),
            Some(Latch::Yes | Latch::Perhaps)
        )
    }

    /// Adds a leaf, and returns its term.
    pub fn leaf(&mut self, leaf: Leaf, width: u32) -> TermId {
        self.leaves.push((leaf, width));
        let index = self.leaves.len() - 1;
        self.words.pool.input(index, word_sort(width))
    }

    /// Returns the visible value of a word.
    #[must_use]
    pub fn word(&self, word: WordId) -> TermId {
        self.elements[word.0].2
    }
}
