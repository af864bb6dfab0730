//! Values of options, and what is said when they are malformed.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use hyperkill_checker::schedule::Engines;
use hyperkill_core::suite::TestKind;

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// For programs; described by `hyperkill schema`.
    Json,
}

/// How messages are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A line of JSON for each; described by `hyperkill schema log`.
    Json,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What may stay undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Acceptance {
    /// What is undecided.
    Unknown,
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

/// A length of time that is not nothing.
///
/// # Errors
/// If the text says none.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) => Err("a unit lasts some time; write it like `1s` or `10ms`".to_owned()),
        Err(error) => Err(format!("{error}; write it like `1s` or `10ms`")),
    }
}

/// Threads to work with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jobs(usize);

impl Jobs {
    /// The most threads that can be asked for. Each has a stack, and more of them than cores only share what there is.
    pub const MOST: usize = 1024;

    /// As many as there are cores.
    #[must_use]
    pub fn of_machine() -> Jobs {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Jobs(cores.min(Jobs::MOST))
    }

    /// How many.
    #[must_use]
    pub fn count(self) -> usize {
        self.0
    }
}

impl FromStr for Jobs {
    type Err = String;

    fn from_str(text: &str) -> Result<Jobs, String> {
        match positive(text)? {
            jobs @ ..=Jobs::MOST => Ok(Jobs(jobs)),
            _ => Err(format!("at most {} threads can be used", Jobs::MOST)),
        }
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
                "{number} of what? Write `{number}G`, `{number}M`, `{number}K` (units of 1024) or `{number}B` for bytes"
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

/// A verdict to look for, with what a kill guarantees told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum VerdictChoice {
    /// A test exists.
    Killed,
    /// A test exists, and the mutant cannot pass it.
    Definite,
    /// A test exists that the mutant cannot pass if the tester follows it.
    Adaptive,
    /// A test exists that the mutant may pass.
    Potential,
    /// A test exists if choices are controlled.
    Controllable,
    /// Proved: no test exists.
    Equivalent,
    /// Proved: no test kills it for certain.
    NotDefinitelyKillable,
    /// No output tells it from the model, but it refuses inputs.
    RefusesInput,
    /// No model at all.
    Invalid,
    /// The same circuit as another mutant.
    DuplicateOf,
    /// Undecided.
    Unknown,
    /// It counts for the mutation score, and no test of this run kills it for certain.
    Survived,
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

/// `NAME=VALUE`, or `NAME` alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The constant.
    pub name: String,
    /// Its new value, as source text; `None` if nothing but the name is said.
    pub value: Option<String>,
}

impl Definition {
    /// The name and the value, if one is said.
    ///
    /// # Errors
    /// How to say it.
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

/// `NAME=LOW..HIGH`: the range of an integer that has none.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// Paths, the empty one included, which stands for none.
pub(super) fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// The model that a trace of a formula is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemFile {
    /// The trace variable.
    pub trace: String,
    /// The file of the model.
    pub file: PathBuf,
}

impl FromStr for SystemFile {
    type Err = String;

    fn from_str(text: &str) -> Result<SystemFile, String> {
        match text.split_once('=') {
            Some((trace, file)) if !trace.is_empty() && !file.is_empty() => Ok(SystemFile {
                trace: trace.to_owned(),
                file: PathBuf::from(file),
            }),
            _ => Err("expected a trace variable and a file, as in `p=model.smv`".to_owned()),
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

/// `NAME[=0|1][:STEPS]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reset {
    /// The input.
    pub name: String,
    /// Whether 1 resets, if said.
    pub active: Option<bool>,
    /// Clock steps, if said.
    pub steps: Option<usize>,
}

impl Reset {
    /// The most steps that can be asked for: the model is unrolled so often.
    pub const MOST_STEPS: usize = 64;

    /// Whether it says that there is no reset but those that are named.
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

/// The engines to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineList {
    /// Those that are built in.
    pub own: Engines,
    /// ABC, where it is installed.
    pub abc: bool,
    /// The programs of `--external`, which are asked anyway: for lists without any engine of our own.
    pub external: bool,
}

impl EngineList {
    /// All that are built in, as one writes them.
    pub const ALL: &str =
        "pairs,simulation,bmc,induction,pdr,family,exists-forall,explicit,diagrams";
    /// Whether these are the engines that are asked if nobody names any.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        EngineList::ALL.parse() == Ok(*self)
    }

    /// Those that are other programs.
    const OTHERS: &str = "abc, external";
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

/// What kind of tests to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TestChoice {
    /// Inputs and outputs, step by step. Of a model that chooses these are the outputs of one run, and systems that conform fail.
    Linear,
    /// With the outputs that the model may give instead, in the state that the test has brought it to.
    Local,
    /// With the outputs that the model may give instead, after the same inputs and outputs; where no run of the model
    /// accepts the next input the test stops, inconclusive.
    Global,
    /// A strategy: the next input may depend on the outputs seen. It offers none that no run of the model accepts.
    Tree,
}

impl From<TestChoice> for TestKind {
    fn from(choice: TestChoice) -> TestKind {
        match choice {
            TestChoice::Linear => TestKind::Linear,
            TestChoice::Local => TestKind::Local,
            TestChoice::Global => TestKind::Global,
            TestChoice::Tree => TestKind::Tree,
        }
    }
}

/// A number of at least 1.
pub(super) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
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
    fn there_are_no_more_jobs_than_a_machine_can_carry() {
        for (text, jobs) in [
            ("1", Some(1)),
            ("1024", Some(1024)),
            ("1025", None),
            ("0", None),
            ("100000000", None),
            ("99999999999999999999999", None),
            ("-1", None),
        ] {
            assert_eq!(text.parse::<Jobs>().ok().map(Jobs::count), jobs, "{text}");
        }
        let machine = Jobs::of_machine().count();
        assert!((1..=Jobs::MOST).contains(&machine));
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
