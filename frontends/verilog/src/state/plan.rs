//! Mutants at their places in the syntax tree.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::{ExprId, StmtId};

/// The change of a statement by a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alternative {
    /// The statement is removed.
    Delete,
    /// The statement is replaced by this one.
    Replace(StmtId),
}

/// A change of a node of the tree.
#[derive(Clone, Debug)]
pub struct Choice<T> {
    /// The number of the change; changes of one mutation have the same number.
    pub part: usize,
    /// The mutants that make the change, ascending: indices of mutants.
    pub mutants: Rc<[usize]>,
    /// The replacement of the node.
    pub with: T,
}

/// Mutants at their places. A mutant makes one change, or several.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// The replacements of expressions.
    pub exprs: FxHashMap<ExprId, Vec<Choice<ExprId>>>,
    /// The replacements of statements.
    pub stmts: FxHashMap<StmtId, Vec<Choice<Alternative>>>,
    /// The first expression that is not in the text: it and all later ones belong to mutants.
    pub first_own: Option<u32>,
    /// Number of mutants if they make several changes each, otherwise 0.
    pub combined: usize,
    /// Mutants whose changes cannot be made together, with the reason.
    pub rejected: BTreeMap<usize, String>,
}

/// The changes around a mutated part of the tree. Only mutants that make all of these changes are present in the part.
#[derive(Clone, Debug)]
pub struct Around {
    /// The numbers of the changes, each with the number of calls around it.
    pub(crate) parts: Vec<(usize, usize)>,
    /// The mutants that make all of them, ascending.
    pub(crate) mutants: Rc<[usize]>,
}

impl<T: Copy> Choice<T> {
    /// Returns the choice for the mutants that satisfy `is_here`; `None` if there are none.
    #[must_use]
    pub fn among(&self, is_here: impl Fn(usize) -> bool) -> Option<Choice<T>> {
        let mutants = match self.mutants.iter().all(|mutant| is_here(*mutant)) {
            true => Rc::clone(&self.mutants),
            false => (self.mutants.iter().copied())
                .filter(|mutant| is_here(*mutant))
                .collect(),
        };
        (!mutants.is_empty()).then_some(Choice { mutants, ..*self })
    }

    /// Whether a mutant makes this change.
    #[must_use]
    pub fn has(&self, mutant: usize) -> bool {
        self.mutants.binary_search(&mutant).is_ok()
    }
}

impl Around {
    /// Returns the changes around a part that `choice` makes, within the part that `outer` surrounds.
    #[must_use]
    pub fn of<T: Copy>(choice: &Choice<T>, calls: usize, outer: Option<&Around>) -> Around {
        let mut parts = outer.map_or(Vec::new(), |outer| outer.parts.clone());
        parts.push((choice.part, calls));
        Around {
            parts,
            mutants: Rc::clone(&choice.mutants),
        }
    }

    /// Returns a change within the mutated part, for the mutants that are present there. `None` if there are none, or if the change itself
    /// is one of those around the part.
    #[must_use]
    pub fn rest<T: Copy>(&self, choice: &Choice<T>) -> Option<Choice<T>> {
        match self.parts.iter().any(|(part, _)| *part == choice.part) {
            true => None,
            false => self.common(choice),
        }
    }

    /// Returns the choice for the mutants around the part if a recursive call in the part has led back to the place of the choice. The
    /// mutants change that call, too. `None` otherwise.
    #[must_use]
    pub fn again<T: Copy>(&self, choice: &Choice<T>, calls: usize) -> Option<Choice<T>> {
        let mut parts = self.parts.iter();
        let is_deeper = parts.any(|&(part, outer)| part == choice.part && outer < calls);
        is_deeper.then(|| self.common(choice)).flatten()
    }

    fn common<T: Copy>(&self, choice: &Choice<T>) -> Option<Choice<T>> {
        choice.among(|mutant| self.mutants.binary_search(&mutant).is_ok())
    }
}
