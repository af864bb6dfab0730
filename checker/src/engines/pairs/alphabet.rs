//! The listed input valuations, one per lane.

use hyperkill_core::sim::words::{is_set, number_bit};
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_evidence::fault::{self, Fault};

use crate::engines::valuations::Group;

/// Machine words of lanes in one evaluation.
pub(super) const WORDS: usize = 8;
/// Number of steps that one evaluation computes, one in each lane.
pub(super) const LANES: usize = 64 * WORDS;
/// A bit for each lane; lane l is bit l % 64 of word l / 64.
pub(super) type Word = [u64; WORDS];

/// The input valuations that are listed, by number: all of them, or one of each class.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// The circuit inputs, by index, that form input valuations, lowest bit first.
    pub(super) inputs: Vec<usize>,
    /// The number of bits of a valuation's number. Numbers without a class represent valuation 0 again.
    bits: usize,
    /// Whether one valuation of each class is listed, and not all.
    pub(super) is_of_classes: bool,
    /// For each input its value in each lane, which has the valuation with the lane's number modulo the number of valuations.
    values: Vec<Word>,
}

impl Alphabet {
    /// Returns the alphabet of all valuations of these circuit inputs.
    pub(super) fn all(inputs: Vec<usize>) -> Alphabet {
        let bits = inputs.len();
        let values = (0..bits).map(|bit| {
            let forgotten = fault::planted(Fault::ForgottenValuation) && bit + 1 == bits;
            if forgotten {
                [0; WORDS]
            } else {
                number_bit(0, bit)
            }
        });
        Alphabet {
            values: values.collect(),
            is_of_classes: false,
            inputs,
            bits,
        }
    }

    /// Returns the alphabet with one valuation of each class.
    pub(super) fn of_classes(group: Group) -> Alphabet {
        let bits = group.bits();
        let mut values = vec![[0; WORDS]; group.inputs.len()];
        for lane in 0..LANES {
            let class = group.class(lane & ((1 << bits) - 1));
            for (value, &bit) in values.iter_mut().zip(class) {
                value[lane / 64] |= u64::from(bit) << (lane % 64);
            }
        }
        Alphabet {
            inputs: group.inputs,
            is_of_classes: true,
            bits,
            values,
        }
    }

    /// Returns the number of valuation numbers, a power of two; some may repeat valuation 0.
    pub(super) fn len(&self) -> usize {
        1 << self.bits
    }

    /// Returns a simulation with the inputs set so that each lane has the valuation with its number.
    pub(super) fn lanes<'s>(&self, simulator: &'s Simulator) -> Lanes<'s, WORDS> {
        let mut lanes = simulator.lanes();
        for (&input, &value) in self.inputs.iter().zip(&self.values) {
            lanes.set_input(input, value);
        }
        lanes
    }

    /// Returns the circuit inputs, by index, that are 1 in the valuation with this number.
    pub(super) fn ones(&self, valuation: usize) -> impl Iterator<Item = usize> + '_ {
        let inputs = self.inputs.iter().zip(&self.values);
        inputs
            .filter(move |(_, value)| is_set(*value, valuation))
            .map(|(&input, _)| input)
    }
}
