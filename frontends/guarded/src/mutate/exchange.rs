//! An operator is replaced by another one with the same operands.

use hyperkill_frontend::mutation::{Operand, exchanged};

use super::rule::{Change, Edit, Point, Rule, Scene, Site};
use crate::operators::{Infix, Level, PRIMARY};
use crate::tree::{BinaryOp as B, ExprId, ExprKind};

/// `#=` becomes `#\=`, and the reverse.
pub(super) const EQUALITY: Rule = Rule {
    name: "EQI",
    summary: "exchanges equal and unequal",
    example: r"aState #= 3 ⇒ aState #\= 3",
    edits: |scene, point| {
        exchange(scene, point, |op| match op {
            B::Eq => &[B::Ne],
            B::Ne => &[B::Eq],
            _ => &[],
        })
    },
};

/// `#<` becomes `#=<`, …
pub(super) const RELATIONAL: Rule = Rule {
    name: "ROR",
    summary: "replaces a relational operator by each other one",
    example: "level #< 3 ⇒ level #=< 3",
    edits: |scene, point| {
        exchange(scene, point, |op| match op.is_relational() {
            true => &[B::Eq, B::Ne, B::Lt, B::Le, B::Gt, B::Ge],
            false => &[],
        })
    },
};

/// `+` becomes `-`, …
pub(super) const ARITHMETIC: Rule = Rule {
    name: "AOR",
    summary: "replaces an arithmetic operator by each other one",
    example: "level := level + 1 ⇒ level := level - 1",
    edits: |scene, point| {
        exchange(scene, point, |op| match op.is_arithmetic() {
            true => &[B::Add, B::Sub, B::Mul],
            false => &[],
        })
    },
};

/// Conjunctions become disjunctions, and the reverse.
pub(super) const LOGICAL: Rule = Rule {
    name: "LOR",
    summary: "exchanges and and or",
    example: r"a #= 1 #/\ b #= 1 ⇒ a #= 1 #\/ b #= 1",
    edits: |scene, point| {
        exchange(scene, point, |op| match op.is_logical() {
            true => &[B::And, B::Or],
            false => &[],
        })
    },
};

fn exchange(scene: &Scene<'_>, point: Point<'_>, all: fn(B) -> &'static [B]) -> Vec<Edit> {
    let Point::Expr { id, needed, .. } = point else {
        return Vec::new();
    };
    let exprs = &scene.model.system.exprs;
    let ExprKind::Binary(op, a, b) = exprs[id].kind else {
        return Vec::new();
    };
    let is_number = scene.model.kind(a) == crate::model::Kind::Number;
    let fits = |new: &B| is_number || op.is_logical() || matches!(new, B::Eq | B::Ne);
    let others = all(op).iter().filter(|new| **new != op && fits(new));
    let edit = |new: &B| {
        let place = exprs[b].span;
        // The left operand of `x++` and `x += 1` has no text of its own.
        if exprs[a].span.start == exprs[a].span.end {
            return compound(scene, id, *new, place.start == place.end);
        }
        let infix = scene.language.operators.of(*new)?;
        let room = exprs[id].is_parenthesised() || infix.level >= needed;
        let operands = [
            beside(scene, a, infix.level + Level::from(new.is_relational())),
            beside(scene, b, infix.level + 1),
        ];
        let grow = |left: &str, right: &str| scene.grow_together(left, right);
        let sign = exprs[id].sign;
        Some(Edit {
            site: Site::Expr(id),
            change: Change::Operator(*new),
            span: exprs[id].span,
            replacement: exchanged(scene.text, operands, sign, infix.sign, !room, grow)?,
        })
    };
    others.filter_map(edit).collect()
}

/// Returns the edit of the operator in `x++` or `x += e`: `x--` with `is_step`, otherwise `x -= e`. `None` if the language has no such
/// spelling of `new`.
fn compound(scene: &Scene<'_>, id: ExprId, new: B, is_step: bool) -> Option<Edit> {
    let infix = scene.language.operators.of(new)?;
    let replacement = match (is_step, new) {
        (true, B::Mul) => return None,
        (true, _) => infix.sign.repeat(2),
        (false, _) => format!("{}=", infix.sign),
    };
    Some(Edit {
        site: Site::Expr(id),
        change: Change::Operator(new),
        span: scene.model.system.exprs[id].sign,
        replacement,
    })
}

/// Returns an operand for a context that requires the precedence `needed`. It gets parentheses if its own precedence is lower.
fn beside(scene: &Scene<'_>, id: ExprId, needed: Level) -> Operand {
    let expr = &scene.model.system.exprs[id];
    let operators = &scene.language.operators;
    let level = match expr.kind {
        ExprKind::Binary(op, ..) => operators.of(op).map(|infix: &Infix| infix.level),
        ExprKind::Unary(op, _) => operators.before(op).map(|prefix| prefix.level),
        _ => None,
    };
    Operand {
        place: expr.outer,
        fenced: !expr.is_parenthesised() && level.unwrap_or(PRIMARY) < needed,
    }
}
