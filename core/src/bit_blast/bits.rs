//! How a value of each sort stands in the circuit while terms are computed, and the way to and from code words.
//!
//! Code words (what inputs, latches and outputs carry) are [`Sort`]'s; inside, integers are two's complement
//! of exactly the width their bounds need, and enums are guard tables, so that enums with different
//! value sets compare by spelling. Values outside a sort (unspecified by [`crate::term`]) give some bits, never a panic.

use super::words;
use crate::sort::Sort;
use crate::{Aig, Lit};

/// A term's value as literals. Which variant it is follows from the term's sort.
#[derive(Clone, Debug)]
pub(super) enum Bits {
    /// Bool and Bit.
    Truth(Lit),
    /// Range: two's complement, [`integer_width`] bits.
    Integer(Vec<Lit>),
    /// Enum: for each value of the sort, in order, the condition under which it is the value.
    Symbol(Vec<Lit>),
    /// Word: its bits.
    Word(Vec<Lit>),
}

/// Bits that two's complement needs for all of `low..=high`.
pub(super) fn integer_width(low: i64, high: i64) -> usize {
    let bits = |n: i64| 65 - if n < 0 { !n } else { n }.leading_zeros() as usize;
    bits(low).max(bits(high))
}

/// The constant of `sort` with this code.
pub(super) fn constant(sort: &Sort, code: u64) -> Bits {
    match sort {
        Sort::Bit | Sort::Bool => Bits::Truth(Lit::constant(code == 1)),
        Sort::Range { low, high } => Bits::Integer(words::constant(
            low.wrapping_add_unsigned(code),
            integer_width(*low, *high),
        )),
        Sort::Enum { values } => Bits::Symbol(
            (0..values.len() as u64)
                .map(|value| Lit::constant(value == code))
                .collect(),
        ),
        Sort::Word { width, .. } => Bits::Word(words::constant(code as i64, *width as usize)),
    }
}

/// The value that a code word means, aliases resolved as by [`Sort::code_of_bits`].
pub(super) fn decode(aig: &mut Aig, sort: &Sort, code: &[Lit]) -> Bits {
    match sort {
        Sort::Bit | Sort::Bool => Bits::Truth(code.first().copied().unwrap_or(Lit::FALSE)),
        Sort::Word { .. } => Bits::Word(code.to_vec()),
        Sort::Range { low, high } => {
            let code = clear_alias(aig, sort, code);
            let width = integer_width(*low, *high);
            let offset = words::constant(*low, width);
            let code = words::resize_unsigned(&code, width);
            Bits::Integer(words::add(aig, &code, &offset, Lit::FALSE))
        }
        Sort::Enum { values } => {
            let guards = (0..values.len() as u64).map(|value| {
                // A value whose code with the top bit set is an alias of it does not depend on that bit.
                let read = match code.len().checked_sub(1) {
                    Some(top) if value | 1 << top >= sort.cardinality() => top,
                    _ => code.len(),
                };
                let pattern = words::constant(value as i64, read);
                words::equal(aig, &code[..read], &pattern)
            });
            Bits::Symbol(guards.collect())
        }
    }
}

/// The code word with the top bit cleared where it would name no value.
fn clear_alias(aig: &mut Aig, sort: &Sort, code: &[Lit]) -> Vec<Lit> {
    let mut code = code.to_vec();
    let greatest = sort.cardinality() - 1;
    if let Some(top) = code.len().checked_sub(1) {
        let greatest = words::constant(greatest as i64, code.len());
        let alias = words::less_unsigned(aig, &greatest, &code);
        code[top] = aig.and(code[top], !alias);
    }
    code
}

/// The code word in `to` of a value in `from`; `None` if the sorts are of different kinds.
pub(super) fn encode(aig: &mut Aig, value: &Bits, from: &Sort, to: &Sort) -> Option<Vec<Lit>> {
    match (value, to) {
        (Bits::Truth(lit), Sort::Bit | Sort::Bool) => Some(vec![*lit]),
        (Bits::Word(bits), Sort::Word { width, .. }) if bits.len() == *width as usize => {
            Some(bits.clone())
        }
        (Bits::Integer(bits), Sort::Range { low, .. }) => {
            let width = to.width();
            let bits = words::resize_signed(bits, width);
            let offset = words::constant(*low, width);
            Some(words::sub(aig, &bits, &offset))
        }
        (Bits::Symbol(_), Sort::Enum { .. }) => {
            let Bits::Symbol(guards) = convert(value, from, to)? else {
                return None;
            };
            let bits = (0..to.width()).map(|bit| {
                let ones: Vec<Lit> = guards
                    .iter()
                    .enumerate()
                    .filter(|(code, _)| code >> bit & 1 == 1)
                    .map(|(_, &guard)| guard)
                    .collect();
                aig.or_all(&ones)
            });
            Some(bits.collect())
        }
        _ => None,
    }
}

/// A value of `from` as a value of `to`; `None` if the sorts are of different kinds.
pub(super) fn convert(value: &Bits, from: &Sort, to: &Sort) -> Option<Bits> {
    match (value, to) {
        (Bits::Truth(_), Sort::Bit | Sort::Bool) => Some(value.clone()),
        (Bits::Word(bits), Sort::Word { width, .. }) if bits.len() == *width as usize => {
            Some(value.clone())
        }
        (Bits::Integer(bits), Sort::Range { low, high }) => Some(Bits::Integer(
            words::resize_signed(bits, integer_width(*low, *high)),
        )),
        (Bits::Symbol(guards), Sort::Enum { values }) => {
            let Sort::Enum { values: spelled } = from else {
                return None;
            };
            if spelled == values {
                return Some(value.clone());
            }
            let guard_of = |wanted: &String| {
                let index = spelled.iter().position(|spelling| spelling == wanted)?;
                guards.get(index).copied()
            };
            let guards = values.iter().map(|v| guard_of(v).unwrap_or(Lit::FALSE));
            Some(Bits::Symbol(guards.collect()))
        }
        _ => None,
    }
}
