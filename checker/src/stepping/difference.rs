//! Finds states in which a mutation cannot matter. There the mutant behaves like the model and need not be simulated.

use hyperkill_core::sim::{Simulator, words};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::fault::{self, Fault};

/// Number of words, of 64 states each, that are evaluated together.
const WORDS: usize = 4;

/// Original and mutant as one circuit with an unknown selector, to find states in which the mutation cannot matter.
#[derive(Debug)]
pub(crate) struct Difference {
    simulator: Simulator,
    /// The index of the selector's latch.
    selector: usize,
    /// The circuit latches, by index, that form a state.
    latches: Vec<usize>,
    /// The literals of outputs, constraints and the next values of these latches.
    signals: Vec<Lit>,
    /// Test inputs, by index in the circuit.
    inputs: Vec<usize>,
}

impl Difference {
    /// Returns the comparison for a mutant that reads exactly these latches, which are the original's.
    pub(crate) fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        latches: &[usize],
    ) -> Difference {
        let aig = &model.aig;
        let shown = aig.outputs.iter().chain(&aig.constraints);
        let next = latches.iter().map(|&latch| aig.latches()[latch].next);
        Difference {
            simulator: Simulator::for_both(model, mutant),
            selector: model.selectors[mutant.0].latch,
            latches: latches.to_vec(),
            signals: shown.map(|signal| signal.lit).chain(next).collect(),
            inputs: model.input_bits().collect(),
        }
    }

    /// Returns for each state whether the mutation can matter in it under some choices and these test inputs (one bool per circuit input).
    /// Without test inputs, it returns whether the mutation can matter under some inputs.
    pub(crate) fn matters<'s>(
        &self,
        states: impl IntoIterator<Item = &'s [u64]>,
        inputs: Option<&[bool]>,
    ) -> Vec<bool> {
        let states: Vec<&[u64]> = states.into_iter().collect();
        match states.len() {
            0 => Vec::new(),
            1..=64 => self.matters_in::<1>(&states, inputs),
            _ => self.matters_in::<WORDS>(&states, inputs),
        }
    }

    fn matters_in<const W: usize>(&self, states: &[&[u64]], inputs: Option<&[bool]>) -> Vec<bool> {
        let mut possible = self.simulator.possible::<W>();
        for &input in &self.inputs {
            if let Some(inputs) = inputs {
                let value = words::everywhere(inputs[input]);
                possible.set_input(input, [value.map(|word| !word), value]);
            }
        }
        possible.open_latch(self.selector);
        let mut matters = Vec::with_capacity(states.len());
        for batch in states.chunks(64 * W) {
            let mut rows = vec![[0; W]; self.latches.len()];
            for (lane, state) in batch.iter().enumerate() {
                words::set_state(&mut rows, state, lane..lane + 1);
            }
            for (&latch, row) in self.latches.iter().zip(rows) {
                possible.set_latch(latch, row);
            }
            possible.eval();
            let signals = self.signals.iter().copied();
            let lanes = possible.influence_of_latch(self.selector, signals);
            let is_hidden = fault::planted(Fault::OverlookedMutation);
            let matters_in = |lane| words::is_set(&lanes, lane) && !is_hidden;
            matters.extend((0..batch.len()).map(matters_in));
        }
        matters
    }
}
