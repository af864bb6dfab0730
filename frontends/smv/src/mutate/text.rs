//! Builds replacement texts from pieces of the source, with parentheses and spaces if they are needed.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::{Operand, apart, exchanged};

use super::rule::{Position, Scene};
use crate::ast::{BinaryOp, ExprId, ExprKind, Level};
use crate::lexer::{is_name_character, lex};

/// Returns the text of an operand, in parentheses if its top operator binds less tightly than `needed`.
pub(super) fn operand(scene: &Scene<'_>, id: ExprId, needed: Level) -> String {
    let expr = &scene.model.exprs()[id];
    let text = expr.outer.of(scene.text);
    match expr.is_parenthesised() || expr.kind.level() >= needed {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

/// Returns an operand for an operator that requires at least the precedence `needed`; it is in parentheses otherwise.
fn beside(scene: &Scene<'_>, id: ExprId, needed: Level) -> Operand {
    let expr = &scene.model.exprs()[id];
    Operand {
        place: expr.outer,
        fenced: !expr.is_parenthesised() && expr.kind.level() < needed,
    }
}

/// Returns the text of the binary expression `id` with the operator `new`. Everything else is kept: spaces, lines, comments. `None` if it
/// is no binary expression.
pub(super) fn with_operator(
    scene: &Scene<'_>,
    id: ExprId,
    position: Position,
    new: BinaryOp,
) -> Option<String> {
    let exprs = scene.model.exprs();
    let ExprKind::Binary(old, a, b) = exprs.kind(id) else {
        return None;
    };
    let start = exprs[*a].outer.end;
    let between = Span::new(start, exprs[*b].outer.start).of(scene.text);
    let sign = lex(between).tokens.first()?.span;
    let (left, right) = new.operand_levels();
    let sign = Span::new(start + sign.start, start + sign.end);
    let operands = [beside(scene, *a, left), beside(scene, *b, right)];
    // The context accepts the precedence of the old operator.
    let room = position.is_open() || exprs[id].is_parenthesised();
    let fits = room || new.level() >= old.level();
    exchanged(scene.text, operands, sign, new.sign(), !fits, grow_together)
}

/// Returns the replacement of `span` in `text`, with spaces if it would merge with the text beside it.
pub(super) fn fit(text: &str, span: Span, replacement: &str) -> String {
    let (before, after) = (text.get(..span.start), text.get(span.end..));
    apart(before, replacement, after, grow_together)
}

/// Whether two adjacent texts would be read as something else.
fn grow_together(left: &str, right: &str) -> bool {
    let sides = left.chars().next_back().zip(right.chars().next());
    sides.is_some_and(|(left, right)| run_together(left, right))
}

/// Whether two adjacent characters could become part of one token.
fn run_together(left: char, right: char) -> bool {
    let sign = |c| matches!(c, '-' | '<' | '>' | '=' | '!' | ':' | '.' | '/');
    // A text that ends with `-` ends with the operator, not with a name.
    let name = is_name_character(left) && left != '-' && is_name_character(right);
    name || sign(left) && sign(right)
}
