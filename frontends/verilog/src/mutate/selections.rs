//! Selections of a neighbouring bit.

use super::rule::{Change, Edit, Point, Rule};
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
        let beside = |op: BinaryOp| {
            let (base, at) = (scene.text_of(base)?, scene.fenced(index)?);
            let text = format!("{base}[{at} {} 1]", op.symbol());
            Some(Edit::expr(scene, id, text, Change::Beside(index, op)))
        };
        [BinaryOp::Add, BinaryOp::Sub]
            .into_iter()
            .filter_map(beside)
            .collect()
    },
};
