//! Operators exchanged for others of their kind. Only the operator's token changes; if the new operator binds differently, parentheses keep
//! the operands.

use super::rule::{Change, Edit, Point, Position, Rule, Scene, Site};
use crate::ast::{BinaryOp as B, ExprKind, UnaryOp as U};

pub(super) const ARITHMETIC: Rule = Rule {
    name: "AOR",
    summary: "exchanges + and -, and * for +",
    example: "a + b ⇒ a - b",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::Add => &[B::Sub],
            B::Sub | B::Mul => &[B::Add],
            _ => &[],
        })
    },
};

pub(super) const RELATIONAL: Rule = Rule {
    name: "ROR",
    summary: "exchanges <, <=, > and >=",
    example: "a < b ⇒ a <= b",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::Less => &[B::LessEqual, B::Greater, B::GreaterEqual],
            B::LessEqual => &[B::Less, B::Greater, B::GreaterEqual],
            B::Greater => &[B::Less, B::LessEqual, B::GreaterEqual],
            B::GreaterEqual => &[B::Less, B::LessEqual, B::Greater],
            _ => &[],
        })
    },
};

pub(super) const EQUALITY: Rule = Rule {
    name: "EQI",
    summary: "exchanges == and !=",
    example: "a == b ⇒ a != b",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::Equal => &[B::NotEqual],
            B::NotEqual => &[B::Equal],
            B::CaseEqual => &[B::CaseNotEqual],
            B::CaseNotEqual => &[B::CaseEqual],
            _ => &[],
        })
    },
};

pub(super) const LOGICAL: Rule = Rule {
    name: "LCR",
    summary: "exchanges && and ||",
    example: "a && b ⇒ a || b",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::LogicAnd => &[B::LogicOr],
            B::LogicOr => &[B::LogicAnd],
            _ => &[],
        })
    },
};

pub(super) const BITWISE: Rule = Rule {
    name: "BOR",
    summary: "exchanges &, | and ^",
    example: "a & b ⇒ a | b",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::And => &[B::Or, B::Xor],
            B::Or => &[B::And, B::Xor],
            B::Xor => &[B::And, B::Or],
            B::Xnor => &[B::Xor],
            _ => &[],
        })
    },
};

pub(super) const SHIFT: Rule = Rule {
    name: "SHR",
    summary: "exchanges shifts to the left and to the right",
    example: "a << n ⇒ a >> n",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::ShiftLeft => &[B::ShiftRight],
            B::ShiftRight | B::ShiftRightSigned => &[B::ShiftLeft],
            _ => &[],
        })
    },
};

pub(super) const REDUCTION: Rule = Rule {
    name: "RDR",
    summary: "exchanges the reductions &, | and ^, and their negations",
    example: "&a ⇒ |a",
    edits: |scene, point| {
        let Point::Expr(id, _) = point else {
            return Vec::new();
        };
        let expr = scene.source.expr(id);
        let ExprKind::Unary(op, a) = expr.kind else {
            return Vec::new();
        };
        let others: &[U] = match op {
            U::And => &[U::Or, U::Xor],
            U::Or => &[U::And, U::Xor],
            U::Xor => &[U::And, U::Or],
            U::Nand => &[U::Nor, U::Xnor],
            U::Nor => &[U::Nand, U::Xnor],
            U::Xnor => &[U::Nand, U::Nor],
            _ => &[],
        };
        let edit = |other: &U| Edit {
            site: Site::Expr(id),
            place: scene.token(expr.operator),
            text: other.symbol().to_owned(),
            change: Change::Expr(ExprKind::Unary(*other, a)),
        };
        others.iter().map(edit).collect()
    },
};

fn exchange(scene: &Scene<'_>, point: Point, others: fn(B) -> &'static [B]) -> Vec<Edit> {
    let Point::Expr(id, position) = point else {
        return Vec::new();
    };
    let expr = scene.source.expr(id);
    let ExprKind::Binary(op, a, b) = expr.kind else {
        return Vec::new();
    };
    let Some(written) = scene.text(scene.token(expr.operator)) else {
        return Vec::new();
    };
    // `a += b` becomes `a -= b`, independent of precedence.
    if position == Position::Compound && written.strip_suffix('=') == Some(op.symbol()) {
        let edit = |other: &B| Edit {
            site: Site::Expr(id),
            place: scene.token(expr.operator),
            text: format!("{}=", other.symbol()),
            change: Change::Expr(ExprKind::Binary(*other, a, b)),
        };
        return others(op).iter().map(edit).collect();
    }
    // `i++` becomes `i--`.
    if position == Position::Compound && written == op.symbol().repeat(2) {
        let edit = |other: &B| Edit {
            site: Site::Expr(id),
            place: scene.token(expr.operator),
            text: other.symbol().repeat(2),
            change: Change::Expr(ExprKind::Binary(*other, a, b)),
        };
        return others(op).iter().map(edit).collect();
    }
    // Operators with an unusual spelling are skipped.
    if written != op.symbol() {
        return Vec::new();
    }
    let edit = |other: &B| {
        let change = Change::Expr(ExprKind::Binary(*other, a, b));
        if other.level() != op.level() {
            let text = format!(
                "{} {} {}",
                scene.fenced(a)?,
                other.symbol(),
                scene.fenced(b)?
            );
            let open = matches!(
                position,
                Position::Value | Position::Condition | Position::Index
            );
            let text = if open { text } else { format!("({text})") };
            return Some(Edit::expr(scene, id, text, change));
        }
        Some(Edit {
            site: Site::Expr(id),
            place: scene.token(expr.operator),
            text: other.symbol().to_owned(),
            change,
        })
    };
    others(op).iter().filter_map(edit).collect()
}
