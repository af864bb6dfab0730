//! Netlists as both languages write them: modules of cells that are joined by nets, one bit each.
//!
//! Only data. Every bit of every pin remembers its place in the text, so that mutants can be written there.

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
    /// The name.
    pub name: String,
    /// The place of its beginning.
    pub span: Span,
    /// Whether the file marks it as the top of the design.
    pub is_top: bool,
    /// Inputs and outputs.
    pub ports: Vec<Port>,
    /// The cells.
    pub cells: Vec<Cell>,
    /// Instances of other modules.
    pub instances: Vec<Instance>,
    /// A name for every net; [`Bit::Net`] indexes them.
    pub nets: Vec<String>,
}

/// One bit of a pin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bit {
    /// The constant 0 or 1.
    Constant(bool),
    /// Neither is said: `x`, `z`, or nothing connected.
    Unknown,
    /// A net of the module.
    Net(usize),
}

/// The driver of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The world.
    Input,
    /// The module.
    Output,
}

/// A port of a module, least significant bit first.
#[derive(Clone, Debug)]
pub struct Port {
    /// The name.
    pub name: String,
    /// The driver.
    pub direction: Direction,
    /// The nets.
    pub bits: Vec<Bit>,
    /// The place of the declaration.
    pub span: Span,
}

/// A connection of a cell, least significant bit first.
#[derive(Clone, Debug, Default)]
pub struct Pin {
    /// The name.
    pub name: String,
    /// The connections.
    pub bits: Vec<Bit>,
    /// The place of each bit.
    pub spans: Vec<Span>,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The name. A BLIF gate has the name of its output.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// The inputs. [`Kind`] determines the pins.
    pub inputs: Vec<Pin>,
    /// The output: one pin, or none.
    pub outputs: Vec<Pin>,
    /// The place of the complete cell.
    pub span: Span,
    /// Whether it is mutated.
    pub mutable: bool,
}

/// The kind of a cell.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Combinational logic.
    Function(Function),
    /// State. The pins: D, and those of enable and resets, if there are some.
    Register(Register),
    /// A condition that must hold at every step if the second pin is 1.
    Assume,
    /// A condition that is hoped to hold if the second pin is 1.
    Assert,
    /// A choice at every step.
    AnySequence,
    /// A choice that stays.
    AnyConstant,
}

/// A word of flip-flops.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// The clock; none: every step of the only clock there is.
    pub clock: Option<ClockPin>,
    /// Pin with the enable, and what enables.
    pub enable: Option<(usize, bool)>,
    /// Reset at a clock step.
    pub synchronous: Option<ResetPin>,
    /// Whether the enable comes before the synchronous reset.
    pub enable_first: bool,
    /// Reset at any time.
    pub asynchronous: Option<ResetPin>,
    /// Value of each bit at the start, as far as it is said.
    pub init: Vec<Option<bool>>,
}

/// A clock of registers.
#[derive(Clone, Copy, Debug)]
pub struct ClockPin {
    /// The connection.
    pub bit: Bit,
    /// Whether registers change when it rises; `None`: the file does not say.
    pub rising: Option<bool>,
}

/// A reset of registers.
#[derive(Clone, Debug)]
pub struct ResetPin {
    /// Index of the pin.
    pub pin: usize,
    /// The active level.
    pub active: bool,
    /// To what.
    pub value: Vec<bool>,
}

/// A module used in another one.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The name.
    pub name: String,
    /// Name of the module.
    pub module: String,
    /// The connections by port.
    pub pins: Vec<Pin>,
    /// The place.
    pub span: Span,
}

impl Cell {
    /// Whether it is state.
    #[must_use]
    pub fn register(&self) -> Option<&Register> {
        match &self.kind {
            Kind::Register(register) => Some(register),
            _ => None,
        }
    }

    /// Whether each bit of the output depends on nothing but the same bit of the operands, and the select of a multiplexer.
    #[must_use]
    pub fn is_bitwise(&self) -> bool {
        match &self.kind {
            Kind::Function(function) => function.is_bitwise(),
            _ => false,
        }
    }
}
