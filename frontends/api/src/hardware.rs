//! The interface of a clocked circuit, as a simulator needs it.
//!
//! In a step the inputs are set. The outputs are read when they are stable, and then the clocks of this step tick together.

use hyperkill_core::sort::Value;

/// The pins of a circuit. Names and values of test inputs and outputs are those of the translated model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hardware {
    /// The name of the top module.
    pub top: String,
    /// The parameters that were set, with their values as source text.
    pub parameters: Vec<(String, String)>,
    /// The clocks, in the order of the inputs; empty if there is no state.
    pub clocks: Vec<Clock>,
    /// The resets before the first step of a run.
    pub resets: Vec<Reset>,
    /// All input ports but the clocks, in declaration order.
    pub inputs: Vec<Pin>,
    /// The output ports of the circuit.
    pub outputs: Vec<Pin>,
    /// The internal signals that are observed, as paths below the top module.
    pub probes: Vec<Pin>,
    /// Registers with an initial value in the model and none in the source (`--zero-init`).
    pub deposits: Vec<Deposit>,
    /// Registers that have any value in the model at the start of a run, after the resets.
    pub free: Vec<FreeRegister>,
    /// Names of registers that would be in `free` or `deposits`, but have no hierarchical name.
    pub unnamed: Vec<String>,
}

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The name of the clock's input port.
    pub port: String,
    /// Whether registers change at the rising edge; with both edges, whether the first edge rises.
    pub rising: bool,
    /// Whether registers change at both edges. Then a tick is one edge, alternately rising and falling; otherwise it is a pulse.
    pub both_edges: bool,
    /// The steps in which the clock ticks.
    pub ticks: Ticks,
}

/// The steps in which a clock ticks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ticks {
    /// The clock ticks in all steps.
    Always,
    /// The steps in which the test input with the name of the clock is 1.
    Chosen,
    /// The clock ticks in no step.
    Never,
    /// By a periodic schedule: whether it ticks in each step of a period. All clocks have the same period, and all tick in the first step.
    Round(Vec<bool>),
}

impl Clock {
    /// Returns a clock that ticks in every step, by one of its edges.
    #[must_use]
    pub fn of_every_step(port: impl Into<String>, rising: bool) -> Clock {
        Clock {
            port: port.into(),
            rising,
            both_edges: false,
            ticks: Ticks::Always,
        }
    }

    /// Whether the clock ticks at the end of a step with this number, from 0, and these inputs.
    #[must_use]
    pub fn is_ticking(&self, step: usize, inputs: &[(String, Value)]) -> bool {
        match &self.ticks {
            Ticks::Always => true,
            Ticks::Never => false,
            Ticks::Round(round) => round.get(step % round.len().max(1)) == Some(&true),
            Ticks::Chosen => {
                let mut inputs = inputs.iter();
                inputs.any(|(name, value)| *name == self.port && *value == Value::Int(1))
            }
        }
    }
}

impl Hardware {
    /// Whether every clock ticks in every step by one of its edges, so that one signal can drive all.
    #[must_use]
    pub fn ticks_as_one(&self) -> bool {
        let mut clocks = self.clocks.iter();
        clocks.all(|clock| clock.ticks == Ticks::Always && !clock.both_edges)
    }

    /// Returns the number of ticks of all active clocks in one step of a reset. It is two if one of them has both edges, so that this clock
    /// is 0 afterwards.
    #[must_use]
    pub fn ticks_of_a_reset(&self) -> usize {
        let both = |clock: &Clock| clock.both_edges && clock.ticks != Ticks::Never;
        1 + usize::from(self.clocks.iter().any(both))
    }
}

/// A reset before the first step. All other inputs are 0 meanwhile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reset {
    /// The input port, one bit.
    pub port: String,
    /// The active level: `true` if 1 resets.
    pub active: bool,
    /// The length in clock steps.
    pub steps: usize,
}

/// A port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pin {
    /// The name of the port.
    pub name: String,
    /// The number of bits of the port.
    pub width: usize,
}

/// Consecutive bits of a register that start with any value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeRegister {
    /// The hierarchical name below the top module, with the bits, in the notation of the language.
    pub path: String,
    /// The variable of the translated system with their values.
    pub state: String,
    /// The lowest of the bits in the variable.
    pub low: usize,
    /// The number of bits.
    pub width: usize,
}

/// A register and its initial value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deposit {
    /// The hierarchical name below the top module in the notation of the language: names with dots between them, and possibly bits at the
    /// end.
    pub path: String,
    /// Value of each bit, least significant first.
    pub bits: Vec<bool>,
}
