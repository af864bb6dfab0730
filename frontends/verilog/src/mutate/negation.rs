//! Negations and signs, inserted and removed.

use super::rule::{Change, Edit, Point, Position, Rule, Scene};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};

pub(super) const REMOVAL: Rule = Rule {
    name: "NGD",
    summary: "drops a negation",
    example: "!a ⇒ a",
    edits: |scene, point| match point {
        Point::Expr(id, position) => Vec::from_iter(removal(scene, id, position)),
        Point::Stmt(..) => Vec::new(),
    },
};

fn removal(scene: &Scene<'_>, id: ExprId, position: Position) -> Option<Edit> {
    let ExprKind::Unary(op @ (UnaryOp::Not | UnaryOp::Complement), a) = scene.source.expr(id).kind
    else {
        return None;
    };
    let operand = scene.fenced(a)?;
    let truth = matches!(
        position,
        Position::Condition | Position::Logical | Position::Negated
    );
    // For a value, `!a` is one bit, and so is `|a`.
    if op == UnaryOp::Not && !truth {
        let text = format!("(|{operand})");
        return Some(Edit::expr(scene, id, text, Change::Negated(UnaryOp::Or, a)));
    }
    Some(Edit::expr(scene, id, operand, Change::Operand(a)))
}

pub(super) const INSERTION: Rule = Rule {
    name: "NGI",
    summary: "negates a condition, an operand of && and ||, or a whole value",
    example: "if (a) ⇒ if (!a)",
    edits: |scene, point| match point {
        Point::Expr(id, position) => Vec::from_iter(insertion(scene, id, position)),
        Point::Stmt(..) => Vec::new(),
    },
};

fn insertion(scene: &Scene<'_>, id: ExprId, position: Position) -> Option<Edit> {
    let op = match position {
        Position::Condition | Position::Logical => UnaryOp::Not,
        Position::Value => UnaryOp::Complement,
        _ => return None,
    };
    let expr = scene.source.expr(id);
    match &expr.kind {
        // Other rules make the same mutants of these.
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Complement, _) | ExprKind::Number(_) => {
            return None;
        }
        ExprKind::Binary(
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::CaseEqual | BinaryOp::CaseNotEqual,
            ..,
        ) if op == UnaryOp::Not => return None,
        // A pattern takes its type from its target, so no operator can stand in front.
        ExprKind::Pattern(_) => return None,
        _ => {}
    }
    let mut text = format!("{}{}", op.symbol(), scene.fenced(id)?);
    // `.a` is `.a(a)`.
    let before = (expr.extent.first as usize).checked_sub(1);
    if before.is_some_and(|before| scene.source.tokens[before].is(".")) {
        text = format!("{}({text})", scene.text_of(id)?);
    }
    Some(Edit::expr(scene, id, text, Change::Negated(op, id)))
}

pub(super) const MINUS: Rule = Rule {
    name: "UMI",
    summary: "puts a minus in front of an operand of arithmetic, or drops one",
    example: "a + b ⇒ -a + b",
    edits: |scene, point| match point {
        Point::Expr(id, position) => Vec::from_iter(minus(scene, id, position)),
        Point::Stmt(..) => Vec::new(),
    },
};

fn minus(scene: &Scene<'_>, id: ExprId, position: Position) -> Option<Edit> {
    match scene.source.expr(id).kind {
        ExprKind::Unary(UnaryOp::Minus, a) => {
            let text = scene.fenced(a)?;
            Some(Edit::expr(scene, id, text, Change::Operand(a)))
        }
        ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Part(..) | ExprKind::Indexed { .. }
            if position == Position::Arithmetic =>
        {
            let text = format!("(-{})", scene.text_of(id)?);
            let change = Change::Negated(UnaryOp::Minus, id);
            Some(Edit::expr(scene, id, text, change))
        }
        _ => None,
    }
}
