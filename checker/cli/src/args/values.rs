//! Values of options, and what is said when they are malformed.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
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
}
