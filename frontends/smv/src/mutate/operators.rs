//! ROR, AOR, LOR: an operator is replaced by another one with the same operands.

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use super::text;
use crate::ast::{BinaryOp, ExprKind};
use crate::domain::Kind;

/// `<` becomes `<=`, `=` becomes `!=`, …
pub(super) const RELATIONAL: Rule = Rule {
    name: "ROR",
    summary: "replaces a relational operator by each other one that its operands allow",
    example: "wtr > 0 ⇒ wtr >= 0",
    edits: |scene, point| {
        replace(scene, point, |op, operands| match (op, operands) {
            (
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge,
                Kind::Int | Kind::Word { .. },
            ) => &[
                BinaryOp::Eq,
                BinaryOp::Ne,
                BinaryOp::Lt,
                BinaryOp::Le,
                BinaryOp::Gt,
                BinaryOp::Ge,
            ],
            (BinaryOp::Eq | BinaryOp::Ne, _) => &[BinaryOp::Eq, BinaryOp::Ne],
            _ => &[],
        })
    },
};

/// `+` becomes `-`, …
pub(super) const ARITHMETIC: Rule = Rule {
    name: "AOR",
    summary: "replaces an arithmetic operator by each other one",
    example: "wtr - 1 ⇒ wtr + 1",
    edits: |scene, point| {
        replace(scene, point, |op, _| match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => &[
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::Div,
                BinaryOp::Mod,
            ],
            _ => &[],
        })
    },
};

/// `&` becomes `|`, … `xnor` is another name of `<->` and never a replacement.
pub(super) const LOGICAL: Rule = Rule {
    name: "LOR",
    summary: "replaces a logical operator by each other one",
    example: "armed & open ⇒ armed | open",
    edits: |scene, point| {
        replace(scene, point, |op, _| match op {
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Xnor
            | BinaryOp::Implies
            | BinaryOp::Iff => &[
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Xor,
                BinaryOp::Implies,
                BinaryOp::Iff,
            ],
            _ => &[],
        })
    },
};

fn replace(
    scene: &Scene<'_>,
    point: &Point<'_>,
    candidates: fn(BinaryOp, Kind) -> &'static [BinaryOp],
) -> Vec<Edit> {
    let Point::Expr { id, position } = *point else {
        return Vec::new();
    };
    let expr = &scene.model.exprs()[id];
    let ExprKind::Binary(old, left, _) = expr.kind else {
        return Vec::new();
    };
    let same = |new: BinaryOp| new == old || new == BinaryOp::Iff && old == BinaryOp::Xnor;
    let all = candidates(old, scene.types.of(left).kind).iter();
    all.filter(|new| !same(**new))
        .filter_map(|new| {
            Some(Edit {
                site: Site::Expr(id),
                change: Change::Operator(*new),
                span: expr.span,
                replacement: text::with_operator(scene, id, position, *new)?,
            })
        })
        .collect()
}
