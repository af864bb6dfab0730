//! Numbers that are off by one.

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use crate::tree::{Domain, ExprKind};

/// The operator that adds 1 to a number.
pub(super) const GREATER: Rule = Rule {
    name: "ICI",
    summary: "adds 1 to a number; the greatest value of a variable becomes the least",
    example: "aState := 2 ⇒ aState := 3",
    edits: |scene, point| {
        moved(scene, point, |value, domain| match domain {
            Some((low, high)) if value == high => low,
            _ => value + 1,
        })
    },
};

/// The operator that subtracts 1 from a number.
pub(super) const LESS: Rule = Rule {
    name: "ICD",
    summary: "subtracts 1 from a number; the least value of a variable becomes the greatest",
    example: "aState := 2 ⇒ aState := 1",
    edits: |scene, point| {
        moved(scene, point, |value, domain| match domain {
            Some((low, high)) if value == low => high,
            _ => value - 1,
        })
    },
};

fn moved(
    scene: &Scene<'_>,
    point: Point<'_>,
    new: fn(i64, Option<(i64, i64)>) -> i64,
) -> Vec<Edit> {
    let Point::Expr { id, domain, .. } = point else {
        return Vec::new();
    };
    let expr = &scene.model.system.exprs[id];
    let ExprKind::Number(value) = expr.kind else {
        return Vec::new();
    };
    let bounds = match domain {
        Some(Domain::Range { low, high }) => Some((*low, *high)),
        _ => None,
    };
    let new = new(value, bounds);
    vec![Edit {
        site: Site::Expr(id),
        change: Change::Number(new),
        span: expr.span,
        replacement: new.to_string(),
    }]
}
