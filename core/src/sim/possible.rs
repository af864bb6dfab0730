//! Ternary simulation of many steps at once: the signals that can be 0, and that can be 1, while some inputs are unknown.
//!
//! The result over-approximates the possible values (it does not detect that x ∧ ¬x is false).

use super::{Simulator, SlotLit};
use crate::Lit;

/// The possible values of a compiled circuit's signals at one step, in 64·W lanes.
#[derive(Clone, Debug)]
pub struct Possible<'a, const W: usize> {
    simulator: &'a Simulator,
    /// For each slot the lanes in which it can be 0, and the lanes in which it can be 1.
    can_be: Vec<[[u64; W]; 2]>,
}

impl Simulator {
    /// Returns lanes in which all inputs are unknown and all latches 0.
    #[must_use]
    pub fn possible<const W: usize>(&self) -> Possible<'_, W> {
        let slots = self.first_gate + self.gates.len();
        let mut can_be = vec![[[u64::MAX; W], [0; W]]; slots];
        for &input in self.inputs.iter().flatten() {
            can_be[input] = [[u64::MAX; W]; 2];
        }
        Possible {
            simulator: self,
            can_be,
        }
    }
}

impl<const W: usize> Possible<'_, W> {
    /// Sets an input (by index in the circuit): the lanes in which it can be 0, and the lanes in which it can be 1. Inputs outside the cone
    /// are ignored.
    pub fn set_input(&mut self, input: usize, can_be: [[u64; W]; 2]) {
        if let Some(slot) = self.simulator.inputs[input] {
            self.can_be[slot] = can_be;
        }
    }

    /// Sets a latch (by index in the circuit) in all lanes. Latches outside the cone, or constant by variant, are ignored.
    pub fn set_latch(&mut self, latch: usize, value: [u64; W]) {
        if let Some(index) = self.simulator.latch_index[latch] {
            let slot = self.simulator.latches[index].slot;
            self.can_be[slot] = [value.map(|word| !word), value];
        }
    }

    /// Makes a latch (by index in the circuit) unknown in all lanes.
    pub fn open_latch(&mut self, latch: usize) {
        if let Some(index) = self.simulator.latch_index[latch] {
            let slot = self.simulator.latches[index].slot;
            self.can_be[slot] = [[u64::MAX; W]; 2];
        }
    }

    /// Computes the possible values of gates from inputs and latches.
    pub fn eval(&mut self) {
        for (i, &[a, b]) in self.simulator.gates.iter().enumerate() {
            let ([a0, a1], [b0, b1]) = (self.read(a), self.read(b));
            self.can_be[self.simulator.first_gate + i] = [
                std::array::from_fn(|w| a0[w] | b0[w]),
                std::array::from_fn(|w| a1[w] & b1[w]),
            ];
        }
    }

    /// Returns the lanes in which a literal can be 0, and the lanes in which it can be 1, after the last [`Possible::eval`]. Outside the
    /// cone it is 0.
    #[must_use]
    pub fn can_be(&self, lit: Lit) -> [[u64; W]; 2] {
        match self.simulator.places[lit.var().index()] {
            Some(SlotLit(code)) => self.read(SlotLit(code ^ u32::from(lit.is_negated()))),
            None if lit.is_negated() => [[0; W], [u64::MAX; W]],
            None => [[u64::MAX; W], [0; W]],
        }
    }

    /// Returns for each input (by index in the circuit) the lanes in which it can influence one of these literals at this step, after the
    /// last [`Possible::eval`]. Literals outside the cone are not influenced.
    #[must_use]
    pub fn influence(&self, literals: impl IntoIterator<Item = Lit>) -> Vec<[u64; W]> {
        let matters = self.mattering(literals);
        let inputs = self.simulator.inputs.iter();
        inputs
            .map(|input| input.map_or([0; W], |slot| matters[slot]))
            .collect()
    }

    /// Returns the lanes in which an unknown latch (by index in the circuit) can influence one of these literals at this step, after the
    /// last [`Possible::eval`].
    #[must_use]
    pub fn influence_of_latch(
        &self,
        latch: usize,
        literals: impl IntoIterator<Item = Lit>,
    ) -> [u64; W] {
        let simulator = self.simulator;
        match simulator.latch_index[latch] {
            Some(index) => self.mattering(literals)[simulator.latches[index].slot],
            None => [0; W],
        }
    }

    /// Returns for each slot the lanes in which it can influence one of these literals.
    fn mattering(&self, literals: impl IntoIterator<Item = Lit>) -> Vec<[u64; W]> {
        let simulator = self.simulator;
        let mut matters = vec![[0u64; W]; self.can_be.len()];
        for lit in literals {
            if let Some(place) = simulator.places[lit.var().index()] {
                matters[place.slot()] = [u64::MAX; W];
            }
        }
        for (i, &[a, b]) in simulator.gates.iter().enumerate().rev() {
            let slot = simulator.first_gate + i;
            let ([zero, one], here) = (self.can_be[slot], matters[slot]);
            let unknown: [u64; W] = std::array::from_fn(|w| here[w] & zero[w] & one[w]);
            for operand in [a, b] {
                for (word, unknown) in matters[operand.slot()].iter_mut().zip(unknown) {
                    *word |= unknown;
                }
            }
        }
        matters
    }

    /// Returns conditions on the inputs in a lane that must all hold for these literals to be 1, after the last [`Possible::eval`]. Each
    /// condition is given by the inputs that it reads, as a mask over `inputs` (at most 64, by index in the circuit). Conditions that read
    /// the same inputs are merged.
    #[must_use]
    pub fn conditions(
        &self,
        lane: usize,
        literals: impl IntoIterator<Item = Lit>,
        inputs: &[usize],
    ) -> Vec<u64> {
        let simulator = self.simulator;
        let mut reads = vec![0u64; self.can_be.len()];
        for (place, &input) in inputs.iter().enumerate().take(64) {
            if let Some(slot) = simulator.inputs[input] {
                reads[slot] |= 1 << place;
            }
        }
        for (i, &[a, b]) in simulator.gates.iter().enumerate() {
            let slot = simulator.first_gate + i;
            if self.is_open(slot, lane) {
                reads[slot] = reads[a.slot()] | reads[b.slot()];
            }
        }
        let places = literals.into_iter().filter_map(|lit| {
            let SlotLit(code) = simulator.places[lit.var().index()]?;
            Some(SlotLit(code ^ u32::from(lit.is_negated())))
        });
        let mut conditions = Vec::new();
        let mut stack: Vec<SlotLit> = places.collect();
        let mut seen = vec![false; self.can_be.len()];
        while let Some(lit) = stack.pop() {
            let slot = lit.slot();
            if !self.is_open(slot, lane) || std::mem::replace(&mut seen[slot], true) {
                continue;
            }
            let gate = slot.checked_sub(simulator.first_gate);
            let parts = gate.map(|gate| simulator.gates[gate]);
            match parts {
                Some([a, b]) if lit.mask() == 0 => stack.extend([a, b]),
                // The gate is 0 and one operand is 1, so the other must be 0.
                Some([a, b]) if !self.is_open(a.slot(), lane) => stack.push(SlotLit(b.0 ^ 1)),
                Some([a, b]) if !self.is_open(b.slot(), lane) => stack.push(SlotLit(a.0 ^ 1)),
                _ => conditions.push(reads[slot]),
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        conditions.sort_by_key(|reads| reads.count_ones());
        conditions
    }

    /// Whether a slot is unknown in this lane.
    fn is_open(&self, slot: usize, lane: usize) -> bool {
        let [zero, one] = self.can_be[slot];
        (zero[lane / 64] & one[lane / 64]) >> (lane % 64) & 1 == 1
    }

    fn read(&self, lit: SlotLit) -> [[u64; W]; 2] {
        let [zero, one] = self.can_be[lit.slot()];
        if lit.mask() == 0 {
            [zero, one]
        } else {
            [one, zero]
        }
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
        let mut lanes = simulator.possible::<1>();
        lanes.set_latch(0, [0b01]);
        lanes.eval();
        let influence = lanes.influence([either]);
        assert_eq!(
            influence.iter().map(|w| w[0] & 0b11).collect::<Vec<_>>(),
            [0b01, 0b10]
        );
        assert!(lanes.influence([]).iter().all(|word| *word == [0]));
    }

    #[test]
    fn a_latch_behind_a_gate_that_the_state_closes_does_not_matter() {
        let mut aig = Aig::new();
        let input = aig.add_input(None);
        let [state, selector] = std::array::from_fn(|_| aig.add_latch(Reset::Zero, None));
        let guarded = aig.and(state, selector);
        let output = aig.or(guarded, input);
        let simulator = Simulator::compile(&aig, [output]);
        let mut lanes = simulator.possible::<1>();
        lanes.set_latch(0, [0b0101]);
        lanes.set_input(0, [[0b0011], [0b1100]]);
        lanes.open_latch(1);
        lanes.eval();
        assert_eq!(lanes.influence_of_latch(1, [output])[0] & 0b1111, 0b0001);
    }

    #[test]
    fn a_conjunction_behind_a_guard_of_the_state_is_split_into_its_conditions() {
        let mut aig = Aig::new();
        let [a, b, c] = std::array::from_fn(|_| aig.add_input(None));
        let guard = aig.add_latch(Reset::Zero, None);
        let equal = aig.xor(a, b);
        let both = aig.and(!equal, c);
        let relation = aig.or(guard, both);
        let simulator = Simulator::compile(&aig, [relation]);
        let mut lanes = simulator.possible::<1>();
        lanes.set_latch(0, [0b10]);
        lanes.eval();
        let inputs = [0, 1, 2];
        assert_eq!(lanes.conditions(0, [relation], &inputs), [0b100, 0b011]);
        assert!(lanes.conditions(1, [relation], &inputs).is_empty());
        lanes.set_input(2, [[u64::MAX], [0]]);
        lanes.eval();
        assert_eq!(lanes.can_be(relation).map(|word| word[0] & 1), [1, 0]);
    }
}
