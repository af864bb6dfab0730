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
