//! The state of flattening a program.

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::parts::{Flat, Replacement};
use crate::ast::{ExprId, Module, Name, Program, Section};

/// The nesting depth of instances, at most.
pub(super) const MAX_DEPTH: usize = 60;

/// The number of errors after which no more instances are created.
pub(super) const MAX_ERRORS: usize = 100;

/// The number of variables, and of instances, at most. Real models have fewer.
pub(super) const MAX_THINGS: usize = 100_000;

/// The number of values of enumerations, counted for each variable, at most. More would exhaust the memory.
pub(super) const MAX_VALUES: usize = 1_000_000;

/// The number of copies of expressions, at most. Real models have fewer.
pub(super) const MAX_EXPRESSIONS: usize = 4_000_000;

/// The meaning of a path.
#[derive(Clone, Debug)]
pub(super) enum Reference {
    /// A variable, a DEFINE or a symbol, by its full name.
    Leaf(String),
    /// The instance with this index.
    Instance(usize),
    /// An array, with the index of its first element.
    Array(i64, Vec<Reference>),
    /// One of several references, by an index computed in the scope of an instance.
    Pick {
        scope: usize,
        index: ExprId,
        low: i64,
        items: Vec<Reference>,
    },
}

/// The meaning of a name inside a module.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// The parameter with this index.
    Parameter(usize),
    /// A part of the instance itself.
    Own(Reference),
}

pub(super) struct Instance<'a> {
    pub(super) module: &'a Module,
    /// The sections of the module, including those of `ISA` modules.
    pub(super) sections: Vec<&'a Section>,
    /// The prefix of its names: empty for `main`, `p.` for the instance `p`.
    pub(super) prefix: String,
    pub(super) parent: usize,
    pub(super) arguments: &'a [ExprId],
    pub(super) names: FxHashMap<&'a str, (Local, Span)>,
    /// The index of its process.
    pub(super) process: usize,
}

/// A `next` assignment of a process.
pub(super) struct Coming {
    pub(super) name: Name,
    pub(super) scope: usize,
    pub(super) value: ExprId,
    pub(super) span: Span,
    pub(super) item: Option<usize>,
}

pub(super) struct Flattener<'a> {
    pub(super) program: &'a Program,
    pub(super) flat: Flat,
    pub(super) instances: Vec<Instance<'a>>,
    /// Declarations with dots or indices in their names, by full names: `p.x` without an instance `p`, or `x[0]` without an array.
    pub(super) dotted: FxHashMap<String, (Reference, Span)>,
    /// Values of enumerations and `CONSTANTS`, of all instances.
    pub(super) symbols: FxHashSet<&'a str>,
    /// The prefix of each process, `main`'s first.
    pub(super) processes: Vec<String>,
    /// The number of values of all enumerations, counted once per variable.
    pub(super) values: usize,
    /// Variables with types to be copied: the scope, and the index among the declarations.
    pub(super) pending: Vec<(usize, usize)>,
    /// `next` assignments of a model with processes.
    pub(super) coming: Vec<Coming>,
    /// Sections whose mutants are collected, by address.
    pub(super) walked: FxHashSet<*const Section>,
    /// Replacements by their sites in the source.
    pub(super) sites: FxHashMap<ExprId, Vec<Replacement>>,
    /// Copies of sites with the scopes that they were copied in.
    pub(super) replaced: Vec<(usize, ExprId)>,
    pub(super) errors: Vec<Diagnostic>,
    /// The depth of references through parameters.
    pub(super) depth: usize,
}

impl Flattener<'_> {
    /// Returns the value of a result. For an error, records it and returns `None`.
    pub(super) fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }
}
