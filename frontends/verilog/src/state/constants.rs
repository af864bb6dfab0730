//! Parameters that have parts or elements: variables that never change.

use hyperkill_core::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{ExprId, StmtId};
use crate::design::{ScopeId, VarId, WordId};

/// Parameters that have parts or elements, with the values of their words and the ways they are read.
#[derive(Default, Debug)]
pub struct Constants {
    values: FxHashMap<VarId, (ScopeId, ExprId)>,
    words: FxHashMap<WordId, TermId>,
    /// Parameters whose values are being computed: a parameter that meets itself is a cycle.
    open: FxHashSet<VarId>,
    /// Parameters with a word that a constant index reads.
    fixed: FxHashSet<VarId>,
    /// Parameters with a word that a variable index reads.
    chosen: FxHashSet<VarId>,
    /// Expressions and statements of functions with constant results.
    in_functions: (FxHashSet<ExprId>, FxHashSet<StmtId>),
    /// Whether a value contains mutants.
    mutated: FxHashMap<ExprId, bool>,
}

impl Constants {
    /// Adds a parameter with its value and the scope of the value.
    pub fn add(&mut self, var: VarId, scope: ScopeId, value: ExprId) {
        self.values.insert(var, (scope, value));
    }

    /// Returns the value of a parameter, after the scope of the value; `None` if the variable is no parameter.
    #[must_use]
    pub fn value(&self, var: VarId) -> Option<(ScopeId, ExprId)> {
        self.values.get(&var).copied()
    }

    /// Whether a value contains mutants; `find` is called once to find out.
    pub fn is_mutated(&mut self, value: ExprId, find: impl FnOnce() -> bool) -> bool {
        *self.mutated.entry(value).or_insert_with(find)
    }

    /// Notes that a constant index reads a parameter.
    pub fn fix(&mut self, var: VarId) {
        self.fixed.insert(var);
    }

    /// Notes that a computed index reads a parameter.
    pub fn choose(&mut self, var: VarId) {
        self.chosen.insert(var);
    }

    /// Returns the value of a word; `None` if it is not computed yet.
    #[must_use]
    pub fn word(&self, word: WordId) -> Option<TermId> {
        self.words.get(&word).copied()
    }

    /// Notes the values of words.
    pub fn know(&mut self, words: Vec<(WordId, TermId)>) {
        self.words.extend(words);
    }

    /// Notes that the value of a parameter is being computed. Returns `false` if that has begun before.
    pub fn begin(&mut self, var: VarId) -> bool {
        self.open.insert(var)
    }

    /// Notes that the value of a parameter has been computed.
    pub fn end(&mut self, var: VarId) {
        self.open.remove(&var);
    }

    /// Notes that a function executes an expression whose value is a constant.
    pub fn fix_expr(&mut self, expr: ExprId) {
        self.in_functions.0.insert(expr);
    }

    /// Notes that a function executes a statement while it computes a constant.
    pub fn fix_statement(&mut self, statement: StmtId) {
        self.in_functions.1.insert(statement);
    }

    /// Returns expressions and statements of functions with constant results: they have no mutants.
    #[must_use]
    pub fn in_functions(&self) -> (&FxHashSet<ExprId>, &FxHashSet<StmtId>) {
        (&self.in_functions.0, &self.in_functions.1)
    }

    /// Returns the values of parameters that shape the design or have no readers: they have no mutants.
    #[must_use]
    pub fn immutable(&self) -> FxHashSet<ExprId> {
        let is_table = |var: &VarId| self.chosen.contains(var) && !self.fixed.contains(var);
        let others = self.values.iter().filter(|(var, _)| !is_table(var));
        let fixed: FxHashSet<ExprId> = (self.fixed.iter())
            .filter_map(|var| self.values.get(var).map(|(_, value)| *value))
            .collect();
        let tables: FxHashSet<ExprId> = (self.values.iter())
            .filter(|(var, (_, value))| is_table(var) && !fixed.contains(value))
            .map(|(_, (_, value))| *value)
            .collect();
        let others = others.map(|(_, (_, value))| *value);
        others.filter(|value| !tables.contains(value)).collect()
    }
}
