//! Values of options, and what is said when they are malformed.

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
