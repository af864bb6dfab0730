//! A model with resolved names.

use rustc_hash::FxHashMap;

use crate::ast::{Define, ExprId, Exprs, Name, VarKind};
use crate::domain::Domain;
use crate::flat::{Flat, FlatAssignment};

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Entity {
    /// The variable with this index.
    Variable(usize),
    /// The DEFINE with this index.
    Define(usize),
    /// A value of some enumeration.
    Symbol,
}

/// A variable with its declaration and assignments.
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    /// The name of the variable.
    pub name: &'a Name,
    /// The kind of section that declares the variable.
    pub kind: VarKind,
    /// The values of the variable.
    pub domain: Domain,
    /// The assignment `init(x) := …`, if there is one.
    pub init: Option<&'a FlatAssignment>,
    /// The assignment `next(x) := …`, if there is one.
    pub next: Option<&'a FlatAssignment>,
    /// The assignment `x := …`, if there is one.
    pub current: Option<&'a FlatAssignment>,
}

impl Variable<'_> {
    /// Whether any assignment gives it a value.
    #[must_use]
    pub fn is_assigned(&self) -> bool {
        self.init.is_some() || self.next.is_some() || self.current.is_some()
    }
}

/// A model with its names resolved.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// The flat model that this model is built from.
    pub flat: &'a Flat,
    /// All variables in order of declaration.
    pub variables: Vec<Variable<'a>>,
    /// All DEFINEs of the model, in order.
    pub defines: Vec<&'a Define>,
    /// The meaning of each expression that is a name.
    pub entities: Vec<Option<Entity>>,
    /// For each DEFINE, a variable or array with the DEFINE in its type.
    pub shapes: Vec<Option<String>>,
    /// For each DEFINE, its value if it is built from numbers only.
    pub constants: Vec<Option<i64>>,
    pub(super) names: FxHashMap<&'a str, Entity>,
    /// The first declared variable with each symbol.
    pub(super) symbols: FxHashMap<String, usize>,
}

impl<'a> Model<'a> {
    /// Returns the arena of the model's expressions.
    #[must_use]
    pub fn exprs(&self) -> &'a Exprs {
        &self.flat.exprs
    }

    /// Returns the meaning of an expression, if it is a name.
    #[must_use]
    pub fn entity(&self, id: ExprId) -> Option<Entity> {
        self.entities[id.index()]
    }

    /// Returns the meaning of a full name; `None` if it is not declared.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        self.names.get(name).copied()
    }

    /// Returns the domain of the first declared variable with this symbol; `None` if there is none.
    #[must_use]
    pub fn domain_of_symbol(&self, symbol: &str) -> Option<&Domain> {
        let v = self.symbols.get(symbol)?;
        Some(&self.variables[*v].domain)
    }
}
