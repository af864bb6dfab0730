//! What a language knows of its registers, as plain data. Inputs go by whatever the language numbers them with.

use crate::source::Span;

/// Most links between an input and a register: longer chains are nobody's.
const MOST_LINKS: usize = 1000;

/// What is to be known of a circuit.
#[derive(Clone, Debug)]
pub struct Facts<Id> {
    /// Its input ports, in the order of their declaration.
    pub inputs: Vec<Input<Id>>,
    /// The edges that registers change at, in the order of the source.
    pub clocks: Vec<ClockUse<Id>>,
    /// The levels that registers are reset by at any time, in the order of the source.
    pub resets: Vec<ResetUse<Id>>,
}

/// An input port.
#[derive(Clone, Debug)]
pub struct Input<Id> {
    /// What the language numbers it with.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Where it is read as a value, as far as that is known before the circuit is built: of a clock that is refused.
    pub read: Option<Read>,
}

/// That an input is read as a value, itself or what a clock comes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// Where.
    pub place: Span,
    /// Whether it is an output that shows it.
    pub is_output: bool,
}

/// An edge that registers change at.
#[derive(Clone, Debug)]
pub struct ClockUse<Id> {
    /// Where the signal comes from.
    pub origin: Origin<Id>,
    /// What the signal is called, if it has a name.
    pub name: Option<String>,
    /// Whether registers change when the signal rises.
    pub rising: bool,
    /// A register.
    pub place: Span,
}

/// A level that registers are reset by, at any time.
#[derive(Clone, Debug)]
pub struct ResetUse<Id> {
    /// Where the signal comes from.
    pub origin: Origin<Id>,
    /// The value of the signal that resets.
    pub active: bool,
    /// A register.
    pub place: Span,
}

/// Where a signal comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin<Id> {
    /// It is an input of one bit, or the complement of one.
    Input {
        /// The input.
        id: Id,
        /// Whether it is the complement.
        inverted: bool,
    },
    /// It is one bit of a wider input.
    Bit(Id),
    /// It never changes.
    Constant,
    /// Logic or a register makes it.
    Made,
}

/// What a signal is, one link nearer to its origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link<Id, Signal> {
    /// An input of one bit.
    Input(Id),
    /// One bit of a wider input.
    Bit(Id),
    /// Another signal.
    Same(Signal),
    /// The complement of another signal.
    Inverse(Signal),
    /// A constant.
    Constant,
    /// Anything else.
    Other,
}

/// Follows a signal back to where it comes from.
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
