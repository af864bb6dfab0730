//! Replacement texts of expressions.

use crate::operators::Level;
use crate::tree::Expr;

/// Returns `text`, a replacement of `expr` with operators of precedence `level`, in parentheses if the precedence `needed` is higher.
pub(super) fn placed(expr: &Expr, text: String, level: Level, needed: Level) -> String {
    match level >= needed || expr.is_parenthesised() {
        true => text,
        false => format!("({text})"),
    }
}
