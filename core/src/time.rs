//! Exact points and lengths of time for timed tests: non-negative rationals, never floating point.
//!
//! The unit is the model's. A test gives the time of a step since the start (`at`), and since the previous step (`delay`).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A non-negative rational number of time units, in lowest terms. It is written as an integer, or as `"7/2"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Time {
    numerator: u64,
    /// At least 1.
    denominator: u64,
}

/// The error that a text or fraction is no [`Time`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeError {
    /// The text is neither an integer, nor a fraction, nor a decimal.
    #[error("a time is a number like 3, 7/2 or 3.5")]
    Spelling,
    /// The denominator is zero.
    #[error("the denominator of a time is not zero")]
    Denominator,
    /// The number is too large, or too fine, for 64 bits.
    #[error("the time does not fit 64 bits")]
    Range,
}

impl Time {
    /// The time of the start.
    pub const ZERO: Time = Time::whole(0);

    /// Returns the time of a whole number of units.
    #[must_use]
    pub const fn whole(units: u64) -> Time {
        Time {
            numerator: units,
            denominator: 1,
        }
    }

    /// Returns the time of a fraction of units.
    ///
    /// # Errors
    /// If the denominator is zero.
    pub fn fraction(numerator: u64, denominator: u64) -> Result<Time, TimeError> {
        Time::reduced(numerator.into(), denominator.into())
    }

    /// Returns numerator and denominator, in lowest terms.
    #[must_use]
    pub fn parts(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// Returns the time rounded down to whole units.
    #[must_use]
    pub fn floor(self) -> u64 {
        self.numerator / self.denominator
    }

    /// Returns the sum; `None` if it does not fit 64 bits.
    #[must_use]
    pub fn checked_add(self, other: Time) -> Option<Time> {
        let (left, right, denominator) = self.common(other);
        Time::reduced(left.checked_add(right)?, denominator).ok()
    }

    /// Returns the time from `other` to this; `None` if `other` is later.
    #[must_use]
    pub fn since(self, other: Time) -> Option<Time> {
        let (left, right, denominator) = self.common(other);
        Time::reduced(left.checked_sub(right)?, denominator).ok()
    }

    /// Returns the numerators of this and the other time over a common denominator, and that denominator. Products of 64-bit numbers fit
    /// 128 bits.
    fn common(self, other: Time) -> (u128, u128, u128) {
        let wide = |value: u64| u128::from(value);
        (
            wide(self.numerator) * wide(other.denominator),
            wide(other.numerator) * wide(self.denominator),
            wide(self.denominator) * wide(other.denominator),
        )
    }

    fn reduced(numerator: u128, denominator: u128) -> Result<Time, TimeError> {
        if denominator == 0 {
            return Err(TimeError::Denominator);
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        let narrow = |value: u128| u64::try_from(value / divisor).map_err(|_| TimeError::Range);
        Ok(Time {
            numerator: narrow(numerator)?,
            denominator: narrow(denominator)?,
        })
    }
}

/// Returns the greatest common divisor, for positive `right`.
fn greatest_common_divisor(left: u128, right: u128) -> u128 {
    let (mut left, mut right) = (left, right);
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        let (left, right, _) = self.common(*other);
        left.cmp(&right)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl FromStr for Time {
    type Err = TimeError;

    /// Parses an integer, a fraction `7/2` or a decimal `3.5`, which is exact.
    fn from_str(text: &str) -> Result<Time, TimeError> {
        let number = |digits: &str| -> Result<u64, TimeError> {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            match is_number {
                true => digits.parse().map_err(|_| TimeError::Range),
                false => Err(TimeError::Spelling),
            }
        };
        if let Some((numerator, denominator)) = text.split_once('/') {
            return Time::fraction(number(numerator)?, number(denominator)?);
        }
        let Some((units, decimals)) = text.split_once('.') else {
            return Ok(Time::whole(number(text)?));
        };
        let places = u32::try_from(decimals.len()).map_err(|_| TimeError::Range)?;
        let scale = 10_u64.checked_pow(places).ok_or(TimeError::Range)?;
        let rest = Time::fraction(number(decimals)?, scale)?;
        let whole = Time::whole(number(units)?);
        whole.checked_add(rest).ok_or(TimeError::Range)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.denominator {
            1 => serializer.serialize_u64(self.numerator),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    /// Accepts the output of [`Time::serialize`], and any text that is a time. Numbers with a decimal point are rejected, since readers of
    /// JSON may round them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Spelled {
            Units(u64),
            Text(String),
        }
        match Spelled::deserialize(deserializer)? {
            Spelled::Units(units) => Ok(Time::whole(units)),
            Spelled::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_exact_in_every_spelling() {
        assert_eq!(time("3.50"), time("7/2"));
        assert_eq!(time("14/4").to_string(), "7/2");
        assert_eq!(time("6.7").parts(), (67, 10));
        assert_eq!(time("8/4"), Time::whole(2));
        for malformed in ["", "-1", "1/", "/2", ".5", "1.", "1e3", "+1", " 1"] {
            assert_eq!(
                malformed.parse::<Time>(),
                Err(TimeError::Spelling),
                "{malformed}"
            );
        }
        assert_eq!("1/0".parse::<Time>(), Err(TimeError::Denominator));
        assert_eq!(
            "99999999999999999999".parse::<Time>(),
            Err(TimeError::Range)
        );
    }

    #[test]
    fn sums_differences_and_order_agree_with_integers_over_one_denominator() {
        for left in 0..40 {
            for right in 0..40 {
                let [a, b] = [left, right].map(|n| Time::fraction(n, 12).unwrap());
                assert_eq!(a.checked_add(b), Time::fraction(left + right, 12).ok());
                let difference = left.checked_sub(right).map(|n| Time::fraction(n, 12));
                assert_eq!(a.since(b), difference.map(Result::unwrap));
                assert_eq!(a.cmp(&b), left.cmp(&right));
                assert_eq!(a.floor(), left / 12);
            }
        }
        let largest = Time::whole(u64::MAX);
        assert_eq!(largest.checked_add(Time::whole(1)), None);
    }

    #[test]
    fn times_are_written_in_one_spelling_and_read_in_any() {
        let read = |text: &str| serde_json::from_str::<Time>(text).ok();
        assert_eq!(read("3"), Some(Time::whole(3)));
        assert_eq!(read("\"7/2\""), Some(time("7/2")));
        assert_eq!(read("\"6.7\""), Some(time("67/10")));
        for (other, same) in [("\"3\"", "3"), ("\"14/4\"", "7/2"), ("\"3.5\"", "7/2")] {
            assert_eq!(read(other), Some(time(same)), "{other}");
        }
        for other in ["-1", "3.5", "\"x\"", "\"1/0\""] {
            assert_eq!(read(other), None, "{other}");
        }
        for written in [time("0"), time("7/2")] {
            let text = serde_json::to_string(&written).unwrap();
            assert_eq!(read(&text), Some(written));
        }
    }
}
