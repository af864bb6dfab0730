//! Values of options in the notation of the command line.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `NAME=VALUE`, or `NAME` alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Definition {
    /// The constant.
    pub name: String,
    /// Its new value, as source text; `None` if the definition is a name alone.
    pub value: Option<String>,
}

impl Definition {
    /// Returns the name and the value of a definition.
    ///
    /// # Errors
    /// If there is no value: a message with the correct notation.
    pub fn valued(&self) -> Result<(String, String), String> {
        match &self.value {
            Some(value) => Ok((self.name.clone(), value.clone())),
            None => Err(format!("write it like `{}=5`", self.name)),
        }
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl FromStr for Definition {
    type Err = String;

    fn from_str(text: &str) -> Result<Definition, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.trim().to_owned())),
            None => (text, None),
        };
        match name.trim() {
            "" => Err("write it like `capacity=5`".to_owned()),
            name => Ok(Definition {
                name: name.to_owned(),
                value,
            }),
        }
    }
}

/// `NAME=LOW..HIGH`: a range for an integer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct IntegerRange {
    /// The variable.
    pub name: String,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl FromStr for IntegerRange {
    type Err = String;

    fn from_str(text: &str) -> Result<IntegerRange, String> {
        let parts = text.split_once('=').and_then(|(name, range)| {
            let (low, high) = range.split_once("..")?;
            Some((name, low.trim().parse().ok()?, high.trim().parse().ok()?))
        });
        match parts {
            Some((name, low, high)) if !name.is_empty() && low <= high => Ok(IntegerRange {
                name: name.to_owned(),
                low,
                high,
            }),
            _ => Err("write it like `n=0..9`".to_owned()),
        }
    }
}

impl fmt::Display for IntegerRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}..{}", self.name, self.low, self.high)
    }
}

/// `NAME[=0|1][:STEPS]`: a reset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Reset {
    /// The name of the input.
    pub name: String,
    /// The active level: `true` if 1 resets. Missing if not given.
    pub active: Option<bool>,
    /// The length of the reset in clock steps. Missing if not given.
    pub steps: Option<usize>,
}

impl Reset {
    /// The number of clock steps of a reset, at most. The model is unrolled for each step.
    pub const MOST_STEPS: usize = 64;

    /// Whether the reset is the word `none`, by which the user says that no reset is to be inferred.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.name == "none" && self.active.is_none() && self.steps.is_none()
    }
}

impl fmt::Display for Reset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(active) = self.active {
            write!(f, "={}", u8::from(active))?;
        }
        if let Some(steps) = self.steps {
            write!(f, ":{steps}")?;
        }
        Ok(())
    }
}

impl FromStr for Reset {
    type Err = String;

    fn from_str(text: &str) -> Result<Reset, String> {
        let wrong = || "write it like `rst`, `rst_n=0` or `rst=1:4`".to_owned();
        let (rest, steps) = match text.rsplit_once(':') {
            None => (text, None),
            Some((rest, steps)) => (rest, Some(steps.parse().map_err(|_| wrong())?)),
        };
        if steps.is_some_and(|steps| !(1..=Reset::MOST_STEPS).contains(&steps)) {
            return Err(format!("steps are 1 to {}", Reset::MOST_STEPS));
        }
        let (name, active) = match rest.split_once('=') {
            None => (rest, None),
            Some((name, "0")) => (name, Some(false)),
            Some((name, "1")) => (name, Some(true)),
            Some(_) => return Err(wrong()),
        };
        if name.is_empty() {
            return Err(wrong());
        }
        Ok(Reset {
            name: name.to_owned(),
            active,
            steps,
        })
    }
}

/// `NAME[:PERIOD]`: a clock that ticks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ClockPeriod {
    /// The name of the input.
    pub name: String,
    /// The units of time between two ticks. Missing if not given.
    pub period: Option<u32>,
}

impl fmt::Display for ClockPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.period {
            Some(period) => write!(f, ":{period}"),
            None => Ok(()),
        }
    }
}

impl FromStr for ClockPeriod {
    type Err = String;

    fn from_str(text: &str) -> Result<ClockPeriod, String> {
        let (name, period) = match text.rsplit_once(':') {
            None => (text, None),
            Some((name, period)) => (name, Some(period.parse().unwrap_or(0))),
        };
        match name.is_empty() || period == Some(0) {
            true => {
                Err("write it like `clk`, or like `clk:5` with a period of at least 1".to_owned())
            }
            false => Ok(ClockPeriod {
                name: name.to_owned(),
                period,
            }),
        }
    }
}

/// `NAME[:unobserved]`: a module whose outputs are choices.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct BlackBox {
    /// The module.
    pub name: String,
    /// Whether its inputs are observed.
    pub observed: bool,
}

impl fmt::Display for BlackBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.observed {
            true => Ok(()),
            false => f.write_str(":unobserved"),
        }
    }
}

impl FromStr for BlackBox {
    type Err = String;

    fn from_str(text: &str) -> Result<BlackBox, String> {
        let (name, observed) = match text.split_once(':') {
            None => (text, true),
            Some((name, "unobserved")) => (name, false),
            Some(_) => ("", true),
        };
        match name {
            "" => Err("write it like `pll`, or `pll:unobserved`".to_owned()),
            name => Ok(BlackBox {
                name: name.to_owned(),
                observed,
            }),
        }
    }
}

/// An order of mutants, the number of changes in each: all mutants of it, or a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The number of changes of each mutant.
    pub changes: usize,
    /// The number of mutants in the sample; `None`: all mutants.
    pub sample: Option<usize>,
}

/// The number of changes in one mutant, at most.
const MAX_ORDER: usize = 8;

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
            (Ok(changes), Ok(sample))
                if (2..=MAX_ORDER).contains(&changes) && sample != Some(0) =>
            {
                Ok(Order { changes, sample })
            }
            _ => Err(format!(
                "write it like `2` or `2:1000`: changes of each mutant, from 2 to {MAX_ORDER}, and how many mutants are taken"
            )),
        }
    }
}

/// Implements the conversions by which documents store a value in the notation of the command line.
macro_rules! as_text {
    ($($value:ty),*) => {$(
        impl From<$value> for String {
            fn from(value: $value) -> String {
                value.to_string()
            }
        }

        impl TryFrom<String> for $value {
            type Error = String;

            fn try_from(text: String) -> Result<$value, String> {
                text.parse()
            }
        }
    )*};
}

as_text!(BlackBox, ClockPeriod, Definition, IntegerRange, Reset);

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

    #[test]
    fn clocks_are_written_back_as_they_were_read() {
        for text in ["clk", "clk:5", "u.clk:1"] {
            let clock: ClockPeriod = text.parse().unwrap();
            assert_eq!(clock.to_string(), text);
        }
        for wrong in ["", ":5", "clk:", "clk:0", "clk:-1", "clk:1.5"] {
            assert!(wrong.parse::<ClockPeriod>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn black_boxes_are_written_back_as_they_were_read() {
        for text in ["pll", "pll:unobserved"] {
            let module: BlackBox = text.parse().unwrap();
            assert_eq!(module.to_string(), text);
            assert_eq!(module.observed, text == "pll");
        }
        for wrong in ["", ":unobserved", "pll:", "pll:seen"] {
            assert!(wrong.parse::<BlackBox>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn resets_are_written_back_as_they_were_read() {
        for text in ["rst", "rst_n=0", "rst=1:4", "u.rst:64"] {
            let reset: Reset = text.parse().unwrap();
            assert_eq!(reset.to_string(), text);
        }
        for wrong in ["", "=1", "rst=2", "rst:0", "rst:65", "rst:x", "rst=1:"] {
            assert!(wrong.parse::<Reset>().is_err(), "{wrong}");
        }
    }
}
