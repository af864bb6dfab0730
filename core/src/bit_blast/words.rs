//! Arithmetic circuits on vectors of literals, least significant bit first.
//!
//! The functions know widths and signs, but no sorts. Operands of one call have the same width, and results wrap modulo 2^width unless
//! stated otherwise; callers that need exact results widen first.

use crate::{Aig, Lit};

/// Returns `a + b + carry` for words of equal width, modulo 2^width.
pub(super) fn add(aig: &mut Aig, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = aig.xor(x, y);
        sum.push(aig.xor(half, carry));
        let both = aig.and(x, y);
        let passed = aig.and(half, carry);
        carry = aig.or(both, passed);
    }
    sum
}

pub(super) fn sub(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add(aig, a, &complement(b), Lit::TRUE)
}

pub(super) fn neg(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    let zero = vec![Lit::FALSE; a.len()];
    sub(aig, &zero, a)
}

pub(super) fn complement(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|&bit| !bit).collect()
}

/// Returns `a * b` for words of equal width, modulo 2^width, by shift and add.
pub(super) fn mul(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let constants = |bits: &[Lit]| bits.iter().filter(|bit| bit.is_constant()).count();
    // Constant bits of the multiplier fold complete rows away.
    let (a, b) = if constants(a) > constants(b) {
        (b, a)
    } else {
        (a, b)
    };
    let mut sum = vec![Lit::FALSE; a.len()];
    for (shift, &bit) in b.iter().enumerate() {
        let row: Vec<Lit> = a[..a.len() - shift]
            .iter()
            .map(|&x| aig.and(x, bit))
            .collect();
        let high = add(aig, &sum[shift..], &row, Lit::FALSE);
        sum[shift..].copy_from_slice(&high);
    }
    sum
}

/// Returns quotient and remainder of unsigned numbers, by restoring division. For divisor 0: all ones, and the dividend.
pub(super) fn div_rem_unsigned(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len();
    let mut divisor = b.to_vec();
    divisor.push(Lit::FALSE);
    let mut rest = vec![Lit::FALSE; width];
    let mut quotient = vec![Lit::FALSE; width];
    for i in (0..width).rev() {
        // One bit wider than the operands, for the shifted remainder.
        let mut shifted = vec![a[i]];
        shifted.extend_from_slice(&rest);
        let fits = !less_unsigned(aig, &shifted, &divisor);
        let reduced = sub(aig, &shifted, &divisor);
        quotient[i] = fits;
        rest = mux(aig, fits, &reduced, &shifted);
        rest.truncate(width);
    }
    (quotient, rest)
}

/// Returns the quotient rounded towards zero, and the remainder with the dividend's sign, in two's complement. Unspecified for divisor 0.
pub(super) fn div_rem_signed(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (Some(&sign_a), Some(&sign_b)) = (a.last(), b.last()) else {
        return (Vec::new(), Vec::new());
    };
    let magnitude_a = negate_if(aig, sign_a, a);
    let magnitude_b = negate_if(aig, sign_b, b);
    let (quotient, rest) = div_rem_unsigned(aig, &magnitude_a, &magnitude_b);
    let sign = aig.xor(sign_a, sign_b);
    let quotient = negate_if(aig, sign, &quotient);
    let rest = negate_if(aig, sign_a, &rest);
    (quotient, rest)
}

fn negate_if(aig: &mut Aig, condition: Lit, a: &[Lit]) -> Vec<Lit> {
    let negated = neg(aig, a);
    mux(aig, condition, &negated, a)
}

/// Returns `a < b`, unsigned.
pub(super) fn less_unsigned(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let mut less = Lit::FALSE;
    for (&x, &y) in a.iter().zip(b) {
        let here = aig.and(!x, y);
        let not_greater = !aig.and(x, !y);
        let below = aig.and(not_greater, less);
        less = aig.or(here, below);
    }
    less
}

/// Returns `a < b`, in two's complement.
pub(super) fn less_signed(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    less_unsigned(aig, &flip_sign(a), &flip_sign(b))
}

/// Adds half the range, which maps two's complement order to unsigned order.
fn flip_sign(a: &[Lit]) -> Vec<Lit> {
    let mut flipped = a.to_vec();
    if let Some(sign) = flipped.last_mut() {
        *sign = !*sign;
    }
    flipped
}

pub(super) fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(&x, &y)| aig.iff(x, y)).collect();
    aig.and_all(&same)
}

/// Returns `if condition then a else b`, bit by bit.
pub(super) fn mux(aig: &mut Aig, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| aig.ite(condition, x, y))
        .collect()
}

/// Returns the low `width` bits of a two's complement constant.
pub(super) fn constant(value: i64, width: usize) -> Vec<Lit> {
    (0..width)
        .map(|i| Lit::constant(value >> i.min(63) & 1 == 1))
        .collect()
}

/// Returns `a` in two's complement at another width: the sign is repeated, or high bits are dropped.
pub(super) fn resize_signed(a: &[Lit], width: usize) -> Vec<Lit> {
    let sign = a.last().copied().unwrap_or(Lit::FALSE);
    (0..width)
        .map(|i| a.get(i).copied().unwrap_or(sign))
        .collect()
}

/// Returns the unsigned `a` at another width: zeros are added, or high bits are dropped.
pub(super) fn resize_unsigned(a: &[Lit], width: usize) -> Vec<Lit> {
    (0..width)
        .map(|i| a.get(i).copied().unwrap_or(Lit::FALSE))
        .collect()
}
