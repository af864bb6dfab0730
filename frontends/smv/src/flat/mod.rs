//! Flattens a model to one without modules: the variables, definitions and constraints of every instance, under their full names.
//!
//! `p.x` is the variable `x` of the instance `p`, and `a[2]` is an element of an array. `m.param` is a DEFINE for the actual parameter of
//! `m`; if that is a path, it is replaced by the path. Elements with a computed index become
//! [`ExprKind::Element`](crate::ast::ExprKind::Element). One process runs at a time, selected by [`PROCESS_SELECTOR`]; the variables that a
//! process assigns keep their values while it does not run.
//!
//! All parts keep their places in the source, and every expression knows its original: a mutant of a module's body is a mutant of all its
//! instances. This pass assigns no types and checks only the conditions that names need.

mod copy;
mod flattener;
mod instances;
mod items;
mod parts;
mod paths;

pub use parts::{
    Flat, FlatAssignment, FlatConstraint, FlatInvariant, Item, ItemKind, PROCESS_SELECTOR,
    Replacement,
};

use hyperkill_frontend::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::Program;

use flattener::Flattener;

/// Flattens a program, starting at its module `main`.
///
/// # Errors
/// If a module is missing, the number of parameters is wrong, a name is undefined in its module, or an index is outside its array.
pub fn flatten(program: &Program) -> Result<Flat, Vec<Diagnostic>> {
    flatten_with(program, &[])
}

/// Flattens a program, and copies replacements beside each copy of their sites. All other expressions have the same ids as in [`flatten`].
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
    flattener.instantiate(instances::Instantiation {
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
        // An error in a module occurs in each of its instances.
        errors.dedup_by_key(|e| e.span);
    }
    Err(errors)
}
