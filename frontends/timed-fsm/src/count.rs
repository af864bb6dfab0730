//! Numbers of mutants, which are products that exceed machine words.

use std::fmt;

const BASE: u64 = 1_000_000_000;

/// A natural number of any size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count(Vec<u64>);

impl Count {
    /// Returns the number 1.
    #[must_use]
    pub fn one() -> Count {
        Count(vec![1])
    }

    /// Returns the product of the number with a factor.
    #[must_use]
    pub fn times(&self, factor: u64) -> Count {
        let mut digits = Vec::with_capacity(self.0.len() + 2);
        let mut carry = 0_u128;
        for &digit in &self.0 {
            let value = u128::from(digit) * u128::from(factor) + carry;
            digits.push((value % u128::from(BASE)) as u64);
            carry = value / u128::from(BASE);
        }
        while carry > 0 {
            digits.push((carry % u128::from(BASE)) as u64);
            carry /= u128::from(BASE);
        }
        Count(trimmed(digits))
    }

    /// Returns the number minus 1, or 0 for 0.
    #[must_use]
    pub fn less_one(&self) -> Count {
        if self.0 == [0] {
            return self.clone();
        }
        let mut digits = self.0.clone();
        for digit in &mut digits {
            if *digit > 0 {
                *digit -= 1;
                break;
            }
            *digit = BASE - 1;
        }
        Count(trimmed(digits))
    }

    /// Whether the number is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == [0]
    }

    /// Returns the number for readers: all digits, or two digits and a power of ten if it is large.
    #[must_use]
    pub fn short(&self) -> String {
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let digits = self.to_string();
        if digits.len() <= 15 {
            return digits;
        }
        let exponent = (digits.len() - 1).to_string();
        let raised = exponent
            .bytes()
            .map(|digit| RAISED[usize::from(digit - b'0')]);
        let raised: String = raised.collect();
        format!("{}.{}·10{raised}", &digits[..1], &digits[1..2])
    }
}

fn trimmed(mut digits: Vec<u64>) -> Vec<u64> {
    while digits.len() > 1 && digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.0.iter().rev();
        write!(f, "{}", digits.next().unwrap_or(&0))?;
        digits.try_for_each(|digit| write!(f, "{digit:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_what_machine_words_say_as_far_as_they_reach() {
        let (mut count, mut expected) = (Count::one(), 1_u128);
        for factor in [3, 1_000_000_007, 28, 999_999_999, 4, 1_000_000_000, 7] {
            count = count.times(factor);
            expected *= u128::from(factor);
            assert_eq!(count.to_string(), expected.to_string());
            assert_eq!(count.less_one().to_string(), (expected - 1).to_string());
        }
        assert_eq!(count.short().replace('·', "*"), "2.3*10³⁰");
        assert_eq!(Count::one().less_one().short(), "0");
        assert!(count.times(0).is_zero());
    }
}
