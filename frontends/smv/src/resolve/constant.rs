//! Evaluates constant expressions: bounds of range types and DEFINEs of constants.

use hyperkill_frontend::Diagnostic;

use super::model::{Entity, Model};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::parser::MAX_NUMBER;

/// The state of the evaluation of a DEFINE.
#[derive(Clone, Copy)]
enum Progress {
    New,
    Open,
    Done(Option<i64>),
}

/// Returns for each DEFINE its value if it consists of numbers, arithmetic and such DEFINEs only; otherwise `None`.
#[must_use]
pub fn of_defines(model: &Model<'_>) -> Vec<Option<i64>> {
    let mut progress = vec![Progress::New; model.defines.len()];
    for start in 0..progress.len() {
        // Depth-first search with an explicit stack: chains of DEFINEs may be long.
        let mut stack = vec![start];
        while let Some(&define) = stack.last() {
            let body = model.defines[define].body;
            match progress[define] {
                Progress::Done(_) => {
                    stack.pop();
                }
                Progress::New => {
                    progress[define] = Progress::Open;
                    let parts = model.exprs().subtree(body);
                    stack.extend(parts.filter_map(|part| match model.entity(part) {
                        Some(Entity::Define(d)) if matches!(progress[d], Progress::New) => Some(d),
                        _ => None,
                    }));
                }
                Progress::Open => {
                    // An open DEFINE below belongs to a cycle, which has no value.
                    let known = |d: usize| match progress[d] {
                        Progress::Done(value) => value,
                        _ => None,
                    };
                    progress[define] = Progress::Done(evaluate(model, body, &known).ok());
                    stack.pop();
                }
            }
        }
    }
    let value = |p| match p {
        Progress::Done(value) => value,
        Progress::New | Progress::Open => None,
    };
    progress.into_iter().map(value).collect()
}

/// Returns the value of a constant expression.
///
/// # Errors
/// If a part is not constant, too large, or divides by zero, with its place.
pub fn value(model: &Model<'_>, id: ExprId) -> Result<i64, Diagnostic> {
    evaluate(model, id, &|define| model.constants[define])
}

fn evaluate(
    model: &Model<'_>,
    id: ExprId,
    define: &dyn Fn(usize) -> Option<i64>,
) -> Result<i64, Diagnostic> {
    let expr = &model.exprs()[id];
    let no = |why: &str| Err(Diagnostic::error(expr.span, why));
    let result = match &expr.kind {
        ExprKind::Number(n) => Some(*n),
        ExprKind::Unary(UnaryOp::Neg, a) => evaluate(model, *a, define)?.checked_neg(),
        ExprKind::Name(_) => match model.entity(id) {
            Some(Entity::Define(d)) => match define(d) {
                Some(value) => Some(value),
                None => return no("this DEFINE is not a constant number"),
            },
            _ => return no("a bound must be a constant number"),
        },
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (evaluate(model, *a, define)?, evaluate(model, *b, define)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div | BinaryOp::Mod if b == 0 => return no("division by zero"),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Mod => a.checked_rem(b),
                _ => return no("a bound must be a constant number"),
            }
        }
        _ => return no("a bound must be a constant number"),
    };
    match result {
        Some(n) if n.abs() <= MAX_NUMBER => Ok(n),
        _ => no("this number is too large"),
    }
}
