//! How a model is read: options of its language, and roles.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::documents::reading::{
    BlackBox, ClockPeriod, Definition, HardwareOptions, Order, ProcessOptions, Program, Reset,
    RoleOptions,
};

/// Another program that reads a model first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Via {
    /// yosys: Verilog that it can read becomes a netlist, whose cells are mutated. Where the source leaves a choice (x), yosys makes it.
    Yosys,
}

/// How models of timed processes are read.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Timed processes")]
pub struct ProcessArgs {
    /// The process that is tested [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub sut: Option<String>,
    /// Who gives inputs to the process that is tested: open, which is anybody at any time, or network, the other processes of the model
    /// [default: open]
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// When a mutant refines the model: strict, definition7, verifytga or ecdar [default: strict]
    #[arg(long, value_name = "NAME")]
    pub semantics: Option<String>,
    /// Makes inputs that the process leaves open change nothing (self-loop) or lead to a location that nothing leaves (sink), before it is
    /// mutated
    #[arg(long, value_name = "HOW")]
    pub totalise: Option<String>,
    /// Mutants of K changes [default: 1]. Of processes every mutant is mutated again; of circuits the changes are at different places, and
    /// all such mutants are taken or N of them, chosen by their ids
    #[arg(long, value_name = "K[:N]")]
    pub order: Option<Order>,
    /// Of mutants of higher order, leave out those that the tests of this run of the same model kill: tests for mutants of one change do
    /// for them
    #[arg(long, value_name = "DIR", requires = "order")]
    pub beyond: Option<PathBuf>,
}

impl ProcessArgs {
    /// The options about timed processes.
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

/// How circuits in hardware languages are read.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct HardwareArgs {
    /// The module that is the model [default: the one that no other uses]
    #[arg(long, value_name = "NAME")]
    pub top: Option<String>,
    /// A folder with files to include; may be repeated
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Starts runs after STEPS clock steps (1 if not said) with this input active (1 if not said) and all others 0; from
    /// then on it is an input like the others. Resets are found without this, unless NAME is `none`; may be repeated
    #[arg(long, value_name = "NAME[=0|1][:STEPS]")]
    pub reset: Vec<Reset>,
    /// Registers without an initial value start at 0, not anywhere
    #[arg(long)]
    pub zero_init: bool,
    /// Sets a parameter of the module on top; may be repeated
    #[arg(short = 'P', long = "parameter", value_name = "NAME=VALUE")]
    pub parameter: Vec<Definition>,
    /// Takes all clocks, and both of their edges, for one
    #[arg(long)]
    pub one_clock: bool,
    /// Of several clocks, one that ticks; clocks that are not named never do. With a PERIOD it ticks by time, otherwise a test says in
    /// which steps it ticks [default: all clocks, as a test says]; may be repeated
    #[arg(long, value_name = "NAME[:PERIOD]", conflicts_with = "one_clock")]
    pub clock: Vec<ClockPeriod>,
    /// A condition over names of the module on top that always holds; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub assume: Vec<String>,
    /// Lets another program read the model
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub via: Option<Via>,
    /// A module whose inside is not looked at: its outputs are choices, its inputs are observed unless `:unobserved` is said; may be
    /// repeated
    #[arg(long, value_name = "NAME[:unobserved]")]
    pub blackbox: Vec<BlackBox>,
    /// A module whose inside is not looked at: its outputs are an unknown function of its present inputs, the same in model and mutants,
    /// which a test chooses; may be repeated
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// A file with modules that stand in for missing ones, or replace those of the same names; nothing in it is mutated; may be repeated
    #[arg(long, value_name = "FILE")]
    pub stub: Vec<PathBuf>,
}

impl HardwareArgs {
    /// The same as a value.
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

/// Roles against or beyond what the model says. Patterns are globs.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Roles")]
pub struct RoleArgs {
    /// Variables that are test inputs; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub inputs: Vec<String>,
    /// Only these are observed; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub outputs: Vec<String>,
    /// Variables that are non-deterministic choices; wins over --inputs; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub nd: Vec<String>,
    /// Latches of an AIGER file that select mutants; may be repeated
    #[arg(long = "mut", value_name = "GLOB")]
    pub selectors: Vec<String>,
}

impl RoleArgs {
    /// The same as a value.
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
