//! Conditions that never change, and resets at the wrong level.

use super::rule::{Change, Edit, Point, Position, Rule, Scene, Site};
use crate::ast::Extent;
use crate::ast::{ExprId, ExprKind, UnaryOp};
use crate::number::Literal;

pub(super) const STUCK: Rule = Rule {
    name: "CST",
    summary: "makes a condition always false, or always true",
    example: "if (a) ⇒ if (1'b0)",
    edits: |scene, point| {
        let Point::Expr(id, Position::Condition) = point else {
            return Vec::new();
        };
        if matches!(scene.source.expr(id).kind, ExprKind::Number(_)) {
            return Vec::new();
        }
        let stuck = |value: bool| {
            let literal = Literal::of_bits(&[value], false);
            let text = literal.text();
            Edit::expr(scene, id, text, Change::Expr(ExprKind::Number(literal)))
        };
        vec![stuck(false), stuck(true)]
    },
};

pub(super) const RESET: Rule = Rule {
    name: "RSP",
    summary: "resets at the other level and edge",
    example: "negedge r) if (!r) ⇒ posedge r) if (r)",
    edits: |scene, point| match point {
        Point::Expr(id, Position::Reset(edge, rising)) => {
            Vec::from_iter(other_level(scene, id, edge, rising))
        }
        _ => Vec::new(),
    },
};

/// Returns the edit that inverts the condition `id` of a reset, together with its edge, which is `rising` or falling. `None` if the edge
/// does not stand before the condition, or the text is not editable.
fn other_level(scene: &Scene<'_>, id: ExprId, edge: Extent, rising: bool) -> Option<Edit> {
    let expr = scene.source.expr(id);
    let (condition, change) = match expr.kind {
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Complement, a) => {
            (scene.fenced(a)?, Change::Operand(a))
        }
        _ => (
            format!("!{}", scene.fenced(id)?),
            Change::Negated(UnaryOp::Not, id),
        ),
    };
    if edge.last >= expr.extent.first {
        return None;
    }
    // From the keyword of the edge to the end of the condition.
    let between = Extent {
        first: edge.first + 1,
        last: expr.extent.first - 1,
    };
    let place = Extent {
        first: edge.first,
        last: expr.extent.last,
    };
    let edge = if rising { "negedge" } else { "posedge" };
    Some(Edit {
        site: Site::Expr(id),
        place,
        text: format!("{edge} {}{condition}", scene.text(between)?),
        change,
    })
}
