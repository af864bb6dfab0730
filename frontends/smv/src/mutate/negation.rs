//! NI, NR: a truth value is negated.

use super::rule::{Change, Edit, Point, Position, Rule, Site};
use super::text;
use crate::ast::{BinaryOp, ExprKind, Level, UnaryOp};
use crate::domain::Kind;

/// `a & b` becomes `!(a & b)`. ROR covers comparisons, BCR and CBD constants, and NR negations.
pub(super) const INSERTION: Rule = Rule {
    name: "NI",
    summary: "negates a boolean expression that is no comparison, constant or negation",
    example: "armed & open ⇒ !(armed & open)",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let expr = &scene.model.exprs()[id];
        let found = scene.types.of(id);
        let left_to_others = match &expr.kind {
            ExprKind::Truth(_) | ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Binary(op, _, _) => op.level() == Level::RELATIONAL && *op != BinaryOp::In,
            _ => false,
        };
        let inside = matches!(position, Position::Negated | Position::ChainStart);
        if found.kind != Kind::Bool || found.set || left_to_others || inside {
            return Vec::new();
        }
        vec![Edit {
            site: Site::Expr(id),
            change: Change::Negate,
            span: expr.outer,
            replacement: format!("!{}", text::operand(scene, id, Level::PRIMARY)),
        }]
    },
};

/// `!a` becomes `a`.
pub(super) const REMOVAL: Rule = Rule {
    name: "NR",
    summary: "removes a negation",
    example: "!open ⇒ open",
    edits: |scene, point| {
        let Point::Expr { id, .. } = *point else {
            return Vec::new();
        };
        let expr = &scene.model.exprs()[id];
        let ExprKind::Unary(UnaryOp::Not, operand) = expr.kind else {
            return Vec::new();
        };
        vec![Edit {
            site: Site::Expr(id),
            change: Change::DropNot,
            span: expr.span,
            replacement: text::operand(scene, operand, Level::PRIMARY),
        }]
    },
};
