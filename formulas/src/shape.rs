//! Decomposes bodies of the killing shape into assertions at every step and an eventuality.
//!
//! The shape is a conjunction of invariants `G a` and at most one disjunction of eventualities, each `F c` or `!G b`. In other words it is
//! `□A ∧ (□B → ◇C)` up to notation (negations, implications, `!F` for `G!`), which is also the negation of `□A → □D`. Formulas below G and
//! F are not examined; they must be instantaneous.

use crate::ast::{BinaryOp, Ltl, UnaryOp};
use crate::error::ComposeError;

/// A subformula or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signed<'f> {
    /// The subformula, without its sign.
    pub formula: &'f Ltl,
    /// Whether it is the subformula itself; otherwise it is its negation.
    pub positive: bool,
}

impl<'f> Signed<'f> {
    /// Removes the negations at its root.
    fn stripped(mut self) -> Signed<'f> {
        while let Ltl::Unary(UnaryOp::Not, operand) = self.formula {
            self = Signed {
                formula: operand,
                positive: !self.positive,
            };
        }
        self
    }

    /// Returns the same subformula with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Signed<'f> {
        Signed {
            positive: !self.positive,
            ..self
        }
    }

    /// Returns the operands of nested conjunctions that it is equivalent to; itself if there are none.
    pub(crate) fn conjuncts(self) -> Vec<Signed<'f>> {
        self.operands(true)
    }

    /// Returns the operands of nested disjunctions that it is equivalent to; itself if there are none.
    pub(crate) fn disjuncts(self) -> Vec<Signed<'f>> {
        self.operands(false)
    }

    fn operands(self, conjunctive: bool) -> Vec<Signed<'f>> {
        let this = self.stripped();
        let of = |formula: &'f Ltl| Signed {
            formula,
            positive: this.positive,
        };
        match (this.formula, this.positive == conjunctive) {
            (Ltl::And(operands), true) | (Ltl::Or(operands), false) => {
                let operands = operands.iter();
                operands
                    .flat_map(|operand| of(operand).operands(conjunctive))
                    .collect()
            }
            (Ltl::Binary(BinaryOp::Implies, premise, conclusion), false) => {
                let mut operands = of(premise).negated().operands(conjunctive);
                operands.extend(of(conclusion).operands(conjunctive));
                operands
            }
            _ => vec![this],
        }
    }

    /// Returns the operand of an invariant: `a` of `G a`, `!a` of `!F a`. `None` for other formulas.
    pub(crate) fn invariant(self) -> Option<Signed<'f>> {
        self.under(UnaryOp::Globally, UnaryOp::Finally)
    }

    /// Returns the operand of an eventuality: `a` of `F a`, `!a` of `!G a`. `None` for other formulas.
    pub(crate) fn eventuality(self) -> Option<Signed<'f>> {
        self.under(UnaryOp::Finally, UnaryOp::Globally)
    }

    fn under(self, operator: UnaryOp, dual: UnaryOp) -> Option<Signed<'f>> {
        let this = self.stripped();
        let wanted = if this.positive { operator } else { dual };
        match this.formula {
            Ltl::Unary(found, operand) if *found == wanted => Some(Signed {
                formula: operand,
                positive: this.positive,
            }),
            _ => None,
        }
    }
}

/// A decomposed body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape<'f> {
    /// The assertions, which all hold at every step.
    pub asserted: Vec<Signed<'f>>,
    /// The eventuality: one of these holds at some step. `None` if there is no eventuality.
    pub eventual: Option<Vec<Signed<'f>>>,
}

impl<'f> Shape<'f> {
    /// Decomposes a body.
    ///
    /// # Errors
    /// [`ComposeError::UnsupportedShape`] with the subformula that does not fit.
    pub fn of(body: &'f Ltl) -> Result<Shape<'f>, ComposeError> {
        let body = Signed {
            formula: body,
            positive: true,
        };
        let mut shape = Shape {
            asserted: Vec::new(),
            eventual: None,
        };
        for conjunct in body.conjuncts() {
            if conjunct.formula == &Ltl::Constant(conjunct.positive) {
                continue;
            }
            if let Some(invariant) = conjunct.invariant() {
                asserted(invariant, &mut shape.asserted);
                continue;
            }
            let mut parts = Vec::new();
            for disjunct in conjunct.disjuncts() {
                match disjunct.eventuality() {
                    Some(part) => eventual(part, &mut parts),
                    None => {
                        return Err(unsupported(
                            disjunct.formula,
                            "neither an invariant nor an eventuality",
                        ));
                    }
                }
            }
            if shape.eventual.replace(parts).is_some() {
                return Err(unsupported(conjunct.formula, "a second eventuality"));
            }
        }
        Ok(shape)
    }
}

/// Adds the conjuncts of an operand of G to `parts`; a conjunct `G a` counts as `a`, since □□a is □a.
fn asserted<'f>(operand: Signed<'f>, parts: &mut Vec<Signed<'f>>) {
    for part in operand.conjuncts() {
        match part.invariant() {
            Some(inner) => asserted(inner, parts),
            None => parts.push(part),
        }
    }
}

/// Adds the disjuncts of an operand of F to `parts`; a disjunct `F a` counts as `a`, since ◇◇a is ◇a.
fn eventual<'f>(operand: Signed<'f>, parts: &mut Vec<Signed<'f>>) {
    for part in operand.disjuncts() {
        match part.eventuality() {
            Some(inner) => eventual(inner, parts),
            None => parts.push(part),
        }
    }
}

fn unsupported(subformula: &Ltl, reason: &'static str) -> ComposeError {
    ComposeError::UnsupportedShape {
        subformula: Box::new(subformula.clone()),
        reason,
    }
}
