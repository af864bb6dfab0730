//! Negation and negation normal form.
//!
//! In normal form negation stands before atoms only, and the operators are `&`, `|`, `X`, `wX`, `F`, `G`, `U`, `R` and the past operators.
//! The meaning is preserved in the finite and the infinite reading: `wX`, the dual of the strong `X`, makes this possible in the finite
//! one. Only constants are simplified.

use crate::ast::{BinaryOp, Formula, Ltl, UnaryOp};

/// Limit of nodes of a normal form.
pub const MAX_SIZE: usize = 1 << 20;

/// The error that the normal form would be too large. Each level of nested `<->` and `xor` doubles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the negation normal form would have more than {MAX_SIZE} nodes; nest `<->` and `xor` less deeply"
)]
pub struct TooLarge;

impl Formula {
    /// Returns a formula that holds exactly where this one does not: dual quantifiers, negated body.
    #[must_use]
    pub fn negate(&self) -> Formula {
        let prefix = self.prefix.iter();
        Formula {
            prefix: prefix.map(|(q, trace)| (q.dual(), trace.clone())).collect(),
            body: match &self.body {
                Ltl::Unary(UnaryOp::Not, operand) => (**operand).clone(),
                body => body.clone().not(),
            },
        }
    }

    /// Returns the formula with its body in negation normal form.
    ///
    /// # Errors
    /// If the result would be larger than [`MAX_SIZE`].
    pub fn to_negation_normal_form(&self) -> Result<Formula, TooLarge> {
        Ok(Formula {
            prefix: self.prefix.clone(),
            body: self.body.to_negation_normal_form()?,
        })
    }
}

impl Ltl {
    /// Returns the formula in negation normal form.
    ///
    /// # Errors
    /// If the result would be larger than [`MAX_SIZE`].
    pub fn to_negation_normal_form(&self) -> Result<Ltl, TooLarge> {
        if size(self).0 > MAX_SIZE {
            return Err(TooLarge);
        }
        Ok(normal(self, true))
    }
}

/// Returns upper bounds on the sizes of the normal forms of a formula and of its negation.
fn size(formula: &Ltl) -> (usize, usize) {
    let sum = |a: usize, b: usize| a.saturating_add(b);
    match formula {
        Ltl::Constant(_) | Ltl::Atom(_) => (1, 2),
        Ltl::Unary(op, operand) => {
            let (positive, negative) = size(operand);
            match op {
                UnaryOp::Not => (negative, positive),
                _ => (sum(positive, 1), sum(negative, 1)),
            }
        }
        Ltl::Binary(op, left, right) => {
            let (left, right) = (size(left), size(right));
            let both = sum(sum(left.0, left.1), sum(right.0, right.1));
            match op {
                BinaryOp::Implies => (sum(sum(left.1, right.0), 1), sum(sum(left.0, right.1), 1)),
                BinaryOp::Iff | BinaryOp::Xor => (sum(both, 3), sum(both, 3)),
                BinaryOp::Until | BinaryOp::Release | BinaryOp::Since | BinaryOp::Triggered => {
                    (sum(sum(left.0, right.0), 1), sum(sum(left.1, right.1), 1))
                }
                // The right operand of W and M is duplicated beside the left one.
                BinaryOp::WeakUntil | BinaryOp::StrongRelease => (
                    sum(sum(left.0, right.0), sum(right.0, 2)),
                    sum(sum(left.1, right.1), sum(right.1, 2)),
                ),
            }
        }
        Ltl::And(operands) | Ltl::Or(operands) => {
            let start = (1, 1);
            operands.iter().map(size).fold(start, |total, operand| {
                (sum(total.0, operand.0), sum(total.1, operand.1))
            })
        }
    }
}

/// Returns the normal form of `formula`, or of its negation if not `positive`.
fn normal(formula: &Ltl, positive: bool) -> Ltl {
    let all =
        |operands: &[Ltl]| -> Vec<Ltl> { operands.iter().map(|o| normal(o, positive)).collect() };
    match formula {
        Ltl::Constant(value) => Ltl::Constant(*value == positive),
        Ltl::Atom(_) if positive => formula.clone(),
        Ltl::Atom(_) => formula.clone().not(),
        Ltl::Unary(UnaryOp::Not, operand) => normal(operand, !positive),
        Ltl::Unary(op, operand) => {
            let op = if positive { *op } else { dual(*op) };
            Ltl::unary(op, normal(operand, positive))
        }
        Ltl::And(operands) if positive => Ltl::And(all(operands)),
        Ltl::And(operands) => Ltl::Or(all(operands)),
        Ltl::Or(operands) if positive => Ltl::Or(all(operands)),
        Ltl::Or(operands) => Ltl::And(all(operands)),
        Ltl::Binary(op, left, right) => {
            let operands = || (normal(left, positive), normal(right, positive));
            match op {
                BinaryOp::Implies => {
                    let sides = [normal(left, !positive), normal(right, positive)];
                    if positive {
                        Ltl::or(sides)
                    } else {
                        Ltl::and(sides)
                    }
                }
                BinaryOp::Iff => equivalence(left, right, positive),
                BinaryOp::Xor => equivalence(left, right, !positive),
                BinaryOp::Until | BinaryOp::Release | BinaryOp::Since | BinaryOp::Triggered => {
                    let op = match (op, positive) {
                        (BinaryOp::Until, true) | (BinaryOp::Release, false) => BinaryOp::Until,
                        (BinaryOp::Since, true) | (BinaryOp::Triggered, false) => BinaryOp::Since,
                        (BinaryOp::Triggered, true) | (BinaryOp::Since, false) => {
                            BinaryOp::Triggered
                        }
                        _ => BinaryOp::Release,
                    };
                    let (left, right) = operands();
                    Ltl::binary(op, left, right)
                }
                // a M b = b U (a & b); its negation is !b R (!a | !b).
                BinaryOp::StrongRelease => {
                    let (left, right) = operands();
                    let both = [left, right.clone()];
                    if positive {
                        Ltl::binary(BinaryOp::Until, right, Ltl::and(both))
                    } else {
                        Ltl::binary(BinaryOp::Release, right, Ltl::or(both))
                    }
                }
                // a W b = b R (a | b); its negation is !b U (!a & !b).
                BinaryOp::WeakUntil => {
                    let (left, right) = operands();
                    if positive {
                        let either = Ltl::or([left, right.clone()]);
                        Ltl::binary(BinaryOp::Release, right, either)
                    } else {
                        let neither = Ltl::and([left, right.clone()]);
                        Ltl::binary(BinaryOp::Until, right, neither)
                    }
                }
            }
        }
    }
}

/// Returns `left <-> right` if `same`, else `left xor right`.
fn equivalence(left: &Ltl, right: &Ltl, same: bool) -> Ltl {
    Ltl::or([
        Ltl::and([normal(left, true), normal(right, same)]),
        Ltl::and([normal(left, false), normal(right, !same)]),
    ])
}

fn dual(op: UnaryOp) -> UnaryOp {
    match op {
        UnaryOp::Not => UnaryOp::Not,
        UnaryOp::Next => UnaryOp::WeakNext,
        UnaryOp::WeakNext => UnaryOp::Next,
        UnaryOp::Finally => UnaryOp::Globally,
        UnaryOp::Globally => UnaryOp::Finally,
        UnaryOp::Previously => UnaryOp::WeakPreviously,
        UnaryOp::WeakPreviously => UnaryOp::Previously,
        UnaryOp::Once => UnaryOp::Historically,
        UnaryOp::Historically => UnaryOp::Once,
    }
}
