//! Replacement texts of expressions.

use crate::operators::Level;
use crate::tree::Expr;

/// Returns a text with operators of a level, in parentheses if the context needs them.
pub(super) fn placed(expr: &Expr, text: String, level: Level, needed: Level) -> String {
    match level >= needed || expr.is_parenthesised() {
        true => text,
        false => format!("({text})"),
    }
}
