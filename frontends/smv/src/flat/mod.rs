//! A model without modules: every instance's variables, definitions and constraints under their full names.
//!
//! `p.x` is the variable `x` of the instance `p`, `a[2]` an element of an array, `m.param` a DEFINE that stands
//! for the actual parameter of `m`, unless that is a path, which stands for itself. Elements by a computed index become
//! [`ExprKind::Element`](crate::ast::ExprKind::Element). Processes run one at a time: [`PROCESS_SELECTOR`] says which,
//! and variables that it could assign keep their values while it does not run.
//!
//! Everything keeps its place in the source, and every expression knows which one it is a copy of: a mutant of a
//! module's body is a mutant of all its instances. Types nothing and checks only what names need.

mod copy;
mod instances;
mod items;
mod paths;

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    ConstraintKind, Declaration, Define, ExprId, Exprs, Module, Name, Program, Section, Target,
    VarKind,
};

/// The input that says which process runs.
pub const PROCESS_SELECTOR: &str = "_process_selector_";

/// Instances within instances, at most so deep.
const MAX_DEPTH: usize = 60;

/// After so many errors no more instances are made.
const MAX_ERRORS: usize = 100;

/// More variables than these, or instances, are no model that anybody wrote.
const MAX_THINGS: usize = 100_000;

/// More values of enumerations than these, counted for each variable, would fill the memory.
const MAX_VALUES: usize = 1_000_000;

/// More copies of expressions than these are no model that anybody wrote.
const MAX_EXPRESSIONS: usize = 4_000_000;

/// An assignment to a variable by its full name.
#[derive(Clone, Debug)]
pub struct FlatAssignment {
    /// Which value of the variable.
    pub target: Target,
    /// The variable's full name, at its place in the assignment.
    pub name: Name,
    /// What it gets.
    pub value: ExprId,
    /// The assignment in the source; the first one, if several processes assign the variable.
    pub span: Span,
    /// Of a variable that processes assign: the assignment behind each branch of the value but the last.
    pub writers: Vec<Span>,
}

impl FlatAssignment {
    /// Its left side: `next(p.x)`.
    #[must_use]
    pub fn left(&self) -> String {
        self.target.of(&self.name.text)
    }
}

/// A constraint of an instance.
#[derive(Clone, Copy, Debug)]
pub struct FlatConstraint {
    /// What it is about.
    pub kind: ConstraintKind,
    /// What must hold.
    pub body: ExprId,
    /// The section in the source.
    pub span: Span,
}

/// An `INVARSPEC` of an instance.
#[derive(Clone, Debug)]
pub struct FlatInvariant {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What should hold.
    pub body: ExprId,
    /// The section in the source.
    pub span: Span,
}

/// Something in the source that mutants change, in one of its copies.
#[derive(Clone, Debug)]
pub struct Item {
    /// Name of the module.
    pub module: String,
    /// In front of the full names of the module's own things.
    pub prefix: String,
    /// Where in the module: `next(x)`, `define(d)`.
    pub step: String,
    /// What it is.
    pub kind: ItemKind,
}

/// What an [`Item`] is.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// The body of a DEFINE, by its full name.
    Define {
        /// Its full name.
        name: String,
        /// Its body.
        body: ExprId,
    },
    /// An assignment.
    Assignment {
        /// The variable's full name.
        name: String,
        /// Which value of the variable.
        target: Target,
        /// What it gets.
        value: ExprId,
        /// The assignment with its semicolon.
        span: Span,
    },
    /// A constraint.
    Constraint(ExprId),
}

/// An expression of the source that a mutant puts in the place of another one.
#[derive(Clone, Copy, Debug)]
pub struct Replacement {
    /// Which mutant.
    pub mutation: usize,
    /// What goes.
    pub site: ExprId,
    /// What comes: added to the program, part of no module.
    pub with: ExprId,
}

/// A model without modules.
#[derive(Clone, Default, Debug)]
pub struct Flat {
    /// All expressions.
    pub exprs: Exprs,
    /// Of which expression of the source each one is a copy.
    pub origin: Vec<Option<ExprId>>,
    /// All copies of each expression of the source.
    pub copies: FxHashMap<ExprId, Vec<ExprId>>,
    /// All variables.
    pub declarations: Vec<(VarKind, Declaration)>,
    /// Symbols declared as `CONSTANTS`.
    pub constants: Vec<Name>,
    /// All DEFINEs, `running` and parameters among them.
    pub defines: Vec<Define>,
    /// Names of DEFINEs that stand in no DEFINE section.
    pub made: FxHashSet<String>,
    /// All assignments.
    pub assignments: Vec<FlatAssignment>,
    /// All constraints.
    pub constraints: Vec<FlatConstraint>,
    /// Conditions of fairness constraints.
    pub fairness: Vec<ExprId>,
    /// All invariants to check.
    pub invariants: Vec<FlatInvariant>,
    /// What mutants change, in the order of instances.
    pub items: Vec<Item>,
    /// Copies of replacements: of which mutant, of which copy of the site, and what comes there.
    pub replacements: Vec<Replacement>,
    /// Mutants whose replacements mean nothing in some instance, with the reason.
    pub rejected: Vec<(usize, String)>,
    /// Full names of DEFINEs that say how long arrays are, with a name of the array.
    pub shapes: FxHashMap<String, String>,
    /// How many instances there are, `main` among them.
    pub instances: usize,
}

/// Flattens a program from its module `main` on.
///
/// # Errors
/// Missing modules, wrong numbers of parameters, names that mean nothing in their module, indices outside arrays.
pub fn flatten(program: &Program) -> Result<Flat, Vec<Diagnostic>> {
    flatten_with(program, &[])
}

/// Flattens a program and, beside each copy of their sites, copies of replacements. Everything else has the same ids as without.
///
/// # Errors
/// As [`flatten`].
pub fn flatten_with(
    program: &Program,
    replacements: &[Replacement],
) -> Result<Flat, Vec<Diagnostic>> {
    let Some(main) = program.module("main") else {
        return Err(vec![Diagnostic::unlocated("there is no `MODULE main`")]);
    };
    let mut flattener = Flattener {
        program,
        flat: Flat::default(),
        instances: Vec::new(),
        dotted: FxHashMap::default(),
        symbols: FxHashSet::default(),
        processes: Vec::new(),
        values: 0,
        pending: Vec::new(),
        coming: Vec::new(),
        walked: FxHashSet::default(),
        sites: FxHashMap::default(),
        replaced: Vec::new(),
        errors: Vec::new(),
        depth: 0,
    };
    for replacement in replacements {
        let all = flattener.sites.entry(replacement.site).or_default();
        all.push(*replacement);
    }
    for (i, module) in program.modules.iter().enumerate() {
        let mut before = program.modules[..i].iter();
        if let Some(first) = before.find(|m| m.name.text == module.name.text) {
            let message = format!("there are two modules `{}`", module.name.text);
            let error = Diagnostic::error(module.name.span, message);
            flattener
                .errors
                .push(error.with_label(first.name.span, "the first"));
        }
    }
    if let Some(parameter) = main.parameters.first() {
        let message = "`main` cannot have parameters";
        flattener
            .errors
            .push(Diagnostic::error(parameter.span, message));
    }
    flattener.instantiate(instances::Wanted {
        module: main,
        prefix: String::new(),
        parent: 0,
        arguments: &[],
        process: false,
        depth: 0,
    });
    flattener.declare_foreign_defines();
    if flattener.errors.is_empty() {
        flattener.bodies();
        flattener.copy_replacements();
    }
    let Flattener {
        mut flat,
        mut errors,
        instances,
        ..
    } = flattener;
    flat.instances = instances.len();
    if errors.is_empty() {
        return Ok(flat);
    }
    errors.sort_by_key(|e| e.span);
    if instances.len() > 1 {
        // One mistake in a module shows in each of its instances.
        errors.dedup_by_key(|e| e.span);
    }
    Err(errors)
}

/// What a path leads to.
#[derive(Clone, Debug)]
enum Reference {
    /// A variable, a DEFINE or a symbol, by its full name.
    Leaf(String),
    /// The instance with this index.
    Instance(usize),
    /// An array whose first element has this index.
    Array(i64, Vec<Reference>),
    /// One of several, by an index computed in the scope of an instance.
    Pick {
        scope: usize,
        index: ExprId,
        low: i64,
        items: Vec<Reference>,
    },
}

/// What a name means inside a module.
#[derive(Clone, Debug)]
enum Local {
    /// The parameter with this index.
    Parameter(usize),
    /// Something of the instance's own.
    Own(Reference),
}

struct Instance<'a> {
    module: &'a Module,
    /// The module's sections, those of `ISA` modules among them.
    sections: Vec<&'a Section>,
    /// In front of its names: empty for `main`, `p.` for the instance `p`.
    prefix: String,
    parent: usize,
    arguments: &'a [ExprId],
    names: FxHashMap<&'a str, (Local, Span)>,
    /// Index of the process it belongs to.
    process: usize,
}

/// A `next` assignment whose process is known.
struct Coming {
    name: Name,
    scope: usize,
    value: ExprId,
    span: Span,
    item: Option<usize>,
}

struct Flattener<'a> {
    program: &'a Program,
    flat: Flat,
    instances: Vec<Instance<'a>>,
    /// What was declared under names with dots or indices, as `p.x` without an instance `p` and `x[0]` without an array, by full names.
    dotted: FxHashMap<String, (Reference, Span)>,
    /// Values of enumerations and `CONSTANTS`, of all instances.
    symbols: FxHashSet<&'a str>,
    /// The prefix of each process, `main`'s first.
    processes: Vec<String>,
    /// How many values enumerations have, counted for each variable.
    values: usize,
    /// Variables whose types are yet to be copied: scope and index among the declarations.
    pending: Vec<(usize, usize)>,
    /// `next` assignments of a model with processes.
    coming: Vec<Coming>,
    /// Sections whose mutants are known, by address.
    walked: FxHashSet<*const Section>,
    /// Replacements by their sites in the source.
    sites: FxHashMap<ExprId, Vec<Replacement>>,
    /// Copies of sites with the scopes that they were copied in.
    replaced: Vec<(usize, ExprId)>,
    errors: Vec<Diagnostic>,
    /// Of references to parameters that are references.
    depth: usize,
}

impl Flattener<'_> {
    /// Keeps an error, if it is one.
    fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }
}
