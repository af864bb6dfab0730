//! Negations and signs, put in and left out.

use super::{Change, Edit, Point, Position, Rule};
use crate::ast::{BinaryOp, ExprKind, UnaryOp};

pub(super) const REMOVAL: Rule = Rule {
    name: "NGD",
    summary: "drops a negation",
    example: "!a ⇒ a",
    edits: |scene, point| {
        let Point::Expr(id, position) = point else {
            return Vec::new();
        };
        let ExprKind::Unary(op @ (UnaryOp::Not | UnaryOp::Complement), a) =
            scene.source.expr(id).kind
        else {
            return Vec::new();
        };
        let truth = matches!(position, Position::Condition | Position::Logical);
        // Where a value is asked for, `!a` is one bit: so is `|a`.
        match op == UnaryOp::Not && !truth && !matches!(position, Position::Reset(..)) {
            _ if matches!(position, Position::Reset(..)) => Vec::new(),
            true => {
                let text = format!("(|{})", scene.fenced(a));
                vec![Edit::expr(scene, id, text, Change::Negated(UnaryOp::Or, a))]
            }
            false => vec![Edit::expr(scene, id, scene.fenced(a), Change::Operand(a))],
        }
    },
};

pub(super) const INSERTION: Rule = Rule {
    name: "NGI",
    summary: "negates a condition, an operand of && and ||, or a whole value",
    example: "if (a) ⇒ if (!a)",
    edits: |scene, point| {
        let Point::Expr(id, position) = point else {
            return Vec::new();
        };
        let op = match position {
            Position::Condition | Position::Logical => UnaryOp::Not,
            Position::Value => UnaryOp::Complement,
            _ => return Vec::new(),
        };
        // Other rules do the same to these.
        let same = match &scene.source.expr(id).kind {
            ExprKind::Unary(UnaryOp::Not | UnaryOp::Complement, _) | ExprKind::Number(_) => true,
            ExprKind::Binary(
                BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::CaseEqual | BinaryOp::CaseNotEqual,
                ..,
            ) => op == UnaryOp::Not,
            _ => false,
        };
        if same {
            return Vec::new();
        }
        let text = format!("{}{}", op.symbol(), scene.fenced(id));
        vec![Edit::expr(scene, id, text, Change::Negated(op, id))]
    },
};

pub(super) const MINUS: Rule = Rule {
    name: "UMI",
    summary: "puts a minus in front of an operand of arithmetic, or drops one",
    example: "a + b ⇒ -a + b",
    edits: |scene, point| {
        let Point::Expr(id, position) = point else {
            return Vec::new();
        };
        match scene.source.expr(id).kind {
            ExprKind::Unary(UnaryOp::Minus, a) => {
                vec![Edit::expr(scene, id, scene.fenced(a), Change::Operand(a))]
            }
            ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Part(..)
            | ExprKind::Indexed { .. }
                if position == Position::Arithmetic =>
            {
                let text = format!("(-{})", scene.text_of(id));
                vec![Edit::expr(
                    scene,
                    id,
                    text,
                    Change::Negated(UnaryOp::Minus, id),
                )]
            }
            _ => Vec::new(),
        }
    },
};
