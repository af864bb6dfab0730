//! The place of execution, and the assignments so far.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use hyperkill_core::term::TermId;

use super::block::Late;
use crate::ast::{Direction, ExprId, Name};
use crate::design::{Early, ScopeId, VarId, WordId};
use crate::layout::Layout;
use crate::number::Literal;

/// The context of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// In a constant expression, which reads only constants.
    Constant,
    /// In a continuous assignment.
    Continuous,
    /// In a block without memory.
    Combinational,
    /// In a block that runs at edges.
    Edge,
    /// In an `initial` block.
    Initial,
}

/// The assignments of a process so far.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Env {
    /// By blocking assignments.
    pub blocking: BTreeMap<WordId, TermId>,
    /// By non-blocking assignments.
    pub waiting: BTreeMap<WordId, TermId>,
    /// By both, in a block without memory.
    pub mixed: BTreeMap<WordId, Vec<Late>>,
    /// Words that mutants have assigned by `=` in the place of `<=` at an edge, with these mutants.
    pub early: Rc<Early>,
    /// Pending jumps, in the order in which they were taken.
    pub parked: Vec<Rc<Parked>>,
    /// Whether no path is left here: all have jumped away.
    pub gone: bool,
}

/// A function or task with its variables.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) scope: ScopeId,
    /// Arguments in order.
    pub(crate) arguments: Vec<(VarId, Direction)>,
    /// The defaults of arguments.
    pub(crate) defaults: Vec<Option<ExprId>>,
    /// The variable of a function's result.
    pub(crate) result: Option<VarId>,
    /// All its words.
    pub(crate) words: std::ops::Range<usize>,
}

/// A target of jumps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The end of a loop.
    Loop,
    /// The end of a turn of a loop.
    Turn,
    /// The end of a function or task.
    Routine(Name),
    /// The end of a block with a name.
    Block(Name),
}

/// A pending jump, taken under one condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Parked {
    /// The number of the target.
    pub(crate) at: usize,
    /// The condition of the jump, among the paths without an earlier jump.
    pub(crate) condition: TermId,
    /// The assignments on the jumping paths.
    pub(crate) env: Env,
}

/// The edge at which values are sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// The edge of a clock, by its number.
    Clock(usize),
    /// The edge of a signal, rising or falling: the signal becomes a clock only if an expression samples a value.
    Edge(bool, ExprId),
}

/// An override of a parameter.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value.
    Value(Literal),
    /// The value of an expression in a scope. The type of the parameter says at which width.
    Expr(ScopeId, ExprId),
    /// A type.
    Type(Arc<Layout>),
}
