//! The values of a variable, and their translation to and from the sort that encodes them.
//!
//! Enumerations of numbers with gaps (`{0, 1, 5}`) are encoded as enums of digits; arithmetic operates on numbers.

use std::sync::Arc;

use hyperkill_core::sort::{Sort, Value};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};
use rustc_hash::FxHashMap;

/// The kinds of values. Operators need values of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Symbols.
    Symbol,
    /// Symbols and integers.
    Mixed,
    /// Machine words.
    Word {
        /// The number of bits of the word.
        width: u32,
        /// Two's complement, if signed.
        signed: bool,
    },
}

impl Kind {
    /// Returns a noun for such a value in a message.
    #[must_use]
    pub fn noun(self) -> String {
        match self {
            Kind::Bool => "a boolean".to_owned(),
            Kind::Int => "an integer".to_owned(),
            Kind::Symbol => "a symbol".to_owned(),
            Kind::Mixed => "a symbol or an integer".to_owned(),
            Kind::Word { width, signed } => {
                let sign = if signed { "a signed" } else { "an unsigned" };
                format!("{sign} word[{width}]")
            }
        }
    }

    /// Returns the smallest kind that contains two kinds: [`Kind::Mixed`] for symbols with integers; `None` for other pairs of different
    /// kinds.
    #[must_use]
    pub fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            _ if self == other => Some(self),
            (Kind::Int | Kind::Symbol | Kind::Mixed, Kind::Int | Kind::Symbol | Kind::Mixed) => {
                Some(Kind::Mixed)
            }
            _ => None,
        }
    }
}

/// The values of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    sort: Sort,
    /// The values of an enumeration of numbers with gaps, in the order of their codes.
    numbers: Option<Vec<i64>>,
    /// Whether some spellings of an enumeration are numbers and others symbols.
    mixed: bool,
    /// The index of each symbol, for an enumeration that is too long for a linear search.
    places: Option<Arc<FxHashMap<String, usize>>>,
}

/// The number of symbols above which an enumeration has a table of them.
const TABLE_ABOVE: usize = 16;

fn places(symbols: &[String]) -> Option<Arc<FxHashMap<String, usize>>> {
    let all = || symbols.iter().enumerate().map(|(i, s)| (s.clone(), i));
    (symbols.len() > TABLE_ABOVE).then(|| Arc::new(all().collect()))
}

impl Domain {
    /// Returns the domain of `TRUE` and `FALSE`.
    #[must_use]
    pub fn boolean() -> Domain {
        Domain {
            sort: Sort::Bool,
            numbers: None,
            mixed: false,
            places: None,
        }
    }

    /// Returns the domain of all integers from `low` to `high`, which must not be below it.
    #[must_use]
    pub fn range(low: i64, high: i64) -> Domain {
        Domain {
            sort: Sort::Range { low, high },
            numbers: None,
            mixed: false,
            places: None,
        }
    }

    /// Returns a domain of pairwise different symbols.
    #[must_use]
    pub fn symbols(symbols: Vec<String>) -> Domain {
        Domain {
            places: places(&symbols),
            sort: Sort::enumeration(symbols),
            numbers: None,
            mixed: false,
        }
    }

    /// Returns a domain of pairwise different integers; at least one.
    #[must_use]
    pub fn numbers(mut numbers: Vec<i64>) -> Domain {
        numbers.sort_unstable();
        match (numbers.first(), numbers.last()) {
            (Some(&low), Some(&high)) if high.abs_diff(low) == numbers.len() as u64 - 1 => {
                Domain::range(low, high)
            }
            _ => Domain {
                sort: Sort::enumeration(numbers.iter().map(i64::to_string)),
                numbers: Some(numbers),
                mixed: false,
                places: None,
            },
        }
    }

    /// Returns a domain of pairwise different symbols and numbers, at least one of each.
    #[must_use]
    pub fn mixed(spellings: Vec<String>) -> Domain {
        Domain {
            places: places(&spellings),
            sort: Sort::enumeration(spellings),
            numbers: None,
            mixed: true,
        }
    }

    /// Returns the domain of all words of 1 to 64 bits.
    #[must_use]
    pub fn word(width: u32, signed: bool) -> Domain {
        Domain {
            sort: Sort::Word { width, signed },
            numbers: None,
            mixed: false,
            places: None,
        }
    }

    /// Returns the sort of the terms that stand for values of the domain.
    #[must_use]
    pub fn sort(&self) -> &Sort {
        &self.sort
    }

    /// Returns the kind of the domain's values.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match (&self.sort, &self.numbers) {
            (Sort::Bool | Sort::Bit, _) => Kind::Bool,
            (Sort::Enum { .. }, None) if self.mixed => Kind::Mixed,
            (Sort::Enum { .. }, None) => Kind::Symbol,
            (Sort::Word { width, signed }, _) => Kind::Word {
                width: *width,
                signed: *signed,
            },
            _ => Kind::Int,
        }
    }

    /// Returns the symbols. `None` if the values are not symbols only.
    #[must_use]
    pub fn as_symbols(&self) -> Option<&[String]> {
        match (&self.sort, &self.numbers) {
            (Sort::Enum { values }, None) => Some(values),
            _ => None,
        }
    }

    /// Returns the value that a variable's encoding represents.
    ///
    /// # Errors
    /// Never for a term of [`Domain::sort`].
    pub fn read(&self, pool: &mut TermPool, raw: TermId) -> Result<TermId, TermError> {
        let Some(numbers) = &self.numbers else {
            return Ok(raw);
        };
        let mut result = None;
        for (code, n) in numbers.iter().enumerate().rev() {
            let value = pool.int(*n);
            result = Some(match result {
                None => value,
                Some(rest) => {
                    let this = pool.constant(self.sort.clone(), code as u64);
                    let here = pool.binary(BinaryOp::Eq, raw, this)?;
                    pool.ite(here, value, rest)?
                }
            });
        }
        Ok(result.unwrap_or(raw))
    }

    /// Returns the encoding of a value, and whether the value is in the domain. Outside the domain the encoding is unspecified.
    ///
    /// # Errors
    /// If the value is of another kind.
    pub fn write(&self, pool: &mut TermPool, value: TermId) -> Result<(TermId, TermId), TermError> {
        let value = match self.mixed {
            true => spelled(pool, value)?,
            false => value,
        };
        let Some(numbers) = &self.numbers else {
            let inside = pool.in_domain(value, &self.sort)?;
            // A constant outside the domain has no code, so its encoding is arbitrary.
            let outside = pool.as_bool(inside) == Some(false);
            let raw = match outside {
                true => pool.constant(self.sort.clone(), 0),
                false => pool.cast(value, &self.sort)?,
            };
            return Ok((raw, inside));
        };
        let mut raw = pool.constant(self.sort.clone(), 0);
        let mut inside = pool.bool(false);
        for (code, n) in numbers.iter().enumerate() {
            let number = pool.int(*n);
            let here = pool.binary(BinaryOp::Eq, value, number)?;
            let this = pool.constant(self.sort.clone(), code as u64);
            raw = pool.ite(here, this, raw)?;
            inside = pool.binary(BinaryOp::Or, inside, here)?;
        }
        Ok((raw, inside))
    }

    /// Returns the code of a constant number. `None` if the term is no constant number, numbers are not encoded by their places, or the
    /// number is not in the domain.
    pub fn code_of_number(&self, pool: &mut TermPool, number: TermId) -> Option<TermId> {
        let Value::Int(n) = pool.as_constant(number)? else {
            return None;
        };
        let place = self.numbers.as_ref()?.binary_search(&n).ok()?;
        Some(pool.constant(self.sort.clone(), place as u64))
    }

    /// Returns the condition that a value is in the domain.
    ///
    /// # Errors
    /// If the value is of another kind.
    pub fn inside(&self, pool: &mut TermPool, value: TermId) -> Result<TermId, TermError> {
        match (&self.numbers, pool.as_constant(value)) {
            (Some(numbers), Some(Value::Int(n))) => {
                let known = numbers.binary_search(&n).is_ok();
                Ok(pool.bool(known))
            }
            _ => Ok(self.write(pool, value)?.1),
        }
    }

    /// Returns the index of a symbol; `None` if the values are not symbols only, or it is none of them.
    #[must_use]
    pub fn place(&self, symbol: &str) -> Option<usize> {
        let symbols = self.as_symbols()?;
        match &self.places {
            Some(places) => places.get(symbol).copied(),
            None => symbols.iter().position(|known| known == symbol),
        }
    }

    /// Returns the term of a symbol, in this domain's sort if it has the symbol, so that terms of one domain share one sort.
    pub fn symbol(&self, pool: &mut TermPool, symbol: &str) -> TermId {
        match self.place(symbol) {
            Some(code) => pool.constant(self.sort.clone(), code as u64),
            None => pool.symbol(symbol),
        }
    }
}

/// Converts an integer to one of the symbols that its bounds allow, for comparison with other symbols. Other values are unchanged.
///
/// # Errors
/// If the bounds allow too many.
pub(crate) fn spelled(pool: &mut TermPool, value: TermId) -> Result<TermId, TermError> {
    let Sort::Range { low, high } = *pool.sort(value) else {
        return Ok(value);
    };
    if high.abs_diff(low) > 10_000 {
        return Err(TermError::Overflow {
            operator: "conversion to a symbol".to_owned(),
        });
    }
    let mut result = pool.symbol(&high.to_string());
    for n in (low..high).rev() {
        let number = pool.int(n);
        let here = pool.binary(BinaryOp::Eq, value, number)?;
        let symbol = pool.symbol(&n.to_string());
        result = pool.ite(here, symbol, result)?;
    }
    Ok(result)
}

/// Converts two values, one of which may be an integer and the other a symbol, to values that can be compared and mixed.
///
/// # Errors
/// As [`spelled`].
pub(crate) fn alike(
    pool: &mut TermPool,
    a: TermId,
    b: TermId,
) -> Result<(TermId, TermId), TermError> {
    match (pool.sort(a), pool.sort(b)) {
        (Sort::Range { .. }, Sort::Enum { .. }) => Ok((spelled(pool, a)?, b)),
        (Sort::Enum { .. }, Sort::Range { .. }) => Ok((a, spelled(pool, b)?)),
        _ => Ok((a, b)),
    }
}

impl std::fmt::Display for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sort.fmt(f)
    }
}
