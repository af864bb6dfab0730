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
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub span: Span,
    /// Whether the file marks it as the top of the design.
    pub is_top: bool,
    /// Inputs and outputs.
    pub ports: Vec<Port>,
    /// What it is made of.
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

/// Who drives a port.
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
    /// Its name.
    pub name: String,
    /// Who drives it.
    pub direction: Direction,
    /// Its nets.
    pub bits: Vec<Bit>,
    /// Where it is declared.
    pub span: Span,
}

/// A connection of a cell, least significant bit first.
#[derive(Clone, Debug, Default)]
pub struct Pin {
    /// Its name.
    pub name: String,
    /// What it is connected to.
    pub bits: Vec<Bit>,
    /// Where each bit is written.
    pub spans: Vec<Span>,
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name; of BLIF gates that of what they drive.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// What it reads; which pins these are is up to [`Kind`].
    pub inputs: Vec<Pin>,
    /// What it drives. None, or one pin.
    pub outputs: Vec<Pin>,
    /// The whole of it in the text.
    pub span: Span,
    /// Whether it is mutated.
    pub mutable: bool,
}

/// What a cell does.
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
    /// What it is connected to.
    pub bit: Bit,
    /// Whether registers change when it rises; `None`: the file does not say.
    pub rising: Option<bool>,
}

/// A reset of registers.
#[derive(Clone, Debug)]
pub struct ResetPin {
    /// Index of the pin.
    pub pin: usize,
    /// What resets.
    pub active: bool,
    /// To what.
    pub value: Vec<bool>,
}

/// A module used in another one.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Name of the module.
    pub module: String,
    /// Its connections by port.
    pub pins: Vec<Pin>,
    /// Where it is.
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
