//! Options for reading a model: options of its language, and roles.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::documents::reading::{
    BlackBox, ClockPeriod, Definition, HardwareOptions, Order, ProcessOptions, Program, Reset,
    RoleOptions,
};

/// Another program that reads a model first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Via {
    /// yosys: synthesises Verilog to a netlist, whose cells are mutated. Where the source leaves a choice (x), yosys fixes a value.
    Yosys,
}

/// Options for models of timed processes.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Timed processes")]
pub struct ProcessArgs {
    /// Process under test [default: the only process]
    #[arg(long, value_name = "NAME")]
    pub sut: Option<String>,
    /// Source of inputs for the process under test: open (any input at any time) or network (the other processes of the model) [default:
    /// open]
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Definition of refinement between mutant and model: strict, definition7, verifytga or ecdar [default: strict]
    #[arg(long, value_name = "NAME")]
    pub semantics: Option<String>,
    /// Completes unspecified inputs of the process before mutation: they change nothing (self-loop) or lead to a location without exits
    /// (sink)
    #[arg(long, value_name = "HOW")]
    pub totalise: Option<String>,
    /// Number K of changes in each mutant [default: 1]. For processes, every mutant is mutated again. For circuits, the changes are at
    /// different places; all such mutants are taken, or N of them, chosen by their ids
    #[arg(long, value_name = "K[:N]")]
    pub order: Option<Order>,
    /// Leave out mutants of higher order that the tests of this run already kill. The run must be of the same model
    #[arg(long, value_name = "DIR", requires = "order")]
    pub beyond: Option<PathBuf>,
}

impl ProcessArgs {
    /// Returns the options as a value for the documents of a run.
    pub(super) fn options(&self) -> ProcessOptions {
        ProcessOptions {
            sut: self.sut.clone(),
            environment: self.environment.clone(),
            semantics: self.semantics.clone(),
            totalise: self.totalise.clone(),
            ticks: None,
        }
    }
}

/// Options for circuits in hardware languages.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct HardwareArgs {
    /// Top module of the model [default: the module that no other module uses]
    #[arg(long, value_name = "NAME")]
    pub top: Option<String>,
    /// A folder with files to include; may be repeated
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Starts runs after STEPS clock steps (default: 1) with this input at the given value (default: 1) and all other inputs 0. After them
    /// it is an ordinary input. Without this option resets are detected; the NAME `none` turns detection off; may be repeated
    #[arg(long, value_name = "NAME[=0|1][:STEPS]")]
    pub reset: Vec<Reset>,
    /// Registers without an initial value start at 0 instead of any value
    #[arg(long)]
    pub zero_init: bool,
    /// Sets a parameter of the top module; may be repeated
    #[arg(short = 'P', long = "parameter", value_name = "NAME=VALUE")]
    pub parameter: Vec<Definition>,
    /// Treats all clocks, and both of their edges, as one clock
    #[arg(long)]
    pub one_clock: bool,
    /// A clock that ticks, in a model with several clocks; clocks that are not named never tick. With a PERIOD the clock ticks
    /// periodically, without it a test chooses the steps in which the clock ticks [default: all clocks, as a test chooses]; may be repeated
    #[arg(long, value_name = "NAME[:PERIOD]", conflicts_with = "one_clock")]
    pub clock: Vec<ClockPeriod>,
    /// Assumption: a condition over names of the top module that always holds; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// Lets another program read the model
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub via: Option<Via>,
    /// A module to replace by a black box: its outputs are choices, and its inputs are observed unless `:unobserved` is given; may be
    /// repeated
    #[arg(long, value_name = "NAME[:unobserved]")]
    pub blackbox: Vec<BlackBox>,
    /// A module to replace by an unknown function of its present inputs. The function is the same in model and mutants, and a test chooses
    /// it; may be repeated
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// A file with modules that replace missing modules, or modules of the same names. The file is not mutated; may be repeated
    #[arg(long, value_name = "FILE")]
    pub stub: Vec<PathBuf>,
}

impl HardwareArgs {
    /// Returns the options as a value for the documents of a run.
    pub(super) fn options(&self) -> HardwareOptions {
        HardwareOptions {
            top: self.top.clone(),
            include: self.include.clone(),
            reset: self.reset.clone(),
            zero_init: self.zero_init,
            parameters: self.parameter.clone(),
            one_clock: self.one_clock,
            clock: self.clock.clone(),
            assume: self.assume.clone(),
            via: self.via.map(|Via::Yosys| Program::Yosys),
            blackbox: self.blackbox.clone(),
            function: self.function.clone(),
            stub: (self.stub.iter())
                .map(|file| file.to_string_lossy().into_owned())
                .collect(),
        }
    }
}

/// Roles of signals, which override the roles in the model. Patterns are globs.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Roles")]
pub struct RoleArgs {
    /// Variables that are test inputs; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub inputs: Vec<String>,
    /// Variables that are observed, and no others; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub outputs: Vec<String>,
    /// Variables that are non-deterministic choices; takes precedence over --inputs; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub nd: Vec<String>,
    /// Latches of an AIGER file that select mutants; may be repeated
    #[arg(long = "mut", value_name = "GLOB")]
    pub selectors: Vec<String>,
}

impl RoleArgs {
    /// Returns the options as a value for the documents of a run.
    #[must_use]
    pub fn options(&self) -> RoleOptions {
        RoleOptions {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            nd: self.nd.clone(),
            selectors: self.selectors.clone(),
        }
    }
}
