//! Suites in other forms.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hyperkill_run::reading::ModelSpec;

use super::reading::{HardwareArgs, ProcessArgs, RoleArgs};
use super::{ModelArgs, Undefined};
use crate::documents::reading::{Definition, IntegerRange};

/// What a suite can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExportFormat {
    /// One SMV file for each test: the model with a monitor that replays it.
    Smv,
    /// A Verilog file, `testbench.v`, that runs all tests and says which pass.
    VerilogTestbench,
    /// Tests for cocotb, `hyperkill_tests.py`, and a program that runs each in a simulation of its own, `runner.py`.
    Cocotb,
    /// Assertions in SystemVerilog that look on, `hyperkill_checks.sv`: outputs are right whenever inputs are those of a test.
    Sva,
    /// One file of waveforms for each test: what is set and what must be seen.
    Vcd,
    /// A table of all tests, `tests.csv`, as `score --suite` reads it.
    Csv,
    /// The model as an AIGER file, `model.aag`, and for each test the bits of its inputs.
    AigerStimulus,
    /// One file for each test of a GraphWalker model: the steps of a walk, for `altwalker walk`.
    Altwalker,
    /// One XML file for each timed test, for Uppaal: the model, a tester beside it that comes to PASS, FAIL or INCONCLUSIVE, and queries.
    Uppaal,
}

/// `hyperkill export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Folder of the run; or, for one more release, its suite with the files of the model behind it
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// The files of the model, behind a suite
    #[arg(value_name = "MODEL", hide = true)]
    pub files: Vec<PathBuf>,
    /// Another suite of the same model than that of the run
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Read this file of the model in place of the run's copy; once for each of them, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// How the run read the model; nothing of it needs to be said, and nothing may be said otherwise.
    #[command(flatten)]
    pub options: ExportOptions,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// Only this test; may be repeated
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,
    /// The folder for the files
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

/// How a model was read, for suites that do not say it.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Model, as the run read it (the run's own options are taken)")]
pub struct ExportOptions {
    /// Language of the model
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// A named constant of the model that was set, or a macro
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<Definition>,
    /// How a circuit is read.
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// How timed processes are read.
    #[command(flatten)]
    pub process: ProcessArgs,
    /// Inputs that have no step are ignored
    #[arg(long)]
    pub complete: bool,
    /// What is seen of an action system
    #[arg(long, value_name = "WHAT")]
    pub observe: Option<String>,
    /// The range of an integer of a GraphWalker model
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub range: Vec<IntegerRange>,
    /// Who controls what.
    #[command(flatten)]
    pub roles: RoleArgs,
}

impl ExportOptions {
    /// The model that is meant, in these files.
    #[must_use]
    pub fn spec(&self, files: Vec<PathBuf>) -> ModelSpec {
        let ExportOptions {
            language,
            define,
            hardware,
            process,
            complete,
            observe,
            range,
            roles,
        } = self.clone();
        let args = ModelArgs {
            files,
            language,
            define,
            domain: None,
            undefined: Undefined::default(),
            hardware,
            process,
            complete,
            observe,
            range,
            roles,
        };
        args.spec()
    }
}
