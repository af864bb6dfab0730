//! Texts in the place of expressions.

use crate::operators::Level;
use crate::tree::Expr;

/// A text of operators of a level in the place of an expression, in parentheses if it needs them there.
pub(super) fn placed(expr: &Expr, text: String, level: Level, needed: Level) -> String {
    match level >= needed || expr.is_parenthesised() {
        true => text,
        false => format!("({text})"),
    }
}
