//! `a ** b` (IEEE 1364-2005 §5.1.5): by squaring, as far as the circuit stays small.

use hyperkill_core::term::{BinaryOp as Core, Term, TermId};

use crate::ast::ExprId;
use crate::design::{Run, Stop};
use crate::state::Elaborator;

/// Most bits that all multipliers of a power may have: more than the product of two operands of 64 bits, squared 16 times.
const MAX_SIZE: u64 = 1 << 17;

impl Elaborator<'_> {
    /// Returns `a ** b` at a width and sign.
    pub(super) fn power(
        &mut self,
        expr: ExprId,
        a: ExprId,
        b: ExprId,
        width: u32,
        signed: bool,
    ) -> Run<TermId> {
        let base = self.eval(a, width, signed)?;
        let (exponent, shape) = self.value(b)?;
        self.raised(expr, (base, signed), (exponent, shape.signed))
    }

    fn raised(
        &mut self,
        expr: ExprId,
        (base, signed): (TermId, bool),
        (exponent, exponent_signed): (TermId, bool),
    ) -> Run<TermId> {
        let words = &mut self.design.words;
        if let Some(bits) = words.constant(exponent) {
            return self.raised_to(&bits, base, signed, exponent_signed);
        }
        let width = words.width(base);
        if words.value(base, false) == Some(2) && !exponent_signed {
            let one = words.number(1, width);
            let fill = words.pool.bool(false);
            return Ok(words.shift(one, exponent, true, fill)?);
        }
        // Mutants of a constant exponent.
        if let Term::Ite(condition, first, second) = *words.pool.term(exponent)
            && words.is_choice_of_mutants(condition)
        {
            let first = self.raised(expr, (base, signed), (first, exponent_signed))?;
            let second = self.raised(expr, (base, signed), (second, exponent_signed))?;
            return Ok(self.design.words.ite(condition, first, second)?);
        }
        let bits = words.width(exponent);
        let size = u64::from(bits) * u64::from(width) * u64::from(width);
        if size > MAX_SIZE {
            let message = format!(
                "`**` of {width} bits with an exponent of {bits} bits that is not constant is too large a circuit"
            );
            return Err(Stop::at(self.span(expr), message));
        }
        self.raised_to_any(base, signed, exponent, exponent_signed)
    }

    /// Returns the power with the constant `exponent`, its lowest bit first, at the width of the base.
    fn raised_to(
        &mut self,
        exponent: &[bool],
        base: TermId,
        signed: bool,
        exponent_signed: bool,
    ) -> Run<TermId> {
        let width = self.design.words.width(base);
        if exponent_signed && exponent.last() == Some(&true) {
            return self.raised_below_zero(base, signed, exponent.first() == Some(&true));
        }
        let words = &mut self.design.words;
        let mut value = words.number(1, width);
        let mut square = base;
        let length = exponent.iter().rposition(|bit| *bit).map_or(0, |at| at + 1);
        for (at, bit) in exponent[..length].iter().enumerate() {
            if at > 0 {
                square = words.arithmetic(Core::Mul, square, square, signed)?;
            }
            if *bit {
                value = words.arithmetic(Core::Mul, value, square, signed)?;
            }
        }
        Ok(value)
    }

    /// Returns a power with an exponent that is no constant.
    fn raised_to_any(
        &mut self,
        base: TermId,
        signed: bool,
        exponent: TermId,
        exponent_signed: bool,
    ) -> Run<TermId> {
        let words = &mut self.design.words;
        let (width, bits) = (words.width(base), words.width(exponent));
        let mut value = words.number(1, width);
        let mut square = base;
        // The sign bit is handled apart.
        for at in 0..bits - u32::from(exponent_signed) {
            if at > 0 {
                square = words.arithmetic(Core::Mul, square, square, signed)?;
            }
            let bit = words.slice(exponent, at, 1)?;
            let bit = words.truth(bit)?;
            let product = words.arithmetic(Core::Mul, value, square, signed)?;
            value = words.ite(bit, product, value)?;
        }
        if !exponent_signed {
            return Ok(value);
        }
        let (sign, low) = (
            words.slice(exponent, bits - 1, 1)?,
            words.slice(exponent, 0, 1)?,
        );
        let (sign, low) = (words.truth(sign)?, words.truth(low)?);
        let odd = self.raised_below_zero(base, signed, true)?;
        let even = self.raised_below_zero(base, signed, false)?;
        let words = &mut self.design.words;
        let below = words.ite(low, odd, even)?;
        Ok(words.ite(sign, below, value)?)
    }

    /// Returns a power with a negative exponent, which is `odd` or even. Base 1 gives 1, base -1 gives -1 or 1, and base 0 is unknown; all
    /// other powers are fractions, which are 0.
    fn raised_below_zero(&mut self, base: TermId, signed: bool, odd: bool) -> Run<TermId> {
        let words = &mut self.design.words;
        let width = words.width(base);
        let (zero, one, ones) = (
            words.number(0, width),
            words.number(1, width),
            words.ones(width),
        );
        let mut value = zero;
        if signed {
            let is_minus_one = words.equal(base, ones)?;
            value = words.ite(is_minus_one, if odd { ones } else { one }, value)?;
        }
        let is_one = words.equal(base, one)?;
        value = words.ite(is_one, one, value)?;
        let is_zero = words.equal(base, zero)?;
        if words.pool.as_bool(is_zero) == Some(false) {
            return Ok(value);
        }
        let unknown = self.unknown(width);
        Ok(self.design.words.ite(is_zero, unknown, value)?)
    }
}
