//! The functions of combinational cells as terms.

use hyperkill_core::term::TermId;

use super::gates::{Gates, Result};
use crate::function::{Cover, Function, Operation};

/// Returns one bit of the result of a bitwise operation on one bit of A, one of B, and the select S.
pub(super) fn bit(
    gates: &mut Gates<'_>,
    operation: &Operation,
    [a, b, select]: [TermId; 3],
) -> Result<TermId> {
    use Operation as O;
    match operation {
        O::Not => gates.not(a),
        O::And => gates.and(a, b),
        O::Or => gates.or(a, b),
        O::Xor => gates.xor(a, b),
        O::Xnor => {
            let differ = gates.xor(a, b)?;
            gates.not(differ)
        }
        O::Nand => {
            let both = gates.and(a, b)?;
            gates.not(both)
        }
        O::Nor => {
            let either = gates.or(a, b)?;
            gates.not(either)
        }
        O::AndNot => {
            let not = gates.not(b)?;
            gates.and(a, not)
        }
        O::OrNot => {
            let not = gates.not(b)?;
            gates.or(a, not)
        }
        O::Mux => gates.mux(select, b, a),
        O::NotMux => {
            let chosen = gates.mux(select, b, a)?;
            gates.not(chosen)
        }
        // A buffer; the other functions are not bitwise.
        _ => Ok(a),
    }
}

/// Returns all bits of a function that is not bitwise. `width` is that of the output.
pub(super) fn word(
    gates: &mut Gates<'_>,
    function: &Function,
    inputs: &[Vec<TermId>],
    width: usize,
) -> Result<Vec<TermId>> {
    use Operation as O;
    let none = Vec::new();
    let a = inputs.first().unwrap_or(&none);
    let b = inputs.get(1).unwrap_or(&none);
    let result = match &function.operation {
        O::ReduceAnd => vec![gates.all(a)?],
        O::ReduceOr => vec![gates.any(a)?],
        O::ReduceXor => vec![gates.odd(a)?],
        O::ReduceXnor => {
            let odd = gates.odd(a)?;
            vec![gates.not(odd)?]
        }
        O::LogicNot => {
            let any = gates.any(a)?;
            vec![gates.not(any)?]
        }
        O::LogicAnd | O::LogicOr => {
            let (a, b) = (gates.any(a)?, gates.any(b)?);
            vec![match function.operation {
                O::LogicAnd => gates.and(a, b)?,
                _ => gates.or(a, b)?,
            }]
        }
        O::Equal | O::Unequal => vec![compared(gates, function, a, b)?],
        O::Less => vec![less(gates, function, a, b, false)?],
        O::Greater => vec![less(gates, function, a, b, true)?],
        O::LessOrEqual | O::GreaterOrEqual => {
            let swapped = function.operation == O::LessOrEqual;
            let less = less(gates, function, a, b, swapped)?;
            vec![gates.not(less)?]
        }
        O::Add | O::Subtract | O::Multiply => sum_or_product(gates, function, a, b, width)?,
        O::Negate => {
            let a = gates.extend(a, width, function.a_signed);
            gates.negate(&a)?
        }
        O::Divide | O::Remainder | O::DivideFloor | O::RemainderFloor => {
            divide(gates, function, a, b, width)?
        }
        O::ShiftLeft | O::ShiftRight | O::ShiftRightSigned | O::Shift => {
            shifted(gates, function, a, b, width)?
        }
        O::ParallelMux => parallel_mux(gates, [a, b, &inputs[2]], width)?,
        O::IndexedMux => gates.select(a, b)?,
        O::Demux => demultiplexed(gates, a, b, width)?,
        O::Table(entries) => {
            let entries: Vec<TermId> = entries[..1 << a.len()]
                .iter()
                .map(|&entry| gates.constant(entry))
                .collect();
            gates.select(&entries, a)?
        }
        O::Cover(of) => vec![cover(gates, of, a)?],
        O::Slice(offset) => a[*offset..].to_vec(),
        O::Concat => [a.as_slice(), b.as_slice()].concat(),
        O::AndOrInvert3 | O::OrAndInvert3 | O::AndOrInvert4 | O::OrAndInvert4 => {
            vec![and_or(gates, &function.operation, inputs)?]
        }
        // Bitwise functions are handled elsewhere.
        _ => a.clone(),
    };
    Ok(gates.extend(&result, width, false))
}

/// Returns whether two words are different for [`Operation::Unequal`], and whether they are equal for all other operations.
fn compared(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
) -> Result<TermId> {
    let (a, b) = operands(gates, function, a, b, 0);
    let differ = a.iter().zip(&b).map(|(&a, &b)| gates.xor(a, b));
    let differ = differ.collect::<Result<Vec<TermId>>>()?;
    let unequal = gates.any(&differ)?;
    match function.operation {
        Operation::Unequal => Ok(unequal),
        _ => gates.not(unequal),
    }
}

fn sum_or_product(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
    width: usize,
) -> Result<Vec<TermId>> {
    let (a, b) = operands(gates, function, a, b, width);
    let (a, b) = (&a[..width], &b[..width]);
    match function.operation {
        Operation::Add => {
            let zero = gates.constant(false);
            Ok(gates.add(a, b, zero)?.0)
        }
        Operation::Subtract => Ok(gates.subtract(a, b)?.0),
        _ => gates.multiply(a, b),
    }
}

/// Returns `width` bits of A shifted by B in the direction of the operation. [`Operation::Shift`] goes to the left if B is signed and
/// negative.
fn shifted(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
    width: usize,
) -> Result<Vec<TermId>> {
    use Operation as O;
    let a = gates.extend(a, width.max(a.len()), function.a_signed);
    let zero = gates.constant(false);
    match (&function.operation, a.last(), b.last()) {
        (O::ShiftLeft, ..) => gates.shift_left(&a, b),
        (O::ShiftRightSigned, Some(&sign), _) if function.a_signed => {
            gates.shift_right(&a, b, sign)
        }
        (O::Shift, _, Some(&sign)) if function.b_signed => {
            let right = gates.shift_right(&a, b, zero)?;
            let minus = gates.negate(b)?;
            let left = gates.shift_left(&a, &minus)?;
            gates.each_mux(sign, &left, &right)
        }
        _ => gates.shift_right(&a, b, zero),
    }
}

/// Returns A if no bit of S is 1, otherwise the part of B, `width` bits wide, that belongs to the lowest such bit.
fn parallel_mux(
    gates: &mut Gates<'_>,
    [a, b, select]: [&Vec<TermId>; 3],
    width: usize,
) -> Result<Vec<TermId>> {
    let mut chosen = a.clone();
    for (number, &when) in select.iter().enumerate().rev() {
        let part = &b[number * width..(number + 1) * width];
        chosen = gates.each_mux(when, part, &chosen)?;
    }
    Ok(chosen)
}

/// Returns `width` bits: A in the part with the number B, and zeros elsewhere.
fn demultiplexed(
    gates: &mut Gates<'_>,
    a: &[TermId],
    b: &[TermId],
    width: usize,
) -> Result<Vec<TermId>> {
    let mut result = Vec::with_capacity(width);
    for number in 0..width.checked_div(a.len()).unwrap_or(0) {
        let bits = b.iter().enumerate().map(|(place, &bit)| {
            if number >> place & 1 == 1 {
                Ok(bit)
            } else {
                gates.not(bit)
            }
        });
        let bits = bits.collect::<Result<Vec<TermId>>>()?;
        let here = gates.all(&bits)?;
        for &bit in a {
            result.push(gates.and(here, bit)?);
        }
    }
    Ok(result)
}

/// Returns both operands of a function on numbers, with the larger width and at least `width`.
fn operands(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
    width: usize,
) -> (Vec<TermId>, Vec<TermId>) {
    let width = a.len().max(b.len()).max(width);
    (
        gates.extend(a, width, function.a_signed),
        gates.extend(b, width, function.b_signed),
    )
}

/// Returns `a < b`, or `b < a` if `swapped`. Both are signed numbers if the function's operand A is.
fn less(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
    swapped: bool,
) -> Result<TermId> {
    let (mut a, mut b) = operands(gates, function, a, b, 1);
    if swapped {
        std::mem::swap(&mut a, &mut b);
    }
    if function.a_signed {
        // Signed numbers are ordered like unsigned ones with inverted sign bits.
        let last = a.len() - 1;
        (a[last], b[last]) = (gates.not(a[last])?, gates.not(b[last])?);
    }
    let (_, not_less) = gates.subtract(&a, &b)?;
    gates.not(not_less)
}

fn divide(
    gates: &mut Gates<'_>,
    function: &Function,
    a: &[TermId],
    b: &[TermId],
    width: usize,
) -> Result<Vec<TermId>> {
    use Operation as O;
    let wants_quotient = matches!(function.operation, O::Divide | O::DivideFloor);
    let (a, b) = operands(gates, function, a, b, width.max(1));
    if !function.a_signed {
        let (quotient, rest) = gates.divide(&a, &b)?;
        return Ok(if wants_quotient { quotient } else { rest });
    }
    let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
    let magnitude = |gates: &mut Gates<'_>, sign: TermId, number: &[TermId]| {
        let negated = gates.negate(number)?;
        gates.each_mux(sign, &negated, number)
    };
    let (x, y) = (magnitude(gates, a_sign, &a)?, magnitude(gates, b_sign, &b)?);
    let (quotient, rest) = gates.divide(&x, &y)?;
    let differ = gates.xor(a_sign, b_sign)?;
    let quotient = magnitude(gates, differ, &quotient)?;
    let rest = magnitude(gates, a_sign, &rest)?;
    let floors = matches!(function.operation, O::DivideFloor | O::RemainderFloor);
    let some = gates.any(&rest)?;
    let zero = gates.constant(false);
    let low = if floors {
        gates.and(differ, some)?
    } else {
        zero
    };
    if wants_quotient {
        let ones = vec![low; quotient.len()];
        return Ok(gates.add(&quotient, &ones, zero)?.0);
    }
    let correction: Result<Vec<TermId>> = b.iter().map(|&bit| gates.and(bit, low)).collect();
    Ok(gates.add(&rest, &correction?, zero)?.0)
}

fn cover(gates: &mut Gates<'_>, cover: &Cover, inputs: &[TermId]) -> Result<TermId> {
    let mut products = Vec::with_capacity(cover.rows.len());
    for row in &cover.rows {
        let literals = row
            .iter()
            .zip(inputs)
            .filter_map(|(must, &input)| match must {
                Some(true) => Some(Ok(input)),
                Some(false) => Some(gates.not(input)),
                None => None,
            });
        let literals = literals.collect::<Result<Vec<TermId>>>()?;
        products.push(gates.all(&literals)?);
    }
    let any = gates.any(&products)?;
    if cover.value { Ok(any) } else { gates.not(any) }
}

fn and_or(gates: &mut Gates<'_>, operation: &Operation, inputs: &[Vec<TermId>]) -> Result<TermId> {
    use Operation as O;
    let pins: Vec<TermId> = inputs.iter().flatten().copied().collect();
    let (first, second) = pins.split_at(2);
    let joined = if matches!(operation, O::AndOrInvert3 | O::AndOrInvert4) {
        let parts = [gates.all(first)?, gates.all(second)?];
        gates.any(&parts)?
    } else {
        let parts = [gates.any(first)?, gates.any(second)?];
        gates.all(&parts)?
    };
    gates.not(joined)
}
