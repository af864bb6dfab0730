//! Variables and parameters with wrong values: always 0, or off by one.

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use super::text::placed;
use crate::model::Kind;
use crate::tree::{BinaryOp, ExprId, ExprKind};

/// A name becomes 0 or false.
pub(super) const ZERO: Rule = Rule {
    name: "SA0",
    summary: "replaces a variable or a parameter by 0, a truth value by false",
    example: "n := n + v; ⇒ n := n + 0;",
    edits: |scene, point| {
        let Some((id, kind, _)) = named(scene, point) else {
            return Vec::new();
        };
        let (change, replacement) = match kind {
            Kind::Number => (Change::Number(0), "0".to_owned()),
            Kind::Truth => {
                let no = scene.language.operators.truth(false);
                (Change::Truth(false), no.to_owned())
            }
            Kind::Symbol => return Vec::new(),
        };
        vec![Edit {
            site: Site::Expr(id),
            change,
            span: scene.model.system.exprs[id].span,
            replacement,
        }]
    },
};

/// A name with 1 more.
pub(super) const MORE: Rule = Rule {
    name: "VPI",
    summary: "adds 1 to a variable or a parameter",
    example: "emit paid(n); ⇒ emit paid(n + 1);",
    edits: |scene, point| moved(scene, point, BinaryOp::Add, 1),
};

/// A name with 1 less.
pub(super) const LESS: Rule = Rule {
    name: "VPD",
    summary: "subtracts 1 from a variable or a parameter",
    example: "emit paid(n); ⇒ emit paid(n - 1);",
    edits: |scene, point| moved(scene, point, BinaryOp::Sub, -1),
};

fn named(scene: &Scene<'_>, point: Point<'_>) -> Option<(ExprId, Kind, crate::operators::Level)> {
    let Point::Expr {
        id, needed, action, ..
    } = point
    else {
        return None;
    };
    let model = scene.model;
    let ExprKind::Name(_) = model.system.exprs[id].kind else {
        return None;
    };
    let reference = model.reference(id)?;
    model.domain_of(action, reference)?;
    Some((id, model.kind(id), needed))
}

fn moved(scene: &Scene<'_>, point: Point<'_>, op: BinaryOp, difference: i64) -> Vec<Edit> {
    let Some((id, Kind::Number, needed)) = named(scene, point) else {
        return Vec::new();
    };
    let Some(infix) = scene.language.operators.of(op) else {
        return Vec::new();
    };
    let expr = &scene.model.system.exprs[id];
    let text = format!("{} {} 1", expr.span.of(scene.text), infix.sign);
    vec![Edit {
        site: Site::Expr(id),
        change: Change::Plus(difference),
        span: expr.span,
        replacement: placed(expr, text, infix.level, needed),
    }]
}
