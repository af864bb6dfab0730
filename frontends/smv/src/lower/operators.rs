//! The meaning of SMV's operators as terms.

use hyperkill_core::term::{self, TermError, TermId, TermPool};
use hyperkill_frontend::Span;

use super::checks::{Checks, Lowered};
use crate::ast::BinaryOp;

/// `a op b`; not for `in` and `union`, whose right operands are sets.
pub(super) fn binary(
    pool: &mut TermPool,
    op: BinaryOp,
    a: &Lowered,
    b: &Lowered,
    span: Span,
) -> Result<Lowered, TermError> {
    use term::BinaryOp as Core;
    let (x, y) = (a.term, b.term);
    let term = match op {
        BinaryOp::And => pool.binary(Core::And, x, y)?,
        BinaryOp::Or => pool.binary(Core::Or, x, y)?,
        BinaryOp::Xor => pool.binary(Core::Xor, x, y)?,
        BinaryOp::Implies => {
            let not = pool.not(x)?;
            pool.binary(Core::Or, not, y)?
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
    };
    let mut checks = operand_checks(pool, op, a, b)?;
    if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
        let zero = pool.int(0);
        let zero = pool.binary(Core::Eq, y, zero)?;
        let nonzero = pool.not(zero)?;
        let divides = Checks::one(pool, nonzero, span, "division by zero");
        checks = checks.and(pool, divides)?;
    }
    Ok(Lowered { term, checks })
}

/// An operand that decides the result alone excuses the other one.
fn operand_checks(
    pool: &mut TermPool,
    op: BinaryOp,
    a: &Lowered,
    b: &Lowered,
) -> Result<Checks, TermError> {
    // The truth value of each operand that decides the result.
    let deciding = match op {
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

/// Whether the operand has a value and it is this one.
fn decides(pool: &mut TermPool, operand: &Lowered, value: bool) -> Result<TermId, TermError> {
    let defined = operand.checks.all(pool)?;
    let term = match value {
        true => operand.term,
        false => pool.not(operand.term)?,
    };
    pool.binary(term::BinaryOp::And, defined, term)
}
