//! Guards that always or never hold.

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use crate::tree::{ExprKind, StmtId, StmtKind};

/// A guard becomes true.
pub(super) const TRUE: Rule = Rule {
    name: "GTR",
    summary: "makes a guard true",
    example: "(aState #= 3) => (aState := 2) ⇒ (true) => (aState := 2)",
    edits: |scene, point| stuck(scene, point, true),
};

/// A guard becomes false.
pub(super) const FALSE: Rule = Rule {
    name: "GFL",
    summary: "makes a guard false",
    example: "(aState #= 3) => (aState := 2) ⇒ (false) => (aState := 2)",
    edits: |scene, point| stuck(scene, point, false),
};

fn stuck(scene: &Scene<'_>, point: Point<'_>, value: bool) -> Vec<Edit> {
    let id = match point {
        Point::Guard(id) => id,
        Point::Transition(id) if !value => return missing(scene, id),
        _ => return Vec::new(),
    };
    let expr = &scene.model.system.exprs[id];
    if expr.kind == ExprKind::Truth(value) {
        return Vec::new();
    }
    vec![Edit {
        site: Site::Expr(id),
        change: Change::Truth(value),
        span: expr.span,
        replacement: scene.language.operators.truth(value).to_owned(),
    }]
}

/// Returns the edit that disables a transition without a guard; empty for other commands.
fn missing(scene: &Scene<'_>, id: StmtId) -> Vec<Edit> {
    let StmtKind::Transition(transition) = &scene.model.system.stmts[id].kind else {
        return Vec::new();
    };
    let edit = transition.never.iter().map(|(span, replacement)| Edit {
        site: Site::Stmt(id),
        change: Change::Never,
        span: *span,
        replacement: replacement.clone(),
    });
    edit.collect()
}
