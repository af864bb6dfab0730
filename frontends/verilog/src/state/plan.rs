//! Mutants at their places in the syntax tree.

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

/// Mutants at their places; numbers are indices of mutations.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// The replacements of expressions.
    pub exprs: FxHashMap<ExprId, Vec<(usize, ExprId)>>,
    /// The replacements of statements.
    pub stmts: FxHashMap<StmtId, Vec<(usize, Alternative)>>,
    /// The first expression that is not in the text: it and all later ones belong to mutants.
    pub first_own: Option<u32>,
}
