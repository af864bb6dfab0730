//! Netlists of all languages: modules of cells that are connected by nets of one bit.
//!
//! This is data only. Every bit of every pin has its place in the text, so that mutants can be written there.

use hyperkill_frontend::Span;

use crate::function::Function;

/// All modules of a model.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The modules, in the order of the files.
    pub modules: Vec<Module>,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The name of the module.
    pub name: String,
    /// The place at which the module begins.
    pub span: Span,
    /// Whether the file marks it as the top of the design.
    pub is_top: bool,
    /// The inputs and outputs of the module.
    pub ports: Vec<Port>,
    /// The cells of the module.
    pub cells: Vec<Cell>,
    /// The instances of other modules in the module.
    pub instances: Vec<Instance>,
    /// The names of all nets; [`Bit::Net`] is an index into them.
    pub nets: Vec<String>,
}

/// One bit of a pin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bit {
    /// The constant 0 or 1.
    Constant(bool),
    /// Undefined: `x`, `z`, or unconnected.
    Unknown,
    /// A net of the module.
    Net(usize),
}

/// The driver of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The environment drives the port: it is an input.
    Input,
    /// The module drives the port: it is an output.
    Output,
}

/// A port of a module, least significant bit first.
#[derive(Clone, Debug)]
pub struct Port {
    /// The name of the port.
    pub name: String,
    /// The side that drives the port.
    pub direction: Direction,
    /// The nets or constants of the port's bits.
    pub bits: Vec<Bit>,
    /// The place of the port's declaration.
    pub span: Span,
}

/// A connection of a cell, least significant bit first.
#[derive(Clone, Debug, Default)]
pub struct Pin {
    /// The name of the pin.
    pub name: String,
    /// The nets or constants that the pin's bits are connected to.
    pub bits: Vec<Bit>,
    /// The place of each bit of the pin.
    pub spans: Vec<Span>,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The name. A BLIF gate has the name of its output.
    pub name: String,
    /// The kind of the cell.
    pub kind: Kind,
    /// The inputs. [`Kind`] determines the pins.
    pub inputs: Vec<Pin>,
    /// The output: one pin, or none.
    pub outputs: Vec<Pin>,
    /// The place of the complete cell.
    pub span: Span,
    /// Whether the cell has mutants.
    pub mutable: bool,
}

/// The kind of a cell.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Combinational logic.
    Function(Function),
    /// State. The pins are D, and those of enable and resets, if there are any.
    Register(Register),
    /// An assumption: it holds at every step at which the second pin is 1.
    Assume,
    /// An assertion: it must hold at every step at which the second pin is 1.
    Assert,
    /// A choice at every step.
    AnySequence,
    /// A choice that is constant during a run.
    AnyConstant,
}

/// A word of flip-flops.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// The clock; `None`: the register changes at every step of the only clock.
    pub clock: Option<ClockPin>,
    /// The enable pin, and its active level.
    pub enable: Option<(usize, bool)>,
    /// The synchronous reset of the register, if it has one.
    pub synchronous: Option<ResetPin>,
    /// Whether the enable has priority over the synchronous reset.
    pub enable_first: bool,
    /// The asynchronous reset of the register, if it has one.
    pub asynchronous: Option<ResetPin>,
    /// The initial value of each bit, if given.
    pub init: Vec<Option<bool>>,
}

/// A clock of registers.
#[derive(Clone, Copy, Debug)]
pub struct ClockPin {
    /// The net or constant that the clock pin is connected to.
    pub bit: Bit,
    /// Whether registers change at the rising edge; `None` if the file does not say.
    pub rising: Option<bool>,
}

/// A reset of registers.
#[derive(Clone, Debug)]
pub struct ResetPin {
    /// The index of the reset pin.
    pub pin: usize,
    /// The level at which the reset is active.
    pub active: bool,
    /// The value of each bit after a reset.
    pub value: Vec<bool>,
}

/// A module used in another one.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The name of the instance.
    pub name: String,
    /// The name of the module that it instantiates.
    pub module: String,
    /// The connections of the instance by port.
    pub pins: Vec<Pin>,
    /// The place of the instance.
    pub span: Span,
}

impl Cell {
    /// Returns the register, if the cell is one.
    #[must_use]
    pub fn register(&self) -> Option<&Register> {
        match &self.kind {
            Kind::Register(register) => Some(register),
            _ => None,
        }
    }

    /// Whether each bit of the output depends only on the same bit of the operands, and on the select of a multiplexer.
    #[must_use]
    pub fn is_bitwise(&self) -> bool {
        match &self.kind {
            Kind::Function(function) => function.is_bitwise(),
            _ => false,
        }
    }
}
