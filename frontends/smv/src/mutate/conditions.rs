//! MCO, CCR, STK: a condition is weakened, or constant.

use super::rule::{Point, Position, Rule};
use crate::ast::{BinaryOp, ExprKind};
use crate::domain::Kind;

/// `a & b` becomes `a`, and `b`.
pub(super) const OPERAND: Rule = Rule {
    name: "MCO",
    summary: "forgets one operand of `&`, `|`, `xor`, `->`",
    example: "armed & open ⇒ armed",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let exprs = scene.model.exprs();
        match *exprs.kind(id) {
            ExprKind::Binary(
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Implies,
                a,
                b,
            ) if position != Position::ChainStart && scene.types.of(id).kind == Kind::Bool => {
                let outer = |operand| exprs[operand].outer.of(scene.text).to_owned();
                vec![scene.replace(id, outer(a)), scene.replace(id, outer(b))]
            }
            _ => Vec::new(),
        }
    },
};

/// A conjunct of an `INIT`, `INVAR` or `TRANS` is removed.
pub(super) const CONJUNCT: Rule = Rule {
    name: "CCR",
    summary: "removes a conjunct of INIT, INVAR or TRANS",
    example: "TRANS next(x) = x & next(y) = y ⇒ TRANS TRUE & next(y) = y",
    edits: |scene, point| match *point {
        Point::Conjunct(id) if !matches!(scene.model.exprs().kind(id), ExprKind::Truth(_)) => {
            vec![scene.replace(id, "TRUE".to_owned())]
        }
        _ => Vec::new(),
    },
};

/// A condition, or the value of a boolean variable, is constant.
pub(super) const STUCK: Rule = Rule {
    name: "STK",
    summary: "replaces a condition or a truth value as a whole by TRUE and FALSE",
    example: "next(alarm) := armed & open ⇒ next(alarm) := FALSE",
    edits: |scene, point| {
        let Point::Expr { id, position } = *point else {
            return Vec::new();
        };
        let found = scene.types.of(id);
        let constant = matches!(scene.model.exprs().kind(id), ExprKind::Truth(_));
        if !position.is_open() || constant || found.set || found.kind != Kind::Bool {
            return Vec::new();
        }
        let stuck = ["TRUE", "FALSE"].into_iter();
        stuck
            .map(|value| scene.replace(id, value.to_owned()))
            .collect()
    },
};
