//! Circuits that repeat a given lasso: a counter of its steps, and functions of the counter.

use hyperkill_core::aig::Reset;
use hyperkill_core::{Aig, Lit};

/// A given trace whose values replace the inputs, and possibly the latches, of a copy.
#[derive(Clone, Debug)]
pub struct Driven {
    /// The inputs of the model, per step.
    pub inputs: Vec<Vec<bool>>,
    /// The latches of the model before each step.
    pub states: Vec<Vec<bool>>,
    /// Whether latches and inputs shared with other copies are driven too, as for given traces that the other copies answer. Otherwise only
    /// free first values are driven, and inputs that no other copy shares.
    pub drives_all: bool,
}

/// Adds a counter that runs through the `length` steps of a lasso, and then repeats the steps from `back` on. Returns for each step the
/// literal "the counter is at this step".
pub(crate) fn counter(aig: &mut Aig, length: usize, back: usize) -> Vec<Lit> {
    let width = (usize::BITS - (length - 1).leading_zeros()) as usize;
    let first = aig.latches().len();
    let bits: Vec<Lit> = (0..width)
        .map(|_| aig.add_latch(Reset::Zero, None))
        .collect();
    let is_at = |aig: &mut Aig, value: usize| {
        let bits = bits.iter().enumerate();
        let same: Vec<Lit> = bits.map(|(i, &bit)| bit ^ (value >> i & 1 == 0)).collect();
        aig.and_all(&same)
    };
    let at: Vec<Lit> = (0..length).map(|value| is_at(aig, value)).collect();
    let next = |value: usize| if value + 1 < length { value + 1 } else { back };
    for bit in 0..width {
        let into: Vec<Lit> = (0..length)
            .filter(|&value| next(value) >> bit & 1 == 1)
            .map(|value| at[value])
            .collect();
        let lit = aig.or_all(&into);
        aig.set_next(first + bit, lit);
    }
    at
}

/// Returns a literal that is true at the steps for which `values` is true. `at` has for each step the literal "the counter is at this
/// step".
pub(crate) fn among(aig: &mut Aig, at: &[Lit], values: &[bool]) -> Lit {
    let ones = values.iter().filter(|&&value| value).count();
    let wanted = ones * 2 <= values.len();
    let chosen = at.iter().zip(values).filter(|&(_, &value)| value == wanted);
    let chosen: Vec<Lit> = chosen.map(|(&at, _)| at).collect();
    aig.or_all(&chosen) ^ !wanted
}
