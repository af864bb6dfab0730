//! Arguments of commands that start the user's programs: systems under test, and test benches for mutants.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use regex::bytes::Regex;

use super::Limit;
use super::values;

pub(super) const EXEC_HELP: &str = "\
COMMAND is started for each test; no shell reads it. It gets the inputs of each step as a line of JSON on its standard \
input and answers with the outputs as a line of JSON on its standard output. It is told the test and the number of the run in the \
variables HYPERKILL_TEST and HYPERKILL_RUN.\n\n\
A pass says that nothing speaks against the system, a fail that it gave outputs that the test does not allow: for global tests \
and trees, that it does not conform to the model. Time-outs, programs that end early and other lines than agreed are errors.\n\n\
Exit status 0: every test passes; 2: one fails; 3: one has no verdict, or an error.\n\n\
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
    /// Present place of a model file, if it has moved since the run; once for each file, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Run only this test, by id; may be repeated
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,
    /// Number of runs per test; a nondeterministic system may pass once and fail later
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::positive)]
    pub repeat: usize,
    /// Start COMMAND once for all tests (once per thread of --jobs). Before each test the program receives the line "reset", with the
    /// quotes, and answers with the same line
    #[arg(long)]
    pub reset: bool,
    /// Time limit for one answer, or `none`
    #[arg(long, value_name = "DUR", default_value = "10s")]
    pub step_timeout: Limit,
    /// Time limit for one run of a test, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Limit,
    /// For tests with times: length of a unit of time [default: by the name of the unit]
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub time_scale: Option<Duration>,
    /// For tests at moments: largest delay between an output and its arrival [default: a tenth of a unit]
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub tolerance: Option<Duration>,
    /// For tests at moments: the system has no clock, and the tester tells it how much time passes
    #[arg(long, conflicts_with_all = ["time_scale", "tolerance"])]
    pub virtual_time: bool,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the results as JUnit, with a case for each run
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Program that stands for the system. --jobs sets how many run at a time, 1 by default
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Default time limit for a mutant.
const USUAL: Duration = Duration::from_secs(60);

pub(super) const SCORE_HELP: &str = "\
COMMAND is started for the source of each mutant that can be killed, and before for that of the model itself, on which it must end with \
exit status 0. On a mutant 0 means that it survives, and everything else that it is killed. A command that does not end in time has \
noticed the mutant, too. No shell reads COMMAND; in its words {mutant} is the mutated file, {folder} a folder of its own with all files \
of the model, that one mutated, and {id} the mutant. \
A bench that writes files should write them there: then --jobs may start several at a time. Mutants that are proved \
equivalent, duplicate or invalid are left out.\n\n\
With --suite it is the tests of a file whose kills are found out: a suite of ours, a CSV file with a column for each input, a row for \
each step, and an empty line between tests, or a walk through a GraphWalker model, as `altwalker offline` or `gw offline` writes it (of a \
folder, all walks).\n\n\
Exit status 0: every mutant is killed; 2: some survive; 3: it is open whether some do.\n\n\
Example:\n  hyperkill score uart.out -- sh -c 'iverilog -o {folder}/sim my_bench.v {mutant} && vvp -N {folder}/sim'";

/// `hyperkill score`.
#[derive(Args, Debug)]
pub struct ScoreArgs {
    /// Folder of the run; or a model, which is first run with default options into the default folder
    #[arg(value_name = "DIR|MODEL", default_value = crate::run_folder::DEFAULT)]
    pub of: PathBuf,
    /// Present place of a model file, if it has moved since the run; once for each file, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// File with the tests to score, instead of a command
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub suite: Option<PathBuf>,
    /// For waveforms (--suite FILE.vcd): scope of the inputs, like `tb.dut`, if several scopes have them
    #[arg(long, value_name = "PATH", requires = "suite")]
    pub scope: Option<String>,
    /// Score the properties stated in the model (INVARSPEC, assertions) instead of a command: which mutants violate one?
    #[arg(long, conflicts_with_all = ["command", "suite"])]
    pub specs: bool,
    /// Only this mutant, by id or a unique prefix of its id; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Time limit per mutant, or `none`. A command that exceeds it has noticed the mutant [default: 60s; for a command five times its
    /// time on the model, and 5s at least]
    #[arg(long, visible_alias = "bench-timeout", value_name = "DUR")]
    pub timeout: Option<Limit>,
    /// A matching line of the command's output also means that it noticed the mutant, whatever its exit status is
    #[arg(long, value_name = "REGEX")]
    pub fail_on: Option<Regex>,
    /// Time limit for the command, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the kill matrix as CSV: a row for each mutant, a column for the command or for each test
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,
    /// Command that tells a mutant from the model by its exit status. --jobs sets how many run at a time, 1 by default
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl ScoreArgs {
    /// Returns the time limit for a mutant that no command looks at.
    #[must_use]
    pub fn time_to_decide(&self) -> Option<Duration> {
        self.timeout.map_or(Some(USUAL), |limit| limit.0)
    }
}
