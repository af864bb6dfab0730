//! Finite sorts, their values and their binary encodings.
//!
//! Every sort is encoded in the fewest bits, least significant first. Codes without a value of their own (an enum of three values has four
//! codes) are *aliases*: their top bit is read as 0. So every code word of an input has a value, models need no constraint to keep inputs
//! in range, and any AIGER tool may drive them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Largest width of a word, in bits.
pub const MAX_WORD: u32 = 1 << 16;

/// Largest width of a word whose values are numbers, in bits.
pub const MAX_NUMBER: u32 = 63;

/// The type of a variable: a finite, non-empty set of values.
#[derive(Clone, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Sort {
    /// One untyped wire; its values are the numbers 0 and 1.
    Bit,
    /// Truth values, spelled `TRUE` and `FALSE`.
    Bool,
    /// Symbolic values. Code = index.
    Enum {
        /// The spellings, pairwise different, in the order of their codes.
        values: Arc<[String]>,
    },
    /// The integers `low..=high`. Code = value − low.
    Range {
        /// The least of its values.
        low: i64,
        /// The greatest of its values.
        high: i64,
    },
    /// Machine words of 1 to [`MAX_WORD`] bits, modulo 2^width. Code = the bits. Words of more than [`MAX_NUMBER`] bits have no codes: they
    /// are written as hexadecimal digits, and read and written as bits only.
    Word {
        /// The number of bits.
        width: u32,
        /// Two's complement, if signed.
        signed: bool,
    },
}

impl PartialEq for Sort {
    /// Enums that share their list of values are compared in constant time, since most sorts of a system are clones of a few.
    fn eq(&self, other: &Sort) -> bool {
        match (self, other) {
            (Sort::Bit, Sort::Bit) | (Sort::Bool, Sort::Bool) => true,
            (Sort::Enum { values }, Sort::Enum { values: others }) => {
                Arc::ptr_eq(values, others) || values == others
            }
            (Sort::Range { low, high }, Sort::Range { low: m, high: i }) => low == m && high == i,
            (
                Sort::Word { width, signed },
                Sort::Word {
                    width: other,
                    signed: sign,
                },
            ) => width == other && signed == sign,
            _ => false,
        }
    }
}

impl Hash for Sort {
    /// Hashes only the number of an enum's values and the outermost ones: terms are looked up by their sorts, and a sort may have thousands
    /// of values.
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Sort::Bit | Sort::Bool => {}
            Sort::Enum { values } => (values.len(), values.first(), values.last()).hash(state),
            Sort::Range { low, high } => (low, high).hash(state),
            Sort::Word { width, signed } => (width, signed).hash(state),
        }
    }
}

/// A value of a [`Sort`], in the spelling of the user's model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number of a range, or a word.
    Int(i64),
    /// A symbol, or `TRUE` / `FALSE`.
    Symbol(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Symbol(s) => f.write_str(s),
        }
    }
}

impl Value {
    /// Returns the truth value in the spelling of [`Sort::Bool`].
    #[must_use]
    pub fn bool(value: bool) -> Value {
        Value::Symbol(if value { "TRUE" } else { "FALSE" }.to_owned())
    }
}

impl Sort {
    /// Returns the enum with these spellings.
    #[must_use]
    pub fn enumeration<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Sort {
        Sort::Enum {
            values: values.into_iter().map(Into::into).collect(),
        }
    }

    /// Whether the sort is well-formed: not empty, spellings pairwise different, words of 1 to [`MAX_WORD`] bits. Sorts from outside
    /// (files, front ends) must be checked with this before any other use.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        match self {
            Sort::Bit | Sort::Bool => true,
            Sort::Enum { values } => {
                let mut sorted: Vec<&String> = values.iter().collect();
                sorted.sort_unstable();
                !values.is_empty() && sorted.windows(2).all(|pair| pair[0] != pair[1])
            }
            Sort::Range { low, high } => low <= high,
            Sort::Word { width, .. } => (1..=MAX_WORD).contains(width),
        }
    }

    /// Whether it is a word whose values are too wide to be numbers.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        matches!(self, Sort::Word { width, .. } if *width > MAX_NUMBER)
    }

    /// Whether some code words are aliases, so that not every combination of bits has a value of its own.
    #[must_use]
    pub fn has_aliases(&self) -> bool {
        !self.is_wide() && !self.cardinality().is_power_of_two()
    }

    /// Returns the number of values; `u64::MAX` for wide words, which have more.
    #[must_use]
    pub fn cardinality(&self) -> u64 {
        match self {
            Sort::Bit | Sort::Bool => 2,
            Sort::Enum { values } => values.len() as u64,
            Sort::Range { low, high } => high.abs_diff(*low).saturating_add(1),
            Sort::Word { .. } if self.is_wide() => u64::MAX,
            Sort::Word { width, .. } => 1 << width,
        }
    }

    /// Returns the number of bits of its encoding; 0 for a sort of one value.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Sort::Word { width, .. } => *width as usize,
            _ => (64 - (self.cardinality() - 1).leading_zeros()) as usize,
        }
    }

    /// Returns the code of `bits` (least significant first), with aliases resolved; for a wide word the low 64 bits.
    #[must_use]
    pub fn code_of_bits(&self, bits: &[bool]) -> u64 {
        let mut code = 0;
        for (i, &bit) in bits.iter().take(64).enumerate() {
            code |= u64::from(bit) << i;
        }
        if !self.is_wide() && code >= self.cardinality() {
            code &= !(1 << (bits.len() - 1));
        }
        code
    }

    /// Returns the value with this code; for a wide word the value with these low bits and zeros above. `code` must be below
    /// [`Sort::cardinality`].
    #[must_use]
    pub fn value_of_code(&self, code: u64) -> Value {
        debug_assert!(code < self.cardinality());
        match self {
            Sort::Bit => Value::Int(code as i64),
            Sort::Bool => Value::bool(code == 1),
            Sort::Enum { values } => Value::Symbol(values[code as usize].clone()),
            Sort::Range { low, .. } => Value::Int(low.wrapping_add_unsigned(code)),
            Sort::Word { width, .. } if self.is_wide() => {
                let bit = |i: u32| i < 64 && code >> i & 1 == 1;
                hexadecimal(&(0..*width).map(bit).collect::<Vec<_>>())
            }
            Sort::Word { width, signed } => {
                let negative = *signed && code >> (width - 1) & 1 == 1;
                Value::Int(if negative {
                    code as i64 - (1 << width)
                } else {
                    code as i64
                })
            }
        }
    }

    /// Returns the code of a value; `None` if the sort has no such value, or no codes.
    #[must_use]
    pub fn code_of_value(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            _ if self.is_wide() => None,
            (Sort::Bit, Value::Int(n @ 0..=1)) => Some(*n as u64),
            (Sort::Bool, Value::Symbol(s)) if s == "TRUE" => Some(1),
            (Sort::Bool, Value::Symbol(s)) if s == "FALSE" => Some(0),
            (Sort::Enum { values }, Value::Symbol(s)) => {
                values.iter().position(|v| v == s).map(|i| i as u64)
            }
            (Sort::Range { low, high }, Value::Int(n)) if low <= n && n <= high => {
                Some(n.abs_diff(*low))
            }
            (
                Sort::Word {
                    width,
                    signed: true,
                },
                Value::Int(n),
            ) => {
                let half = 1i64 << (width - 1);
                (-half..half)
                    .contains(n)
                    .then_some((*n as u64) & (self.cardinality() - 1))
            }
            (Sort::Word { signed: false, .. }, Value::Int(n)) => u64::try_from(*n)
                .ok()
                .filter(|code| *code < self.cardinality()),
            _ => None,
        }
    }

    /// Returns the value of `bits` (least significant first).
    #[must_use]
    pub fn decode(&self, bits: &[bool]) -> Value {
        if self.is_wide() {
            return hexadecimal(bits);
        }
        self.value_of_code(self.code_of_bits(bits))
    }

    /// Returns the bits of a value, least significant first; `None` if the sort has no such value.
    #[must_use]
    pub fn encode(&self, value: &Value) -> Option<Vec<bool>> {
        if let (Sort::Word { width, .. }, true) = (self, self.is_wide()) {
            return bits_of_hexadecimal(value, *width as usize);
        }
        let code = self.code_of_value(value)?;
        Some((0..self.width()).map(|i| code >> i & 1 == 1).collect())
    }
}

/// Returns `0x` and the digits of a wide word, as many as its bits need.
fn hexadecimal(bits: &[bool]) -> Value {
    let digit = |four: &[bool]| {
        let value = (four.iter().rev()).fold(0, |value, &bit| value << 1 | u32::from(bit));
        char::from_digit(value, 16).unwrap_or('0')
    };
    let digits: String = bits.chunks(4).rev().map(digit).collect();
    Value::Symbol(format!("0x{digits}"))
}

/// Returns the bits of a text written by [`hexadecimal`]; `None` for other texts.
fn bits_of_hexadecimal(value: &Value, width: usize) -> Option<Vec<bool>> {
    let Value::Symbol(text) = value else {
        return None;
    };
    let digits = text.strip_prefix("0x")?;
    let mut bits = Vec::with_capacity(width + 3);
    for digit in digits.chars().rev() {
        let value = digit.to_digit(16)?;
        bits.extend((0..4).map(|i| value >> i & 1 == 1));
    }
    let fits = digits.len() == width.div_ceil(4) && bits.iter().skip(width).all(|bit| !bit);
    bits.truncate(width);
    fits.then_some(bits)
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bit => f.write_str("bit"),
            Sort::Bool => f.write_str("boolean"),
            Sort::Enum { values } => write!(f, "{{{}}}", values.join(", ")),
            Sort::Range { low, high } => write!(f, "{low}..{high}"),
            Sort::Word { width, signed } => {
                let sign = if *signed { "signed" } else { "unsigned" };
                write!(f, "{sign} word[{width}]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_words_are_spelled_in_hexadecimal_and_read_back() {
        for width in [64, 65, 127, 512] {
            let sort = Sort::Word {
                width,
                signed: false,
            };
            assert!(sort.is_well_formed() && sort.is_wide() && !sort.has_aliases());
            let bits: Vec<bool> = (0..width).map(|i| i % 3 == 0 || i + 1 == width).collect();
            let value = sort.decode(&bits);
            assert_eq!(sort.encode(&value), Some(bits), "{value}");
            for wrong in ["0x1", "", "1", &format!("{value}0")] {
                assert_eq!(
                    sort.encode(&Value::Symbol(wrong.to_owned())),
                    None,
                    "{wrong}"
                );
            }
        }
        let sort = Sort::Word {
            width: 65,
            signed: false,
        };
        let spelled = |text: &str| Value::Symbol(text.to_owned());
        assert_eq!(sort.value_of_code(26), spelled("0x0000000000000001a"));
        assert_eq!(sort.encode(&spelled("0x20000000000000000")), None);
    }

    #[test]
    fn every_value_survives_encoding_and_every_code_word_means_a_value() {
        let sorts = [
            Sort::Bit,
            Sort::Bool,
            Sort::enumeration(["only"]),
            Sort::enumeration(["a", "b", "c"]),
            Sort::Range { low: -3, high: 5 },
            Sort::Word {
                width: 3,
                signed: true,
            },
            Sort::Word {
                width: 4,
                signed: false,
            },
        ];
        for sort in sorts {
            for code in 0..sort.cardinality() {
                let value = sort.value_of_code(code);
                let bits = sort.encode(&value).unwrap();
                assert_eq!(sort.decode(&bits), value, "{sort}");
            }
            for word in 0..1u64 << sort.width() {
                let bits: Vec<bool> = (0..sort.width()).map(|i| word >> i & 1 == 1).collect();
                assert!(sort.code_of_value(&sort.decode(&bits)).is_some());
            }
        }
    }
}
