//! Mutants of a syntax tree: their places, their changes, and their texts.
//!
//! Each operator has a rule in a file of this folder. Rules read one place at a time and change nothing. The tree is never edited;
//! [`crate::lower`] reads the [`Change`]s beside it. If a rule proposes only a text ([`Change::Replace`]), the text is read and lowered
//! like the model's own.
//!
//! The rules up to BCR are applied by default; the others are applied only if selected by name.

mod association;
mod branches;
mod conditions;
mod constants;
mod delay;
mod deletion;
mod negation;
mod operators;
mod references;
mod rule;
mod sets;
mod text;
mod values;
mod walk;

pub(crate) use constants::{FEW_OTHERS, MAX_OTHERS};
pub use delay::BEFORE;
pub use rule::{Change, Meaning, Mutation, Site};

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions};
use rustc_hash::FxHashSet;

use crate::ast::{ExprId, Program};
use crate::context::Context;
use crate::flat::{Item, ItemKind, Replacement};
use crate::lexer::Commented;
use crate::parser;
use crate::resolve::{Entity, Model};
use crate::types::Types;

use rule::{Edits, Point, Position, Scene};
use walk::{Walk, is_whole, statement};

const RULES: Rules<Edits> = Rules {
    usual: &[
        deletion::MISSING_ASSIGNMENT,
        deletion::CASE_BRANCH,
        operators::RELATIONAL,
        operators::ARITHMETIC,
        operators::LOGICAL,
        negation::INSERTION,
        negation::REMOVAL,
        constants::INTEGER,
        constants::ENUM,
        constants::TRUTH,
    ],
    on_demand: &[
        references::VARIABLE,
        references::COMING,
        delay::STEP,
        values::NEGATION,
        values::INITIAL,
        association::SHIFT,
        conditions::OPERAND,
        conditions::CONJUNCT,
        conditions::STUCK,
        branches::SWAP,
        branches::COPY,
        sets::REMOVAL,
        sets::ADDITION,
        sets::BOUND,
    ],
};

/// Returns the operators with their summaries and examples, as the catalogue for users shows them.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// Reads the replacement texts of expressions into the program. Mutants with ill-formed texts are rejected.
pub fn replacements(
    program: &mut Program,
    model: &Model<'_>,
    mutations: &mut [Mutation],
) -> Vec<Replacement> {
    let mut wanted = Vec::new();
    for (index, mutation) in mutations.iter_mut().enumerate() {
        let (Site::Expr(id), Change::Replace) = (mutation.meaning.site, &mutation.meaning.change)
        else {
            continue;
        };
        let Some(site) = model.flat.origin[id.index()] else {
            mutation.meaning.rejected = Some("it is no expression of the source".to_owned());
            continue;
        };
        let span = program.exprs[site].span;
        match parser::parse_expression(&mutation.mutant.replacement, &mut program.exprs, span) {
            Ok(with) => wanted.push(Replacement {
                mutation: index,
                site,
                with,
            }),
            Err(error) => mutation.meaning.rejected = Some(error.message),
        }
    }
    wanted
}

/// Returns the expressions of the source that initial values depend on, through DEFINEs and wires, in any instance.
fn initial_parts(model: &Model<'_>) -> FxHashSet<ExprId> {
    let assignments = model.variables.iter().filter_map(|v| v.init);
    let mut roots: Vec<ExprId> = assignments.map(|a| a.value).collect();
    let mut seen: FxHashSet<ExprId> = roots.iter().copied().collect();
    let mut parts = FxHashSet::default();
    while let Some(root) = roots.pop() {
        for part in model.exprs().subtree(root) {
            parts.extend(model.flat.origin[part.index()]);
            let body = match model.entity(part) {
                Some(Entity::Define(d)) => Some(model.defines[d].body),
                Some(Entity::Variable(v)) => model.variables[v].current.map(|a| a.value),
                _ => None,
            };
            roots.extend(body.filter(|body| seen.insert(*body)));
        }
    }
    parts
}

/// Returns all mutants of a model in the order of their places.
///
/// # Errors
/// If there are too many.
pub fn mutations(
    model: &Model<'_>,
    types: &Types,
    context: &Context,
    read: Commented<'_>,
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let initial = initial_parts(model);
    let mut walk = Walk {
        scene: Scene {
            model,
            types,
            context,
            text: &read.source.text,
            prefix: "",
            initial: &initial,
            statement: None,
            ahead: false,
        },
        rules: RULES.chosen(options),
        path: String::new(),
        rejected: None,
        off: mutation::excluded(&read.source.text, read.comments),
        catalogue: Catalogue::new(std::slice::from_ref(read.source)),
        refused: None,
    };
    for item in &model.flat.items {
        let Item {
            module, step, kind, ..
        } = item;
        walk.scene.prefix = &item.prefix;
        walk.path.clone_from(module);
        walk.rejected = None;
        let text = &read.source.text;
        walk.scene.statement = statement(model, kind).filter(|found| is_whole(text, found));
        match kind {
            ItemKind::Define { name, body } => {
                let shape = match model.lookup(name) {
                    Some(Entity::Define(d)) => model.shapes[d].as_ref(),
                    _ => None,
                };
                walk.rejected = shape.map(|name| format!("it would change the type of `{name}`"));
                walk.step(step, |walk| walk.expr(*body, Position::Open));
            }
            ItemKind::Assignment {
                name,
                target,
                value,
                span,
            } => walk.step(step, |walk| {
                walk.apply_rules(&Point::Assignment {
                    name,
                    target: *target,
                    value: *value,
                    span: *span,
                });
                walk.expr(*value, Position::Open);
            }),
            ItemKind::Constraint(body) => walk.step(step, |walk| {
                walk.conjuncts(*body);
                walk.expr(*body, Position::Open);
            }),
        }
    }
    match walk.refused {
        None => Ok(walk.catalogue.in_order_of_places()),
        Some(refused) => Err(refused),
    }
}
