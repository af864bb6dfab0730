//! Where something is executed, and what it has assigned so far.

use std::collections::BTreeMap;
use std::rc::Rc;

use hyperkill_core::term::TermId;

use super::block::Late;
use crate::ast::{Direction, ExprId, Name};
use crate::design::{Early, ScopeId, VarId, WordId};

/// Where something is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Where only constants may be read.
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

/// What a process has assigned so far.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Env {
    /// By blocking assignments.
    pub blocking: BTreeMap<WordId, TermId>,
    /// By non-blocking assignments.
    pub waiting: BTreeMap<WordId, TermId>,
    /// By both, in a block without memory.
    pub mixed: BTreeMap<WordId, Vec<Late>>,
    /// Words that mutants have given values by `=` in the place of `<=` at an edge, with these mutants.
    pub early: Rc<Early>,
    /// Those who have jumped away and wait where they go on, first things first.
    pub parked: Vec<Rc<Parked>>,
    /// Whether nobody is left here: all have jumped away.
    pub gone: bool,
}

/// A function or task with its variables.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) scope: ScopeId,
    /// Arguments in order.
    pub(crate) arguments: Vec<(VarId, Direction)>,
    /// What arguments are if they are left out.
    pub(crate) defaults: Vec<Option<ExprId>>,
    /// What a function returns.
    pub(crate) result: Option<VarId>,
    /// All words of its own.
    pub(crate) words: std::ops::Range<usize>,
}

/// A place that can be jumped to.
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

/// Those who jump away under one condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Parked {
    /// The number of the place where they go on.
    pub(crate) at: usize,
    /// Who they are: all that have not jumped away before and for whom this holds.
    pub(crate) condition: TermId,
    /// What they have assigned.
    pub(crate) env: Env,
}

/// The edge at which values are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// That of a clock, by its number.
    Clock(usize),
    /// That of a signal, rising or falling: it is a clock only if somebody asks for a value.
    Edge(bool, ExprId),
}
