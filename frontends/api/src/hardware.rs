//! A clocked circuit seen from outside: what it takes to drive one in a simulator.
//!
//! In a step the inputs are set, the outputs are read when they have settled, and then the clock ticks once.

/// The pins of a circuit. Names and values of test inputs and outputs are those of the translated model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hardware {
    /// Name of the top module.
    pub top: String,
    /// Its parameters that were set, with their values as source text.
    pub parameters: Vec<(String, String)>,
    /// The clock, unless there is no state; several that tick as one.
    pub clocks: Vec<Clock>,
    /// What happens before the first step of a run.
    pub resets: Vec<Reset>,
    /// Input ports besides the clock, in declaration order, test inputs or not.
    pub inputs: Vec<Pin>,
    /// Output ports.
    pub outputs: Vec<Pin>,
    /// What is observed inside: paths below the top module.
    pub probes: Vec<Pin>,
    /// Registers that have an initial value in the model and none in the source (`--zero-init`).
    pub deposits: Vec<Deposit>,
    /// Registers that start a run with any value in the model, after the resets.
    pub free: Vec<FreeRegister>,
    /// Registers among these that cannot be named from outside.
    pub unnamed: Vec<String>,
}

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The input port.
    pub port: String,
    /// Whether registers change when it rises.
    pub rising: bool,
}

/// A reset: all other inputs are 0 meanwhile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reset {
    /// The input port, one bit.
    pub port: String,
    /// Whether 1 resets.
    pub active: bool,
    /// Clock steps.
    pub steps: usize,
}

/// A port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pin {
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: usize,
}

/// Bits in a row of a register that start with any value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeRegister {
    /// Path below the top module, the bits included, as the language writes it.
    pub path: String,
    /// The variable of the translated system that holds them.
    pub state: String,
    /// The lowest of them there.
    pub low: usize,
    /// How many they are.
    pub width: usize,
}

/// A register and its initial value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deposit {
    /// Path below the top module as the language writes it: names with dots between them, perhaps bits at the end.
    pub path: String,
    /// Value of each bit, least significant first.
    pub bits: Vec<bool>,
}
