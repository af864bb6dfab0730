//! Values of options, with messages for malformed ones.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use hyperkill_core::suite::TestKind;

/// Format of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Text for people.
    Human,
    /// JSON for programs; `hyperkill schema` prints the schemas.
    Json,
}

/// Format of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// JSON, one line per message; `hyperkill schema log` prints the schema.
    Json,
}

/// Use of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorChoice {
    /// Colours on a terminal, unless NO_COLOR is set.
    Auto,
    /// Colours in every output.
    Always,
    /// No colours.
    Never,
}

/// Results that are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Acceptance {
    /// Undecided mutants and properties.
    Unknown,
}

/// Parses a positive duration.
///
/// # Errors
/// If the text is no positive duration.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Ok(_) => Err("it must be more than 0; write it like `1s` or `10ms`".to_owned()),
        Err(error) => Err(format!("{error}; write it like `1s` or `10ms`")),
    }
}

/// Number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jobs(usize);

impl Jobs {
    /// The largest number of threads. Each thread needs a stack, and more threads than cores are no faster.
    pub const MAX_THREADS: usize = 1024;

    /// Returns a thread for each core, at most [`Jobs::MAX_THREADS`].
    #[must_use]
    pub fn of_machine() -> Jobs {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Jobs(cores.min(Jobs::MAX_THREADS))
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn count(self) -> usize {
        self.0
    }
}

impl FromStr for Jobs {
    type Err = String;

    fn from_str(text: &str) -> Result<Jobs, String> {
        match positive(text)? {
            jobs @ ..=Jobs::MAX_THREADS => Ok(Jobs(jobs)),
            _ => Err(format!("at most {} threads can be used", Jobs::MAX_THREADS)),
        }
    }
}

/// A verdict to look for, with what a kill guarantees told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum VerdictChoice {
    /// A test kills the mutant.
    Killed,
    /// A test kills the mutant, and the mutant cannot pass it.
    Definite,
    /// A test kills the mutant, and the mutant cannot pass it if the tester follows the strategy.
    Adaptive,
    /// A test kills the mutant, but the mutant may pass it.
    Potential,
    /// A test kills the mutant if choices are controlled.
    Controllable,
    /// It is proved that no test kills the mutant.
    Equivalent,
    /// It is proved that no test kills the mutant for certain.
    NotDefinitelyKillable,
    /// No output tells the mutant from the model, but it refuses inputs.
    RefusesInput,
    /// The mutant is no valid model.
    Invalid,
    /// The mutant has the same circuit as another one.
    DuplicateOf,
    /// The mutant is undecided.
    Unknown,
    /// The mutant counts for the mutation score, and no test of this run kills it for certain.
    Survived,
}

/// Returns a parser of paths that also accepts the empty path, which stands for no file.
pub(super) fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// The model of a trace of a formula.
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

/// The kind of tests to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TestChoice {
    /// Inputs and outputs, step by step. For a nondeterministic model, the outputs are those of one run; conforming systems may fail.
    Linear,
    /// As linear, with all outputs that the model may give in the state that the test has reached.
    Local,
    /// As linear, with all outputs that the model may give after the same inputs and outputs. If no run of the model accepts the next
    /// input, the test stops as inconclusive.
    Global,
    /// A strategy: the next input may depend on earlier outputs. It never gives an input that no run of the model accepts.
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

/// Parses a number of at least 1.
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
        assert!((1..=Jobs::MAX_THREADS).contains(&machine));
    }
}
