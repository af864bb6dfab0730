//! A model whose names are resolved.

use rustc_hash::FxHashMap;

use crate::ast::{Define, ExprId, Exprs, Name, VarKind};
use crate::domain::Domain;
use crate::flat::{Flat, FlatAssignment};

/// What a name in an expression means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Entity {
    /// The variable with this index.
    Variable(usize),
    /// The DEFINE with this index.
    Define(usize),
    /// A value of some enumeration.
    Symbol,
}

/// A variable with everything that is said about it.
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a Name,
    /// The section it is declared in.
    pub kind: VarKind,
    /// Its values.
    pub domain: Domain,
    /// `init(x) := …`
    pub init: Option<&'a FlatAssignment>,
    /// `next(x) := …`
    pub next: Option<&'a FlatAssignment>,
    /// `x := …`
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
    /// What it is made of.
    pub flat: &'a Flat,
    /// All variables in order of declaration.
    pub variables: Vec<Variable<'a>>,
    /// All DEFINEs in order.
    pub defines: Vec<&'a Define>,
    /// What each expression that is a name means.
    pub entities: Vec<Option<Entity>>,
    /// For each DEFINE, a variable or array whose type it is part of.
    pub shapes: Vec<Option<String>>,
    /// For each DEFINE, its value if it is built from numbers only.
    pub constants: Vec<Option<i64>>,
    pub(super) names: FxHashMap<&'a str, Entity>,
    /// The variable declared first with each symbol.
    pub(super) symbols: FxHashMap<String, usize>,
}

impl<'a> Model<'a> {
    /// The arena of the model's expressions.
    #[must_use]
    pub fn exprs(&self) -> &'a Exprs {
        &self.flat.exprs
    }

    /// What an expression means, if it is a name.
    #[must_use]
    pub fn entity(&self, id: ExprId) -> Option<Entity> {
        self.entities[id.index()]
    }

    /// What a full name means.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Entity> {
        self.names.get(name).copied()
    }

    /// The domain of the variable that is declared first among those with this symbol.
    #[must_use]
    pub fn domain_of_symbol(&self, symbol: &str) -> Option<&Domain> {
        let v = self.symbols.get(symbol)?;
        Some(&self.variables[*v].domain)
    }
}
