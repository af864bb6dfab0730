//! Commands that start the user's programs: systems that tests run on, and benches for mutants.

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
    /// Another suite of the same model than that of the run
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Where a file of the model is now, if not where the run found it; once for each of them, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Only this test, by id; may be repeated
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,
    /// Run each test so many times: a system that chooses may pass once and fail later
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::positive)]
    pub repeat: usize,
    /// Start COMMAND once for all tests (for each of --jobs): it is sent the line "reset", with the quotes, before each, and answers
    /// with the same line
    #[arg(long)]
    pub reset: bool,
    /// Time for one answer, or `none`
    #[arg(long, value_name = "DUR", default_value = "10s")]
    pub step_timeout: Limit,
    /// Time for one run of a test, or `none`
    #[arg(long, value_name = "DUR", default_value = "60s")]
    pub timeout: Limit,
    /// Of tests with times: how long a unit lasts, if not as long as its name says
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub time_scale: Option<Duration>,
    /// Of tests at moments: an output is read at most so long after the system has made it; a tenth of a unit, if nothing is said
    #[arg(long, value_name = "DUR", value_parser = values::duration)]
    pub tolerance: Option<Duration>,
    /// Of tests at moments: the system has no clock, and is told how much time passes
    #[arg(long, conflicts_with_all = ["time_scale", "tolerance"])]
    pub virtual_time: bool,
    /// Time for everything, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the results as JUnit has them, with a case for each run
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// What speaks for the system. --jobs says how many are started at a time, 1 unless it is said
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Time for a mutant, if nothing is said.
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
    /// Folder of the run; or a model, which is then run before, with the usual options, into the usual folder
    #[arg(value_name = "DIR|MODEL", default_value = crate::run_folder::DEFAULT)]
    pub of: PathBuf,
    /// Where a file of the model is now, if not where the run found it; once for each of them, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// The tests whose kills are wanted, instead of a command
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub suite: Option<PathBuf>,
    /// Of waveforms (--suite FILE.vcd): the scope that has the inputs, if there are several, like `tb.dut`
    #[arg(long, value_name = "PATH", requires = "suite")]
    pub scope: Option<String>,
    /// The properties that the model states itself (INVARSPEC, assertions), instead of a command: which mutants break one?
    #[arg(long, conflicts_with_all = ["command", "suite"])]
    pub specs: bool,
    /// Only this mutant, by id or a unique start of it; may be repeated
    #[arg(long, value_name = "ID")]
    pub mutant: Vec<String>,
    /// Time for each mutant, or `none`. A command that has not ended by then has noticed the mutant [default: 60s; for a command five
    /// times as long as it takes for the model, and 5s at least]
    #[arg(long, visible_alias = "bench-timeout", value_name = "DUR")]
    pub timeout: Option<Limit>,
    /// The command also notices a mutant by a line of its output that this matches, whatever its exit status is
    #[arg(long, value_name = "REGEX")]
    pub fail_on: Option<Regex>,
    /// Time for everything, reading the model included, or `none`
    #[arg(long, value_name = "DUR", default_value = "none")]
    pub total_timeout: Limit,
    /// Also write the kill matrix as CSV: a row for each mutant, a column for the command or for each test
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,
    /// What tells a mutant from the model. --jobs says how many are started at a time, 1 unless it is said
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl ScoreArgs {
    /// Time for a mutant that no command looks at.
    #[must_use]
    pub fn time_to_decide(&self) -> Option<Duration> {
        self.timeout.map_or(Some(USUAL), |limit| limit.0)
    }
}
