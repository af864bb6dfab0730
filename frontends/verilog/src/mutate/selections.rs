//! The bit beside.

use super::{Change, Edit, Point, Rule};
use crate::ast::{BinaryOp, ExprKind};

pub(super) const OFF_BY_ONE: Rule = Rule {
    name: "BSO",
    summary: "selects the bit or element beside",
    example: "a[i] ⇒ a[i + 1]",
    edits: |scene, point| {
        let Point::Expr(id, _) = point else {
            return Vec::new();
        };
        let ExprKind::Index(base, index) = scene.source.expr(id).kind else {
            return Vec::new();
        };
        let base = scene.text_of(base);
        let beside = |op: BinaryOp| {
            let text = format!("{base}[{} {} 1]", scene.fenced(index), op.symbol());
            Edit::expr(scene, id, text, Change::Beside(index, op))
        };
        vec![beside(BinaryOp::Add), beside(BinaryOp::Sub)]
    },
};
