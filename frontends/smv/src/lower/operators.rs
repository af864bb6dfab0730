//! Lowers SMV's operators to terms.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{self, TermError, TermId, TermPool};
use hyperkill_frontend::Span;

use super::checks::{Checks, Lowered};
use super::words;
use crate::ast::BinaryOp;
use crate::domain::alike;

/// Lowers `a op b` for all operators but `in` and `union`, whose right operands are sets.
pub(super) fn binary(
    pool: &mut TermPool,
    op: BinaryOp,
    a: &Lowered,
    b: &Lowered,
    span: Span,
) -> Result<Lowered, TermError> {
    use term::BinaryOp as Core;
    let (x, y) = match op {
        BinaryOp::Eq | BinaryOp::Ne => alike(pool, a.term, b.term)?,
        BinaryOp::Shl | BinaryOp::Shr => return words::shift(pool, op, a, b, span),
        _ => (a.term, b.term),
    };
    let is_word = matches!(pool.sort(x), Sort::Word { .. });
    let term = match op {
        BinaryOp::And => pool.binary(Core::And, x, y)?,
        BinaryOp::Or => pool.binary(Core::Or, x, y)?,
        BinaryOp::Xor => pool.binary(Core::Xor, x, y)?,
        BinaryOp::Implies => {
            let not = pool.not(x)?;
            pool.binary(Core::Or, not, y)?
        }
        BinaryOp::Iff | BinaryOp::Xnor if is_word => {
            let different = pool.binary(Core::Xor, x, y)?;
            pool.not(different)?
        }
        BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Eq | BinaryOp::In | BinaryOp::Union => {
            pool.binary(Core::Eq, x, y)?
        }
        BinaryOp::Ne => {
            let equal = pool.binary(Core::Eq, x, y)?;
            pool.not(equal)?
        }
        BinaryOp::Lt => pool.binary(Core::Lt, x, y)?,
        BinaryOp::Le => pool.binary(Core::Le, x, y)?,
        BinaryOp::Gt => pool.binary(Core::Lt, y, x)?,
        BinaryOp::Ge => pool.binary(Core::Le, y, x)?,
        BinaryOp::Add => pool.binary(Core::Add, x, y)?,
        BinaryOp::Sub => pool.binary(Core::Sub, x, y)?,
        BinaryOp::Mul => pool.binary(Core::Mul, x, y)?,
        BinaryOp::Div => pool.binary(Core::Div, x, y)?,
        BinaryOp::Mod => pool.binary(Core::Rem, x, y)?,
        BinaryOp::Concat | BinaryOp::Shl | BinaryOp::Shr => pool.concat(x, y)?,
    };
    let mut checks = operand_checks(pool, op, a, b)?;
    if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
        let zero = match pool.sort(y).clone() {
            sort @ Sort::Word { .. } => pool.constant(sort, 0),
            _ => pool.int(0),
        };
        let zero = pool.binary(Core::Eq, y, zero)?;
        let nonzero = pool.not(zero)?;
        let divides = Checks::one(pool, nonzero, span, "division by zero");
        checks = checks.and(pool, divides)?;
    }
    Ok(Lowered { term, checks })
}

/// Returns the checks of operands: an operand that decides the result alone makes those of the other one unnecessary.
fn operand_checks(
    pool: &mut TermPool,
    op: BinaryOp,
    a: &Lowered,
    b: &Lowered,
) -> Result<Checks, TermError> {
    let is_word = matches!(pool.sort(a.term), Sort::Word { .. });
    // The truth value of each operand that decides the result.
    let deciding = match op {
        _ if is_word => None,
        BinaryOp::And => Some((false, false)),
        BinaryOp::Or => Some((true, true)),
        BinaryOp::Implies => Some((false, true)),
        _ => None,
    };
    let Some((first, second)) = deciding else {
        return a.checks.clone().and(pool, b.checks.clone());
    };
    let by_a = decides(pool, a, first)?;
    let by_b = decides(pool, b, second)?;
    let left = a.checks.clone().unless(pool, by_b)?;
    let right = b.checks.clone().unless(pool, by_a)?;
    left.and(pool, right)
}

/// Returns the condition that the operand is defined and has this value.
fn decides(pool: &mut TermPool, operand: &Lowered, value: bool) -> Result<TermId, TermError> {
    let defined = operand.checks.all(pool)?;
    let term = match value {
        true => operand.term,
        false => pool.not(operand.term)?,
    };
    pool.binary(term::BinaryOp::And, defined, term)
}
