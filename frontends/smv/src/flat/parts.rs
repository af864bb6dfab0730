//! A model without modules, and its parts.

use hyperkill_frontend::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{ConstraintKind, Declaration, Define, ExprId, Exprs, Name, Target, VarKind};

/// The input that selects the running process.
pub const PROCESS_SELECTOR: &str = "_process_selector_";

/// An assignment to a variable by its full name.
#[derive(Clone, Debug)]
pub struct FlatAssignment {
    /// The assigned value of the variable.
    pub target: Target,
    /// The full name of the variable, with its place in the assignment.
    pub name: Name,
    /// The assigned value.
    pub value: ExprId,
    /// The assignment in the source; the first one if several processes assign the variable.
    pub span: Span,
    /// For a variable that processes assign: the assignment of each branch of the value but the last.
    pub writers: Vec<Span>,
}

impl FlatAssignment {
    /// Returns the left side of the assignment as text: `next(p.x)`.
    #[must_use]
    pub fn left(&self) -> String {
        self.target.of(&self.name.text)
    }
}

/// A constraint of an instance.
#[derive(Clone, Copy, Debug)]
pub struct FlatConstraint {
    /// The kind of the constraint.
    pub kind: ConstraintKind,
    /// The condition that the constraint requires.
    pub body: ExprId,
    /// The section in the source.
    pub span: Span,
}

/// An `INVARSPEC` of an instance.
#[derive(Clone, Debug)]
pub struct FlatInvariant {
    /// The name of the invariant, if it has one.
    pub name: Option<String>,
    /// The property that must hold in all states.
    pub body: ExprId,
    /// The section in the source.
    pub span: Span,
}

/// A part of the source that mutants change, in one of its copies.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name of the module.
    pub module: String,
    /// The prefix of full names in the module.
    pub prefix: String,
    /// The place in the module: `next(x)`, `define(d)`.
    pub step: String,
    /// The kind of the item.
    pub kind: ItemKind,
}

/// The kind of an [`Item`].
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// The body of a DEFINE, by its full name.
    Define {
        /// The full name of the DEFINE.
        name: String,
        /// The expression that the name stands for.
        body: ExprId,
    },
    /// An assignment.
    Assignment {
        /// The full name of the variable.
        name: String,
        /// The assigned value of the variable.
        target: Target,
        /// The assigned value.
        value: ExprId,
        /// The place of the assignment, with its semicolon.
        span: Span,
    },
    /// A constraint.
    Constraint(ExprId),
}

/// An expression of the source that a mutant inserts in place of another one.
#[derive(Clone, Copy, Debug)]
pub struct Replacement {
    /// The index of the mutant.
    pub mutation: usize,
    /// The replaced expression.
    pub site: ExprId,
    /// The replacement, which is added to the program and belongs to no module.
    pub with: ExprId,
}

/// A model without modules.
#[derive(Clone, Default, Debug)]
pub struct Flat {
    /// All expressions of the model.
    pub exprs: Exprs,
    /// For each copied expression, its original in the source.
    pub origin: Vec<Option<ExprId>>,
    /// All copies of each expression of the source.
    pub copies: FxHashMap<ExprId, Vec<ExprId>>,
    /// All variables of the model, with the kind of section that declares each.
    pub declarations: Vec<(VarKind, Declaration)>,
    /// Symbols declared as `CONSTANTS`.
    pub constants: Vec<Name>,
    /// All DEFINEs, including `running` and parameters.
    pub defines: Vec<Define>,
    /// The names of DEFINEs that are not from a DEFINE section.
    pub made: FxHashSet<String>,
    /// All assignments of the model.
    pub assignments: Vec<FlatAssignment>,
    /// All constraints of the model.
    pub constraints: Vec<FlatConstraint>,
    /// The conditions of fairness constraints.
    pub fairness: Vec<ExprId>,
    /// All invariants to check.
    pub invariants: Vec<FlatInvariant>,
    /// The items that mutants change, in the order of instances.
    pub items: Vec<Item>,
    /// Copies of replacements: the mutant, the copy of the site, and the replacement there.
    pub replacements: Vec<Replacement>,
    /// Mutants whose replacements are ill-formed in some instance, with the reason.
    pub rejected: Vec<(usize, String)>,
    /// The full names of DEFINEs that determine lengths of arrays, with a name of such an array.
    pub shapes: FxHashMap<String, String>,
    /// The number of instances, including `main`.
    pub instances: usize,
}
