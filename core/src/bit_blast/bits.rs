//! The representation of values as literals while terms are computed, and its conversion to and from code words.
//!
//! [`Sort`] defines code words, which inputs, latches and outputs carry. During computation integers are two's complement, exactly as wide
//! as their bounds require. Enums are guard tables, so that enums with different value sets compare by spelling. Enums of more than
//! [`MAX_GUARDS`] values are code words; otherwise each term would be as large as its sort. Values outside a sort (unspecified by
//! [`crate::term`]) give some bits, never a panic.

use rustc_hash::FxHashMap;

use super::words;
use crate::sort::Sort;
use crate::{Aig, Lit};

/// Largest number of values of an enum that is a guard table; larger enums are code words.
pub(super) const MAX_GUARDS: usize = 64;

/// A term's value as literals. The term's sort determines the variant.
#[derive(Clone, Debug)]
pub(super) enum Bits {
    /// Sorts with two values: Bool and Bit.
    Truth(Lit),
    /// Range: two's complement, [`integer_width`] bits.
    Integer(Vec<Lit>),
    /// Enum: for each value of the sort, in order, the condition under which it is the value.
    Symbol(Vec<Lit>),
    /// Enum of more than [`MAX_GUARDS`] values: the code word of the value.
    Code(Vec<Lit>),
    /// A word: its bits, the least significant first.
    Word(Vec<Lit>),
}

/// Returns the number of bits that two's complement needs for all of `low..=high`.
pub(super) fn integer_width(low: i64, high: i64) -> usize {
    let bits = |n: i64| 65 - if n < 0 { !n } else { n }.leading_zeros() as usize;
    bits(low).max(bits(high))
}

/// Returns the value of `sort` with this code, as constant literals.
pub(super) fn constant(sort: &Sort, code: u64) -> Bits {
    match sort {
        Sort::Bit | Sort::Bool => Bits::Truth(Lit::constant(code == 1)),
        Sort::Range { low, high } => Bits::Integer(words::constant(
            low.wrapping_add_unsigned(code),
            integer_width(*low, *high),
        )),
        Sort::Enum { values } if values.len() > MAX_GUARDS => {
            Bits::Code(words::constant(code as i64, sort.width()))
        }
        Sort::Enum { values } => Bits::Symbol(
            (0..values.len() as u64)
                .map(|value| Lit::constant(value == code))
                .collect(),
        ),
        Sort::Word { width, .. } => Bits::Word(words::constant(code as i64, *width as usize)),
    }
}

/// Returns the value of a code word without aliases ([`without_alias`]).
pub(super) fn decode(aig: &mut Aig, sort: &Sort, code: &[Lit]) -> Bits {
    match sort {
        Sort::Bit | Sort::Bool => Bits::Truth(code.first().copied().unwrap_or(Lit::FALSE)),
        Sort::Word { .. } => Bits::Word(code.to_vec()),
        Sort::Range { low, high } => {
            let width = integer_width(*low, *high);
            let offset = words::constant(*low, width);
            let code = words::resize_unsigned(code, width);
            Bits::Integer(words::add(aig, &code, &offset, Lit::FALSE))
        }
        Sort::Enum { values } if values.len() > MAX_GUARDS => Bits::Code(code.to_vec()),
        Sort::Enum { values } => {
            let guards = (0..values.len() as u64).map(|value| {
                // If setting the top bit of a value's code gives an alias of it, the value does not depend on that bit.
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

/// Returns the code word without aliases for a code word, as [`Sort::code_of_bits`] resolves them.
pub(super) fn without_alias(aig: &mut Aig, sort: &Sort, code: &[Lit]) -> Vec<Lit> {
    match sort {
        Sort::Range { .. } => clear_alias(aig, sort, code),
        Sort::Enum { values } if values.len() > MAX_GUARDS => clear_alias(aig, sort, code),
        _ => code.to_vec(),
    }
}

/// Returns the code word with the top bit cleared if the code has no value of its own.
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

/// Returns the code word in `to` of a value in `from`; `None` if the sorts are of different kinds, or are words of different widths.
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
        (Bits::Symbol(_) | Bits::Code(_), Sort::Enum { .. }) => {
            match convert(aig, value, from, to)? {
                Bits::Code(code) => Some(code),
                Bits::Symbol(guards) => Some(code_of_guards(aig, &guards, to.width())),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the code word whose code is the index of the one guard that holds.
fn code_of_guards(aig: &mut Aig, guards: &[Lit], width: usize) -> Vec<Lit> {
    let bits = (0..width).map(|bit| {
        let ones: Vec<Lit> = guards
            .iter()
            .enumerate()
            .filter(|(code, _)| code >> bit & 1 == 1)
            .map(|(_, &guard)| guard)
            .collect();
        aig.or_all(&ones)
    });
    bits.collect()
}

/// Returns the condition under which an enum has the value with this code; `None` if it has no such value, or `value` is no enum.
fn guard(aig: &mut Aig, value: &Bits, code: usize) -> Option<Lit> {
    match value {
        Bits::Symbol(guards) => guards.get(code).copied(),
        Bits::Code(bits) => {
            let pattern = words::constant(code as i64, bits.len());
            Some(words::equal(aig, bits, &pattern))
        }
        _ => None,
    }
}

/// Returns a value of `from` as a value of `to`; `None` if the sorts are of different kinds, or are words of different widths.
pub(super) fn convert(aig: &mut Aig, value: &Bits, from: &Sort, to: &Sort) -> Option<Bits> {
    match (value, to) {
        (Bits::Truth(_), Sort::Bit | Sort::Bool) => Some(value.clone()),
        (Bits::Word(bits), Sort::Word { width, .. }) if bits.len() == *width as usize => {
            Some(value.clone())
        }
        (Bits::Integer(bits), Sort::Range { low, high }) => Some(Bits::Integer(
            words::resize_signed(bits, integer_width(*low, *high)),
        )),
        (Bits::Symbol(_) | Bits::Code(_), Sort::Enum { values }) => {
            let Sort::Enum { values: spelled } = from else {
                return None;
            };
            if from == to {
                return Some(value.clone());
            }
            let mut guards = vec![Lit::FALSE; values.len()];
            for (here, there) in common(spelled, values) {
                guards[there] = guard(aig, value, here)?;
            }
            Some(match values.len() > MAX_GUARDS {
                true => Bits::Code(code_of_guards(aig, &guards, to.width())),
                false => Bits::Symbol(guards),
            })
        }
        _ => None,
    }
}

/// Returns the spellings that two enums share, each as its indices in the first and the second, in the order of the second.
fn common(x: &[String], y: &[String]) -> Vec<(usize, usize)> {
    let places: FxHashMap<&String, usize> = x.iter().enumerate().map(|(i, v)| (v, i)).collect();
    let found = y.iter().enumerate();
    found
        .filter_map(|(i, spelling)| Some((*places.get(spelling)?, i)))
        .collect()
}

/// Returns the literal that two enums have values of the same spelling; `None` if an operand is no enum.
pub(super) fn same_symbol(
    aig: &mut Aig,
    (a, left): (&Bits, &Sort),
    (b, right): (&Bits, &Sort),
) -> Option<Lit> {
    let (Sort::Enum { values: x }, Sort::Enum { values: y }) = (left, right) else {
        return None;
    };
    if let (Bits::Code(a), Bits::Code(b), true) = (a, b, left == right) {
        return Some(words::equal(aig, a, b));
    }
    if let Bits::Symbol(guards) = a
        && let Bits::Symbol(others) = convert(aig, b, right, left)?
    {
        let both: Vec<Lit> = (guards.iter().zip(&others))
            .map(|(&x, &y)| aig.and(x, y))
            .collect();
        return Some(aig.or_all(&both));
    }
    let mut both = Vec::new();
    for (here, there) in common(y, x) {
        let (b, a) = (guard(aig, b, here)?, guard(aig, a, there)?);
        both.push(aig.and(a, b));
    }
    Some(aig.or_all(&both))
}

/// Returns the literal that the value of an enum is one of `inside`. `values` are the spellings of the enum; `None` if `value` is no enum.
pub(super) fn is_among(
    aig: &mut Aig,
    value: &Bits,
    values: &[String],
    inside: &[String],
) -> Option<Lit> {
    let known: rustc_hash::FxHashSet<&String> = inside.iter().collect();
    let mut guards = Vec::new();
    for (code, spelling) in values.iter().enumerate() {
        if known.contains(spelling) {
            guards.push(guard(aig, value, code)?);
        }
    }
    Some(aig.or_all(&guards))
}
