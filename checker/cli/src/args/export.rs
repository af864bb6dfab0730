//! Arguments of `hyperkill export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hyperkill_run::reading::ModelSpec;

use super::reading::{HardwareArgs, ProcessArgs, RoleArgs};
use super::{ModelArgs, Undefined};
use crate::documents::reading::{Definition, IntegerRange};

/// Formats of exported suites.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExportFormat {
    /// An SMV file for each test: the model with a monitor that replays the test.
    Smv,
    /// A Verilog file, `testbench.v`, that runs all tests and reports which of them pass.
    VerilogTestbench,
    /// Tests for cocotb, `hyperkill_tests.py`, and a program that runs each test in a simulation of its own, `runner.py`.
    Cocotb,
    /// Passive SystemVerilog assertions, `hyperkill_checks.sv`: outputs are correct whenever inputs match a test.
    Sva,
    /// A waveform file for each test, with inputs and expected outputs.
    Vcd,
    /// A table of all tests, `tests.csv`, as `score --suite` reads it.
    Csv,
    /// The model as an AIGER file, `model.aag`, and for each test the bits of its inputs.
    AigerStimulus,
    /// A file for each test of a GraphWalker model: the steps of a walk, for `altwalker walk`.
    Altwalker,
    /// An XML file for each timed test, for Uppaal: the model, a tester that ends in PASS, FAIL or INCONCLUSIVE, and queries.
    Uppaal,
}

/// `hyperkill export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Folder of the run; for one more release also a suite, followed by the files of the model
    #[arg(value_name = "DIR", default_value = crate::run_folder::DEFAULT)]
    pub dir: PathBuf,
    /// Files of the model, after a suite
    #[arg(value_name = "MODEL", hide = true)]
    pub files: Vec<PathBuf>,
    /// Suite to export in place of the run's own, for the same model
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// File to read in place of the run's copy of a model file; once for each file, in their order
    #[arg(long, value_name = "FILE")]
    pub model: Vec<PathBuf>,
    /// Options of reading the model. The run records them; they must not differ if given.
    #[command(flatten)]
    pub options: ExportOptions,
    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// Export only this test; may be repeated
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,
    /// Output folder
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Options of reading a model, for suites that do not record them.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Model (the run records these options; other values are refused)")]
pub struct ExportOptions {
    /// Language of the model
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Constant of the model that the run set, or macro; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<Definition>,
    /// Options of circuits.
    #[command(flatten)]
    pub hardware: HardwareArgs,
    /// Options of timed processes.
    #[command(flatten)]
    pub process: ProcessArgs,
    /// Model and mutants ignore inputs without a step
    #[arg(long)]
    pub complete: bool,
    /// Observed parts of a model with events: outputs, state or transition
    #[arg(long, value_name = "WHAT")]
    pub observe: Option<String>,
    /// Range of an integer without bounds in a GraphWalker model; may be repeated
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub range: Vec<IntegerRange>,
    /// Roles of signals.
    #[command(flatten)]
    pub roles: RoleArgs,
}

impl ExportOptions {
    /// Returns how to read the model in these files: the files and the options.
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
