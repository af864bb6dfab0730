//! Arguments of commands that start the user's programs: systems under test, and test benches for mutants.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use regex::bytes::Regex;

use super::Limit;
use super::values;

pub(super) const EXEC_HELP: &str = "\
COMMAND is started for each run of a test, without a shell. For each step it reads the inputs as a line of JSON from standard input, \
and writes the outputs as a line of JSON to standard output. The environment variables HYPERKILL_TEST and HYPERKILL_RUN have the id of \
the test and the number of the run.\n\n\
A test passes if it allows all outputs of the system, and fails if it does not. If a global test or a tree fails, the system does not \
conform to the model. A time-out, a program that ends early, and a line in another form are errors.\n\n\
Exit status 0: every test passes; 2: a test fails; 3: a test has no verdict, or an error.\n\n\
Example:\n  hyperkill exec pump.out --repeat 20 -- python3 pump.py";

/// `hyperkill exec`.
#[derive(Args, Debug)]
pub struct ExecArgs {
    /// Folder of the run; with --suite also the files of a model
    #[arg(value_name = "DIR|MODEL", default_value = crate::run_folder::DEFAULT)]
    pub of: Vec<PathBuf>,
    /// Suite to run in place of the run's own, for the same model
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Model file that has moved since the run; once for each file of the model, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Run only this test, by id; may be repeated
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,
    /// Number of runs per test; a nondeterministic system may pass once and fail later
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::positive)]
    pub repeat: usize,
    /// Start COMMAND once for all tests (once per thread of --jobs), and reset it for each run
    ///
    /// Before each run the program receives the line "reset", with the quotes, and answers with the same line.
    #[arg(long)]
    pub reset: bool,
    /// Time limit for one answer, or `none`
    #[arg(long, value_name = "DUR", default_value = "10s")]
    pub step_timeout: Limit,
    /// Time limit for one run of a test, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Limit,
    /// For tests with times: length of a unit, like `100ms` [default: by the name of the unit]
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub time_scale: Option<Duration>,
    /// For Uppaal models: largest delay between an output and its arrival [default: a tenth of a unit]
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub tolerance: Option<Duration>,
    /// For Uppaal models: the system has no clock, and the tester tells it how much time passes
    #[arg(long, conflicts_with_all = ["time_scale", "tolerance"])]
    pub virtual_time: bool,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the results as JUnit, with a case for each run
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Program that connects the system; --jobs sets how many run at a time [default: 1]
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Default time limit for deciding a mutant.
const USUAL: Duration = Duration::from_secs(60);

pub(super) const SCORE_HELP: &str = "\
COMMAND is first started on the model, and must end with exit status 0. Then it is started on each mutant that can be killed. The mutant \
survives if COMMAND ends with 0, and is killed by any other status or a time-out. Mutants that are proved equivalent, duplicate or \
invalid are left out.\n\n\
COMMAND is started without a shell. In its words, {mutant} is the mutated file, {id} the mutant, and {folder} a new folder with all \
files of the model, including the mutated one. Let a bench write its files into {folder} if --jobs starts several at a time.\n\n\
With --suite the tests of a file are scored instead. The file is a suite of hyperkill, inputs as CSV, a waveform (VCD), or a walk \
through a GraphWalker model, as `altwalker offline` or `gw offline` writes it. A CSV file has a column for each input, a row for each \
step, and an empty line between tests. For a folder of walks, all of them are scored.\n\n\
Exit status 0: every mutant is killed; 2: a mutant survives; 3: a mutant is undecided.\n\n\
Example:\n  hyperkill score uart.out -- sh -c 'iverilog -o {folder}/sim my_bench.v {mutant} && vvp -N {folder}/sim'";

/// `hyperkill score`.
#[derive(Args, Debug)]
pub struct ScoreArgs {
    /// Folder of the run; or a model, which is first run with default options into hyperkill.out
    #[arg(value_name = "DIR|MODEL", default_value = crate::run_folder::DEFAULT)]
    pub of: PathBuf,
    /// Model file that has moved since the run; once for each file of the model, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// File with the tests to score, instead of a command
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub suite: Option<PathBuf>,
    /// For waveforms (--suite FILE.vcd): scope of the inputs, like `tb.dut`, if several scopes have them
    #[arg(long, value_name = "PATH", requires = "suite")]
    pub scope: Option<String>,
    /// Score the properties of the model (INVARSPEC, assertions) instead of a command
    ///
    /// A mutant is killed if it violates a property.
    #[arg(long, conflicts_with_all = ["command", "suite"])]
    pub specs: bool,
    /// Only this mutant, by id or a unique prefix of its id; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Time limit per mutant, or `none` [default: 60s; for a command by its time on the model]
    ///
    /// A command that exceeds the limit kills the mutant. The default for a command is five times its time on the model, and at least 5s.
    #[arg(long, visible_alias = "bench-timeout", value_name = "DUR")]
    pub timeout: Option<Limit>,
    /// A matching line in the output of the command kills the mutant, with any exit status
    #[arg(long, value_name = "REGEX")]
    pub fail_on: Option<Regex>,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the kill matrix as CSV: a row per mutant, a column per test, property or command
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,
    /// Command with exit status 0 for survivors; --jobs sets how many run at a time [default: 1]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl ScoreArgs {
    /// Returns the time limit for a mutant that is decided, rather than given to the user's command; `None`: unlimited.
    #[must_use]
    pub fn time_to_decide(&self) -> Option<Duration> {
        self.timeout.map_or(Some(USUAL), |limit| limit.0)
    }
}
