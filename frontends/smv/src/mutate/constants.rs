//! ICR, ECR, BCR: a constant is replaced by another one of its type.

use super::rule::{Change, Edit, Point, Position, Rule, Scene, Site};
use crate::ast::{ExprId, ExprKind};
use crate::domain::Domain;
use crate::resolve::Entity;

/// The number of other symbols up to which a symbol is replaced by all of them. For longer enumerations the number of mutants would be
/// quadratic.
pub(crate) const MAX_OTHERS: usize = 64;

/// The number of symbols that replace a symbol of a longer enumeration, at most.
pub(crate) const FEW_OTHERS: usize = 8;

/// `2` becomes `1` and `3`. The same holds for uses of a DEFINE with value 2, as `capacity - 1`.
pub(super) const INTEGER: Rule = Rule {
    name: "ICR",
    summary: "makes an integer constant, or one use of a named one, greater and less by 1",
    example: "next(wtr) := capacity ⇒ next(wtr) := capacity - 1",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let open = position.is_open() || scene.model.exprs()[id].is_parenthesised();
        let fenced = |text: String| match open {
            true => text,
            false => format!("({text})"),
        };
        let number = |n: i64| match n {
            0.. => n.to_string(),
            _ => fenced(n.to_string()),
        };
        match (scene.model.exprs().kind(id), scene.model.entity(id)) {
            (ExprKind::Number(n), _) => vec![
                edit(scene, id, Change::Offset(-1), number(n - 1)),
                edit(scene, id, Change::Offset(1), number(n + 1)),
            ],
            (ExprKind::Name(_), Some(Entity::Define(d))) if scene.model.constants[d].is_some() => {
                // The name in the source: `p.n` is `n` inside the module of `p`.
                let name = scene.text_of(id);
                vec![
                    edit(scene, id, Change::Offset(-1), fenced(format!("{name} - 1"))),
                    edit(scene, id, Change::Offset(1), fenced(format!("{name} + 1"))),
                ]
            }
            _ => Vec::new(),
        }
    },
};

/// `coff` becomes every other value of the variable that it is assigned to or compared with.
pub(super) const ENUM: Rule = Rule {
    name: "ECR",
    summary: "replaces a symbol by each other value of the variable it is a value of (8 if there are more than 64)",
    example: "button = req ⇒ button = fill",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let ExprKind::Name(name) = scene.model.exprs().kind(id) else {
            return Vec::new();
        };
        if scene.model.entity(id) != Some(Entity::Symbol) {
            return Vec::new();
        }
        let of = |v: usize| &scene.model.variables[v].domain;
        let has_it = |domain: &&Domain| domain.place(name).is_some();
        let domain = scene.context.variable(id).map(of).filter(has_it);
        let Some(domain) = domain.or_else(|| scene.model.domain_of_symbol(name)) else {
            return Vec::new();
        };
        let (Some(all), Some(place)) = (domain.as_symbols(), domain.place(name)) else {
            return Vec::new();
        };
        let (before, after) = (&all[..place], &all[place + 1..]);
        let others: Vec<&String> = match all.len() > MAX_OTHERS + 1 {
            // Symbols declared later come first, then the others from the start.
            true => after.iter().chain(before).take(FEW_OTHERS).collect(),
            false => before.iter().chain(after).collect(),
        };
        others
            .into_iter()
            .map(|s| edit(scene, id, Change::Symbol(s.clone()), s.clone()))
            .collect()
    },
};

/// `TRUE` becomes `FALSE` and back. CBD covers a branch guarded by `TRUE`.
pub(super) const TRUTH: Rule = Rule {
    name: "BCR",
    summary: "replaces TRUE by FALSE and FALSE by TRUE",
    example: "next(alarm) := TRUE ⇒ next(alarm) := FALSE",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        match scene.model.exprs().kind(id) {
            ExprKind::Truth(true) if position == Position::Guard => Vec::new(),
            ExprKind::Truth(value) => {
                let text = if *value { "FALSE" } else { "TRUE" };
                vec![edit(scene, id, Change::Truth(!value), text.to_owned())]
            }
            _ => Vec::new(),
        }
    },
};

fn edit(scene: &Scene<'_>, id: ExprId, change: Change, replacement: String) -> Edit {
    Edit {
        site: Site::Expr(id),
        change,
        span: scene.model.exprs()[id].span,
        replacement,
    }
}
