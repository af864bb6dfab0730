//! Functions and operators on words, and conversions between kinds of values.

use hyperkill_core::sort::Sort;
use hyperkill_core::term::{BinaryOp as Core, TermError, TermId, TermPool};
use hyperkill_frontend::Span;

use super::checks::{Checks, Lowered};
use crate::ast::{BinaryOp, Function};

/// Returns width and sign of a word. Other terms, which typing excludes, have width 0.
fn shape(pool: &TermPool, word: TermId) -> (u32, bool) {
    match pool.sort(word) {
        Sort::Word { width, signed } => (*width, *signed),
        _ => (0, false),
    }
}

/// Returns the constant word with these bits.
fn word(pool: &mut TermPool, width: u32, signed: bool, bits: u64) -> TermId {
    pool.constant(Sort::Word { width, signed }, bits)
}

/// Returns the number with all bits of a word set, for 1 to 64 bits.
fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Returns the same bits with or without sign.
fn with_sign(pool: &mut TermPool, a: TermId, signed: bool) -> Result<TermId, TermError> {
    let (width, _) = shape(pool, a);
    pool.slice(a, 0, width, signed)
}

/// Returns the `bits` bits that extend a word: copies of its sign, or zeros.
fn filler(pool: &mut TermPool, a: TermId, bits: u32) -> Result<TermId, TermError> {
    let (width, signed) = shape(pool, a);
    let zeros = word(pool, bits, false, 0);
    if !signed {
        return Ok(zeros);
    }
    let ones = word(pool, bits, false, ones(bits));
    let sign = pool.slice(a, width - 1, 1, false)?;
    let one = word(pool, 1, false, 1);
    let negative = pool.binary(Core::Eq, sign, one)?;
    pool.ite(negative, ones, zeros)
}

/// Extends a word by `bits` bits in front.
fn extend(pool: &mut TermPool, a: TermId, bits: u32) -> Result<TermId, TermError> {
    let (_, signed) = shape(pool, a);
    if bits == 0 {
        return Ok(a);
    }
    let filler = filler(pool, a, bits)?;
    let longer = pool.concat(filler, a)?;
    with_sign(pool, longer, signed)
}

/// Changes the width of a word by extension or truncation. A truncated signed word keeps its sign bit.
fn resize(pool: &mut TermPool, a: TermId, to: u32) -> Result<TermId, TermError> {
    let (width, signed) = shape(pool, a);
    if to >= width {
        return extend(pool, a, to - width);
    }
    if !signed || to == 1 {
        let low = if signed { width - 1 } else { 0 };
        return pool.slice(a, low, to, signed);
    }
    let sign = pool.slice(a, width - 1, 1, false)?;
    let rest = pool.slice(a, 0, to - 1, false)?;
    let cut = pool.concat(sign, rest)?;
    with_sign(pool, cut, true)
}

/// Shifts a word by a constant, at most its width.
fn shifted(pool: &mut TermPool, op: BinaryOp, a: TermId, by: u32) -> Result<TermId, TermError> {
    let (width, signed) = shape(pool, a);
    let result = match op {
        _ if by == 0 => return Ok(a),
        BinaryOp::Shl if by == width => return Ok(word(pool, width, signed, 0)),
        BinaryOp::Shl => {
            let kept = pool.slice(a, 0, width - by, false)?;
            let zeros = word(pool, by, false, 0);
            pool.concat(kept, zeros)?
        }
        _ if by == width => filler(pool, a, width)?,
        _ => {
            let filler = filler(pool, a, by)?;
            let kept = pool.slice(a, by, width - by, false)?;
            pool.concat(filler, kept)?
        }
    };
    with_sign(pool, result, signed)
}

/// Lowers `a << b` or `a >> b`; `b` is an integer or an unsigned word of at most the width of `a`.
pub(super) fn shift(
    pool: &mut TermPool,
    op: BinaryOp,
    a: &Lowered,
    b: &Lowered,
    span: Span,
) -> Result<Lowered, TermError> {
    let (width, _) = shape(pool, a.term);
    let sort = pool.sort(b.term).clone();
    let mut inside = pool.bool(false);
    let mut term = a.term;
    for by in 0..=width {
        let amount = match &sort {
            Sort::Word { .. } if u64::from(by) >= sort.cardinality() => break,
            Sort::Word { .. } => pool.constant(sort.clone(), u64::from(by)),
            _ => pool.int(i64::from(by)),
        };
        let here = pool.binary(Core::Eq, b.term, amount)?;
        if pool.as_bool(here) == Some(false) {
            continue;
        }
        inside = pool.binary(Core::Or, inside, here)?;
        let moved = shifted(pool, op, a.term, by)?;
        term = pool.ite(here, moved, term)?;
    }
    let message = "a word is shifted by more than its width, or back";
    let inside = match sort {
        Sort::Word { .. } if sort.cardinality() <= u64::from(width) + 1 => pool.bool(true),
        Sort::Range { low, high } if low >= 0 && high <= i64::from(width) => pool.bool(true),
        _ => inside,
    };
    let checks = a.checks.clone().and(pool, b.checks.clone())?;
    let fits = Checks::one(pool, inside, span, message);
    let checks = checks.and(pool, fits)?;
    Ok(Lowered { term, checks })
}

/// Lowers a function call. `constants` has the values of the arguments that must be constant.
pub(super) fn call(
    pool: &mut TermPool,
    function: Function,
    arguments: &[Lowered],
    constants: &[i64],
) -> Result<Lowered, TermError> {
    let mut checks = Checks::default();
    for argument in arguments {
        checks = checks.and(pool, argument.checks.clone())?;
    }
    let terms: Vec<TermId> = arguments.iter().map(|argument| argument.term).collect();
    let term = match (function, terms.as_slice()) {
        (Function::Bool, [a]) => match pool.sort(*a).clone() {
            Sort::Word { .. } => {
                let one = word(pool, 1, shape(pool, *a).1, 1);
                pool.binary(Core::Eq, *a, one)?
            }
            Sort::Range { .. } => {
                let zero = pool.int(0);
                let zero = pool.binary(Core::Eq, *a, zero)?;
                pool.not(zero)?
            }
            _ => *a,
        },
        (Function::Word1, [a]) => {
            let (one, zero) = (word(pool, 1, false, 1), word(pool, 1, false, 0));
            pool.ite(*a, one, zero)?
        }
        (Function::Toint, [a]) => match pool.sort(*a) {
            Sort::Word { .. } => pool.number(*a)?,
            Sort::Bool | Sort::Bit => number_of_truth(pool, *a)?,
            _ => *a,
        },
        (Function::Signed, [a]) => with_sign(pool, *a, true)?,
        (Function::Unsigned, [a]) => with_sign(pool, *a, false)?,
        (Function::Extend, [a]) => extend(pool, *a, constants.first().map_or(0, |n| *n as u32))?,
        (Function::Resize, [a]) => resize(pool, *a, constants.first().map_or(1, |n| *n as u32))?,
        (Function::Swconst | Function::Uwconst, _) => match constants {
            [value, width] => {
                let width = *width as u32;
                let signed = function == Function::Swconst;
                word(pool, width, signed, *value as u64 & ones(width))
            }
            _ => pool.int(0),
        },
        (Function::Sizeof, [a]) => pool.int(i64::from(shape(pool, *a).0)),
        (Function::Count, all) => {
            let mut sum = pool.int(0);
            for truth in all {
                let one = number_of_truth(pool, *truth)?;
                sum = pool.binary(Core::Add, sum, one)?;
            }
            sum
        }
        (Function::Abs, [a]) => {
            let zero = pool.int(0);
            let negative = pool.binary(Core::Lt, *a, zero)?;
            let negated = pool.neg(*a)?;
            pool.ite(negative, negated, *a)?
        }
        (Function::Max | Function::Min, [a, b]) => {
            let less = pool.binary(Core::Lt, *a, *b)?;
            match function {
                Function::Max => pool.ite(less, *b, *a)?,
                _ => pool.ite(less, *a, *b)?,
            }
        }
        // Typing checks the number of arguments.
        _ => pool.int(0),
    };
    Ok(Lowered { term, checks })
}

fn number_of_truth(pool: &mut TermPool, truth: TermId) -> Result<TermId, TermError> {
    let (one, zero) = (pool.int(1), pool.int(0));
    pool.ite(truth, one, zero)
}
