//! Stacks of remaining commands.

use std::rc::Rc;

use hyperkill_core::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::tree::StmtId;

/// Stacks of remaining commands, by index; 0 is the empty stack.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub(super) all: Vec<Entry>,
    pub(super) known: FxHashMap<(StmtId, usize), usize>,
    pub(super) read_by: FxHashMap<StmtId, Rc<FxHashSet<usize>>>,
    /// Whether stacks with these values of the variables that they read are enabled, in the present action.
    pub(super) abilities: FxHashMap<(usize, Vec<(usize, TermId)>), TermId>,
    pub(super) effort: usize,
    pub(super) depth: usize,
}

/// A branch of a choice, with the condition for taking it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) part: StmtId,
    pub(super) can: TermId,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) top: StmtId,
    pub(super) rest: usize,
    pub(super) reads: Rc<FxHashSet<usize>>,
}

impl Stacks {
    pub(super) fn get(&self, stack: usize) -> Option<&Entry> {
        stack.checked_sub(1).and_then(|index| self.all.get(index))
    }

    /// Clears the results for the previous action.
    pub(super) fn begin_action(&mut self) {
        *self = Stacks::default();
    }
}
