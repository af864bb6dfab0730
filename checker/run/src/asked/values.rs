//! Values of the options of a run, with the words that users write for them.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::time::Duration;

use hyperkill_checker::schedule::Engines;

/// A value with the word that a user wrote for it: a run writes down the word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled<T> {
    value: T,
    word: String,
}

impl<T> Spelled<T> {
    /// Returns the value with the spelling `word`, which must denote it.
    pub(super) fn new(value: T, word: impl Into<String>) -> Spelled<T> {
        Spelled {
            value,
            word: word.into(),
        }
    }
}

impl<T> Deref for Spelled<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> fmt::Display for Spelled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word)
    }
}

impl<T: FromStr> FromStr for Spelled<T> {
    type Err = T::Err;

    fn from_str(word: &str) -> Result<Spelled<T>, T::Err> {
        word.parse().map(|value| Spelled::new(value, word))
    }
}

/// A limit on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit(pub Option<Duration>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        if text == "none" {
            return Ok(Limit(None));
        }
        humantime::parse_duration(text)
            .map(|duration| Limit(Some(duration)))
            .map_err(|error| format!("{error}; write it like `90s`, `5min`, `1h 30min` or `none`"))
    }
}

/// A limit on memory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory(pub Option<u64>);

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Memory, String> {
        const UNITS: [(&str, u32); 4] = [("B", 0), ("K", 10), ("M", 20), ("G", 30)];
        if text == "none" {
            return Ok(Memory(None));
        }
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim_start().to_ascii_uppercase();
        // A number alone is a slip more often than a number of bytes.
        if unit.is_empty() && !number.is_empty() {
            return Err(format!(
                "the unit is missing: write `{number}G`, `{number}M`, `{number}K` (units of 1024) or `{number}B` for bytes"
            ));
        }
        let unit = unit
            .strip_suffix("IB")
            .or(unit.strip_suffix('B').filter(|unit| !unit.is_empty()))
            .unwrap_or(&unit);
        let shift = UNITS.iter().find(|(name, _)| *name == unit);
        let bytes =
            shift.and_then(|&(_, shift)| number.parse::<u64>().ok()?.checked_mul(1 << shift));
        match bytes {
            Some(bytes @ 1..) => Ok(Memory(Some(bytes))),
            _ => Err("write it like `512M`, `8G`, `8GiB` (units of 1024) or `none`".to_owned()),
        }
    }
}

/// A percentage, 0 to 100.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Percent(pub f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Percent, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        match number.parse() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Percent(percent)),
            _ => Err("a percentage is a number from 0 to 100".to_owned()),
        }
    }
}

/// The engines to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineList {
    /// The built-in engines.
    pub own: Engines,
    /// ABC, where it is installed.
    pub abc: bool,
    /// The programs of `--external`, which are asked anyway: for lists without any engine of our own.
    pub external: bool,
}

/// An engine, and whether it is used.
type Word = (&'static str, fn(&Engines) -> bool);

/// The built-in engines by name.
const ENGINES: [Word; 9] = [
    ("pairs", |engines| engines.pairs),
    ("simulation", |engines| engines.simulation),
    ("bmc", |engines| engines.bmc),
    ("induction", |engines| engines.induction),
    ("pdr", |engines| engines.pdr),
    ("family", |engines| engines.family),
    ("exists-forall", |engines| engines.exists_forall),
    ("explicit", |engines| engines.explicit),
    ("diagrams", |engines| engines.diagrams),
];

impl EngineList {
    /// The names of all built-in engines, separated by commas: the default value of `--engine`.
    pub const ALL: &str =
        "pairs,simulation,bmc,induction,pdr,family,exists-forall,explicit,diagrams";

    /// The names of engines that are separate programs.
    const OTHERS: &str = "abc, external";

    /// Returns the default engines: all that are built in.
    #[must_use]
    pub fn usual() -> EngineList {
        EngineList {
            own: Engines::ALL,
            abc: false,
            external: false,
        }
    }

    /// Whether the list is the default one.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == EngineList::usual()
    }
}

impl fmt::Display for EngineList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = ENGINES.iter().filter(|(_, is_used)| is_used(&self.own));
        let own = own.map(|(word, _)| *word);
        let others = [("abc", self.abc), ("external", self.external)];
        let others = others.iter().filter(|(_, is_used)| *is_used);
        let words: Vec<&str> = own.chain(others.map(|(word, _)| *word)).collect();
        f.write_str(&words.join(","))
    }
}

impl FromStr for EngineList {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineList, String> {
        let mut engines = EngineList {
            own: Engines::NONE,
            abc: false,
            external: false,
        };
        for name in text.split(',').map(str::trim) {
            match name {
                "pairs" => engines.own.pairs = true,
                "simulation" => engines.own.simulation = true,
                "bmc" => engines.own.bmc = true,
                "induction" | "k-induction" => engines.own.induction = true,
                "pdr" | "ic3" => engines.own.pdr = true,
                "family" => engines.own.family = true,
                "exists-forall" => engines.own.exists_forall = true,
                "explicit" | "subsets" | "game" => engines.own.explicit = true,
                "diagrams" | "bdd" => engines.own.diagrams = true,
                "abc" => engines.abc = true,
                "external" => engines.external = true,
                "strategy" => {
                    return Err(format!(
                        "engine `{name}` comes later; there are {}",
                        EngineList::ALL
                    ));
                }
                _ => {
                    return Err(format!(
                        "there is no engine `{name}`, only {} and {}",
                        EngineList::ALL,
                        EngineList::OTHERS
                    ));
                }
            }
        }
        Ok(engines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_durations_or_none() {
        assert_eq!("none".parse(), Ok(Limit(None)));
        assert_eq!("90s".parse(), Ok(Limit(Some(Duration::from_secs(90)))));
        assert!("soon".parse::<Limit>().is_err());
    }

    #[test]
    fn memory_is_written_with_units_of_1024() {
        for (text, bytes) in [
            ("17B", Some(17)),
            ("17 b", Some(17)),
            ("3K", Some(3 << 10)),
            ("512M", Some(512 << 20)),
            ("8g", Some(8 << 30)),
            ("2 GiB", Some(2 << 30)),
            ("5MB", Some(5 << 20)),
            ("none", None),
        ] {
            assert_eq!(text.parse(), Ok(Memory(bytes)), "{text}");
        }
        for wrong in [
            "",
            "G",
            "0",
            "0G",
            "1.5G",
            "8T8",
            "-1",
            "99999999999G",
            "BB",
            "iB",
        ] {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
        for number in ["1", "8", "1000000"] {
            let error = number.parse::<Memory>().unwrap_err();
            assert!(error.contains(&format!("`{number}G`")), "{error}");
        }
    }

    #[test]
    fn the_usual_engines_are_all_that_are_built_in() {
        assert_eq!(EngineList::ALL.parse(), Ok(EngineList::usual()));
        assert_eq!(EngineList::usual().to_string(), EngineList::ALL);
    }

    #[test]
    fn engines_that_come_later_say_so() {
        let error = "bmc,strategy".parse::<EngineList>().unwrap_err();
        assert!(error.contains("comes later"), "{error}");
        let error = "bcm".parse::<EngineList>().unwrap_err();
        assert!(error.contains("no engine"), "{error}");
    }

    #[test]
    fn percentages_may_carry_their_sign() {
        assert_eq!("80%".parse(), Ok(Percent(80.0)));
        assert!("101".parse::<Percent>().is_err());
        assert!("NaN".parse::<Percent>().is_err());
    }
}
