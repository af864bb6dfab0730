//! Which inputs can matter in a state: three-valued simulation of many states at once.
//!
//! Never misses an input that matters; may name some that do not (it does not see that x ∧ ¬x is false).

use super::{Lanes, SlotLit};
use crate::Lit;

impl<const W: usize> Lanes<'_, W> {
    /// For each input (by index in the circuit) the lanes in which it can influence one of these literals at this step, latches
    /// being as they are and all inputs unknown. Literals outside the compiled cone are not influenced.
    #[must_use]
    pub fn influence(&self, literals: impl IntoIterator<Item = Lit>) -> Vec<[u64; W]> {
        let simulator = self.simulator;
        let slots = self.values.len();
        // Which values a slot can have; everything starts as constant false.
        let mut can_be = vec![[[u64::MAX; W], [0; W]]; slots];
        for &input in simulator.inputs.iter().flatten() {
            can_be[input] = [[u64::MAX; W]; 2];
        }
        for latch in &simulator.latches {
            let value = self.values[latch.slot];
            can_be[latch.slot] = [value.map(|word| !word), value];
        }
        let read = |can_be: &[[[u64; W]; 2]], lit: SlotLit| {
            let [zero, one] = can_be[lit.slot()];
            if lit.mask() == 0 {
                [zero, one]
            } else {
                [one, zero]
            }
        };
        for (i, &[a, b]) in simulator.gates.iter().enumerate() {
            let [a0, a1] = read(&can_be, a);
            let [b0, b1] = read(&can_be, b);
            can_be[simulator.first_gate + i] = [
                std::array::from_fn(|w| a0[w] | b0[w]),
                std::array::from_fn(|w| a1[w] & b1[w]),
            ];
        }
        let mut matters = vec![[0u64; W]; slots];
        for lit in literals {
            if let Some(place) = simulator.places[lit.var().index()] {
                matters[place.slot()] = [u64::MAX; W];
            }
        }
        for (i, &[a, b]) in simulator.gates.iter().enumerate().rev() {
            let [zero, one] = can_be[simulator.first_gate + i];
            let here = matters[simulator.first_gate + i];
            let unknown: [u64; W] = std::array::from_fn(|w| here[w] & zero[w] & one[w]);
            for operand in [a, b] {
                for (word, unknown) in matters[operand.slot()].iter_mut().zip(unknown) {
                    *word |= unknown;
                }
            }
        }
        let inputs = simulator.inputs.iter();
        inputs
            .map(|input| input.map_or([0; W], |slot| matters[slot]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::Simulator;
    use crate::{Aig, Reset};

    #[test]
    fn an_input_behind_a_gate_that_the_state_closes_does_not_matter() {
        let mut aig = Aig::new();
        let (a, b) = (aig.add_input(None), aig.add_input(None));
        let state = aig.add_latch(Reset::Zero, None);
        let either = aig.ite(state, a, !b);
        aig.add_output(either, None);
        let simulator = Simulator::compile(&aig, [either]);
        let mut lanes = simulator.lanes::<1>();
        lanes.set_latch(0, [0b01]);
        let influence = lanes.influence([either]);
        assert_eq!(
            influence.iter().map(|w| w[0] & 0b11).collect::<Vec<_>>(),
            [0b01, 0b10]
        );
        assert!(lanes.influence([]).iter().all(|word| *word == [0]));
    }
}
