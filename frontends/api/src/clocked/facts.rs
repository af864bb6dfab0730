//! The facts of a language about its registers, as plain data. The language chooses the type of the ids of inputs.

use crate::source::Span;

/// The number of links between an input and a register that are followed, at most. Real designs have fewer.
const MOST_LINKS: usize = 1000;

/// The facts about a circuit.
#[derive(Clone, Debug)]
pub struct Facts<Id> {
    /// The input ports, in declaration order.
    pub inputs: Vec<Input<Id>>,
    /// The edges that registers change at, in the order of the source.
    pub clocks: Vec<ClockUse<Id>>,
    /// The levels of asynchronous resets of registers, in the order of the source.
    pub resets: Vec<ResetUse<Id>>,
}

/// An input port.
#[derive(Clone, Debug)]
pub struct Input<Id> {
    /// The id of the input in the language.
    pub id: Id,
    /// The name of the input.
    pub name: String,
    /// The number of bits of the input.
    pub width: usize,
    /// A place where the input is read as a value, as far as known before the circuit is built. It is needed to refuse a clock.
    pub read: Option<Read>,
}

/// A use of an input as a value, either of the input itself or of a signal that a clock passes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// The place of the use in the text.
    pub place: Span,
    /// Whether the reader is an output.
    pub is_output: bool,
}

/// An edge that registers change at.
#[derive(Clone, Debug)]
pub struct ClockUse<Id> {
    /// The origin of the signal.
    pub origin: Origin<Id>,
    /// The name of the signal, if it has one.
    pub name: Option<String>,
    /// Whether registers change when the signal rises.
    pub rising: bool,
    /// The place of a register that changes at the edge.
    pub place: Span,
}

/// The level of an asynchronous reset of a register.
#[derive(Clone, Debug)]
pub struct ResetUse<Id> {
    /// The origin of the signal.
    pub origin: Origin<Id>,
    /// The level at which the reset is active.
    pub active: bool,
    /// The place of a register with this reset.
    pub place: Span,
}

/// The origin of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<Id> {
    /// An input of one bit, or its complement.
    Input {
        /// The id of the input.
        id: Id,
        /// Whether the signal is the complement of the input.
        inverted: bool,
    },
    /// One bit of a wider input.
    Bit(Id),
    /// The signal is constant.
    Constant,
    /// The output of logic or of a register.
    Made,
}

/// The result of one step back from a signal to its driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link<Id, Signal> {
    /// An input of one bit.
    Input(Id),
    /// One bit of a wider input.
    Bit(Id),
    /// The signal equals this other one.
    Same(Signal),
    /// The signal is the complement of this other one.
    Inverse(Signal),
    /// The signal is constant.
    Constant,
    /// The signal has another driver than these.
    Other,
}

/// Traces a signal back to its origin. `link` returns the driver of a signal.
pub fn origin<Id, Signal>(
    signal: Signal,
    mut link: impl FnMut(Signal) -> Link<Id, Signal>,
) -> Origin<Id> {
    let (mut at, mut inverted) = (signal, false);
    for _ in 0..MOST_LINKS {
        at = match link(at) {
            Link::Input(id) => return Origin::Input { id, inverted },
            Link::Bit(id) => return Origin::Bit(id),
            Link::Constant => return Origin::Constant,
            Link::Other => return Origin::Made,
            Link::Same(next) => next,
            Link::Inverse(next) => {
                inverted = !inverted;
                next
            }
        };
    }
    Origin::Made
}
