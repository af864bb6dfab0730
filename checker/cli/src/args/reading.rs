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
    /// yosys synthesises Verilog to a netlist, whose cells are mutated. Where the source leaves a choice (x), yosys fixes a value.
    Yosys,
}

/// Options for models of timed processes.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Timed processes")]
pub struct ProcessArgs {
    /// Process under test [default: the only process]
    #[arg(long, value_name = "NAME")]
    pub sut: Option<String>,
    /// Environment of the process under test: open or network [default: open]
    ///
    /// `open`: any input may come at any time. `network`: the other processes of the model give the inputs.
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Refinement relation of mutant and model: strict, definition7, verifytga or ecdar [default: strict]
    #[arg(long, value_name = "NAME")]
    pub semantics: Option<String>,
    /// Complete the inputs that the process does not accept, before mutation: self-loop or sink
    ///
    /// `self-loop` adds a transition without effect for each input that the process does not accept. `sink` leads these transitions to
    /// a new location without exits.
    #[arg(long, value_name = "HOW")]
    pub totalise: Option<String>,
    /// Number K of changes in each mutant, from 2 to 8, like `2` or `2:1000` [default: 1]
    ///
    /// For processes, every mutant is mutated again. For circuits, the changes are at different places; all such mutants are taken, or N
    /// of them, chosen by their ids.
    #[arg(long, value_name = "K[:N]")]
    pub order: Option<Order>,
    /// Leave out mutants of higher order that the tests of this run of the same model kill
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
    /// Folder with files to include; may be repeated
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Reset: start runs after STEPS clock steps with this input active; may be repeated
    ///
    /// The active value is 1 and STEPS is 1 if not given, as in `rst`, `rst_n=0` or `rst=1:4`. All other inputs are 0 during the reset.
    /// After it the input is an ordinary input. Without this option resets are inferred; `--reset none` turns that off.
    #[arg(long, value_name = "NAME[=0|1][:STEPS]")]
    pub reset: Vec<Reset>,
    /// Start registers without an initial value at 0 instead of any value
    #[arg(long)]
    pub zero_init: bool,
    /// Set a parameter of the top module, like `DEPTH=4`; may be repeated
    #[arg(short = 'P', long = "parameter", value_name = "NAME=VALUE")]
    pub parameter: Vec<Definition>,
    /// Treat all clocks, and both of their edges, as one clock
    #[arg(long)]
    pub one_clock: bool,
    /// Clock that ticks, in a model with several clocks; may be repeated [default: all clocks]
    ///
    /// Clocks that are not named never tick. With a PERIOD in units of time, like `clk:5`, the clock ticks periodically. Without a PERIOD
    /// a single named clock ticks in every step; of several, a test chooses the clocks that tick in a step.
    #[arg(long, value_name = "NAME[:PERIOD]", conflicts_with = "one_clock")]
    pub clock: Vec<ClockPeriod>,
    /// Assume that this condition over names of the top module always holds; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// Read the model with another program
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub via: Option<Via>,
    /// Module to replace by a black box, whose outputs are choices; may be repeated
    ///
    /// The inputs of the module are observed unless `:unobserved` is given, as in `pll:unobserved`.
    #[arg(long, value_name = "NAME[:unobserved]")]
    pub blackbox: Vec<BlackBox>,
    /// Module to replace by an unknown function of its present inputs; may be repeated
    ///
    /// The function is the same in model and mutants. A test chooses it.
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// File with modules for missing ones; may be repeated
    ///
    /// The modules also replace modules of the same names. The file is not mutated.
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
    /// Variables that are observed; all others are not; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub outputs: Vec<String>,
    /// Variables that are non-deterministic choices, even if --inputs names them; may be repeated
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
