//! VRR, NXD: reads another variable, or the same one at another time.

use super::rule::{Point, Rule};
use crate::ast::{ExprKind, VarKind};
use crate::resolve::Entity;

/// The number of replacement variables, at most.
const MAX_CANDIDATES: usize = 8;

/// `x` becomes `y` if both have the same type. `y` is of the same instance and no wire; in initial values it is no state either.
pub(super) const VARIABLE: Rule = Rule {
    name: "VRR",
    summary: "replaces a variable by each other one of its module that has the same type",
    example: "next(out) := left ⇒ next(out) := right",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let Some(Entity::Variable(v)) = scene.model.entity(id) else {
            return Vec::new();
        };
        let origin = scene.model.flat.origin[id.index()];
        let initial = origin.is_none_or(|origin| scene.initial.contains(&origin));
        let old = &scene.model.variables[v];
        let all = scene.model.variables.iter().enumerate();
        // Variables declared later come first, then the others from the start.
        let mut candidates: Vec<(bool, usize, &str)> = all
            .filter(|(w, new)| {
                let same = new.domain == old.domain && new.kind == old.kind && *w != v;
                // Wires, and values that are being computed, may depend on this place.
                same && new.current.is_none()
                    && (!initial || !new.is_assigned() && new.kind != VarKind::Frozen)
            })
            .filter_map(|(w, new)| {
                let local = new.name.text.strip_prefix(scene.prefix)?;
                (!local.contains('.')).then_some((w < v, w, local))
            })
            .collect();
        candidates.sort_unstable();
        candidates.truncate(MAX_CANDIDATES);
        let edits = candidates.into_iter();
        edits
            .map(|(_, _, local)| scene.replace(id, local.to_owned()))
            .collect()
    },
};

/// `next(x)` becomes `x`: the value is read one step late.
pub(super) const COMING: Rule = Rule {
    name: "NXD",
    summary: "reads the current value in the place of the coming one, a step late",
    example: "next(alarm) := next(open) ⇒ next(alarm) := open",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        match scene.model.exprs().kind(id) {
            ExprKind::Next(operand) => vec![scene.replace(id, scene.text_of(*operand).to_owned())],
            _ => Vec::new(),
        }
    },
};
