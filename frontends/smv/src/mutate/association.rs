//! ASR: operators are applied in another order.

use super::rule::{Point, Position, Rule};
use super::text;
use crate::ast::{BinaryOp, ExprKind};

/// `a - b - c` becomes `a - (b - c)`, unless both are equal.
pub(super) const SHIFT: Rule = Rule {
    name: "ASR",
    summary: "applies the second of two operators of one kind before the first",
    example: "total - used - lost ⇒ total - (used - lost)",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let exprs = scene.model.exprs();
        let ExprKind::Binary(second, left, c) = *exprs.kind(id) else {
            return Vec::new();
        };
        let ExprKind::Binary(first, a, b) = *exprs.kind(left) else {
            return Vec::new();
        };
        let one_chain = first.level() == second.level() && !exprs[left].is_parenthesised();
        let associative = first == second
            && matches!(
                first,
                BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Add
                    | BinaryOp::Mul
                    | BinaryOp::Union
                    | BinaryOp::Concat
            );
        if !one_chain || associative || position == Position::ChainStart {
            return Vec::new();
        }
        let (outer, inner) = (first.operand_levels(), second.operand_levels());
        let (a, b, c) = (
            text::operand(scene, a, outer.0),
            text::operand(scene, b, inner.0),
            text::operand(scene, c, inner.1),
        );
        let (first, second) = (first.sign(), second.sign());
        vec![scene.replace(id, format!("{a} {first} ({b} {second} {c})"))]
    },
};
