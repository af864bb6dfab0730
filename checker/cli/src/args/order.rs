//! How many changes a mutant makes.

use std::fmt;
use std::str::FromStr;

/// Mutants of an order: all of them, or a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Changes of each.
    pub changes: usize,
    /// How many are taken.
    pub sample: Option<usize>,
}

/// More changes than this are not made at once.
const MOST: usize = 8;

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sample {
            None => write!(f, "{}", self.changes),
            Some(sample) => write!(f, "{}:{sample}", self.changes),
        }
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        let (changes, sample) = match text.split_once(':') {
            None => (text, None),
            Some((changes, sample)) => (changes, Some(sample)),
        };
        let sample = sample.map(str::parse::<usize>).transpose();
        match (changes.parse::<usize>(), sample) {
            (Ok(changes), Ok(sample)) if (2..=MOST).contains(&changes) && sample != Some(0) => {
                Ok(Order { changes, sample })
            }
            _ => Err(format!(
                "write it like `2` or `2:1000`: changes of each mutant, from 2 to {MOST}, and how many mutants are taken"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_two_or_more_changes_and_perhaps_a_sample() {
        let read = |text: &str| {
            text.parse()
                .map(|order: Order| (order.changes, order.sample))
        };
        assert_eq!(read("2"), Ok((2, None)));
        assert_eq!(read("3:10"), Ok((3, Some(10))));
        for wrong in ["", "1", "9", "2:", "2:0", ":5", "two", "2:-1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
