//! The reachable states of a nondeterministic original, with all their steps under all choices, shared by many mutants.

use std::ops::Range;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::conditional::Port;
use hyperkill_core::sim::words::{is_set, range, set_state, state_of};
use hyperkill_core::sim::{Lanes, Simulator};

use super::alphabet::{Alphabet, LANES, WORDS, Word};
use super::listing::{NOWHERE, State, add, alive, evaluate, outputs};
use super::{BYTES, GATE_STEPS, STEPS};
use crate::engines::explicit::VectorTable;

/// The steps of a nondeterministic original from its reachable states, for each input valuation and choice.
pub(super) struct Common<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) alphabet: Alphabet,
    /// The index of the circuit output that says whether an input is accepted, if there is one.
    pub(super) accepts: Option<usize>,
    /// The circuit inputs, by index, that are choices of the original, lowest bit first.
    pub(super) choices: Vec<usize>,
    /// The circuit latches, by index, that form a state, lowest bit first.
    pub(super) latches: Vec<usize>,
    pub(super) states: VectorTable,
    /// The number of initial states; they have the lowest numbers.
    pub(super) initial: usize,
    pub(super) blocks: Vec<Block>,
    /// The number of lanes in use in the last block; they are the first ones.
    filled: usize,
    /// For each listed state the index of its block and its first lane there, which has valuation 0.
    places: Vec<(usize, usize)>,
    charge: Charge,
}

/// The steps of as many states as fit into one evaluation, one lane for each state and input valuation.
pub(super) struct Block {
    /// For each latch of the listing its value before the step, by lane.
    pub(super) before: Vec<Word>,
    /// The lanes of the block that are in use.
    pub(super) used: Word,
    pub(super) by_choice: Vec<Outcome>,
}

/// The steps of a block under one choice of the original, by lane.
pub(super) struct Outcome {
    /// Lanes whose step meets the constraints.
    pub(super) alive: Word,
    /// For each latch of the listing its value after the step, by lane.
    pub(super) after: Vec<Word>,
    /// For each output of the circuit its value, by lane.
    pub(super) outputs: Vec<Word>,
    /// For each lane the number of the next state.
    pub(super) next: Vec<State>,
}

impl<'a> Common<'a> {
    /// Lists the steps of the original until a fixpoint is reached or the effort is spent. Choices and latches are those of the circuit
    /// that are listed; `share` is the number of listings that share the effort.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        original: &Simulator,
        alphabet: Alphabet,
        [choices, latches]: [Vec<usize>; 2],
        share: usize,
        budget: &Budget,
    ) -> Common<'a> {
        let named = |port: &&Port| Some(&port.name) == model.accepts.as_ref();
        let accepts = model.outputs.iter().find(named);
        let mut common = Common {
            states: VectorTable::new(latches.len()),
            accepts: accepts.and_then(|port| port.bits.first().copied()),
            model,
            alphabet,
            choices,
            latches,
            initial: 0,
            blocks: Vec::new(),
            filled: LANES,
            places: Vec::new(),
            charge: Charge::default(),
        };
        common.begin();
        common.explore(original, share, budget);
        common
    }

    /// Adds the initial states, with the first numbers.
    fn begin(&mut self) {
        let resets = self.latches.iter().enumerate();
        let resets = resets.map(|(k, &latch)| (k, self.model.aig.latches()[latch].reset));
        let mut words = vec![0u64; self.latches.len().div_ceil(64)];
        let mut free = Vec::new();
        for (k, reset) in resets {
            match reset {
                Reset::Zero => {}
                Reset::One => words[k / 64] |= 1 << (k % 64),
                Reset::Free => free.push(k),
            }
        }
        for values in 0..1u64 << free.len() {
            for (bit, &k) in free.iter().enumerate() {
                words[k / 64] &= !(1 << (k % 64));
                words[k / 64] |= (values >> bit & 1) << (k % 64);
            }
            self.states.number(&words);
        }
        self.initial = self.states.len();
    }

    fn explore(&mut self, original: &Simulator, share: usize, budget: &Budget) {
        let bits = self.latches.len() + self.model.aig.outputs.len() + 1;
        let per_step = bits.div_ceil(8) + size_of::<State>();
        let affordable = GATE_STEPS / original.gate_count().max(1);
        let steps = STEPS.min(BYTES / per_step).min(affordable) / share;
        let per_state = self.alphabet.len() << self.choices.len();
        let mut lanes = self.alphabet.lanes(original);
        while self.places.len() < self.states.len() {
            let listed = self.places.len() * per_state;
            let over = self
                .charge
                .hold(budget, per_step * listed + self.states.bytes());
            if over.or_else(|| budget.stopped()).is_some() {
                return;
            }
            let first = self.places.len();
            let last = self.states.len().min(first + LANES / self.alphabet.len());
            if last * per_state > steps {
                return;
            }
            self.list(&mut lanes, first, last);
        }
    }

    /// Lists the steps of the states with numbers from `first` up to, not including, `last`; they fit into one evaluation.
    fn list(&mut self, lanes: &mut Lanes<'_, WORDS>, first: usize, last: usize) {
        let valuations = self.alphabet.len();
        let used = self.room((last - first) * valuations);
        let among = range(used.clone());
        let mut before = vec![[0; WORDS]; self.latches.len()];
        for (slot, state) in (first..last).enumerate() {
            let first = used.start + slot * valuations;
            self.places.push((self.blocks.len() - 1, first));
            let words = self.states.words(state as State);
            set_state(&mut before, words, first..first + valuations);
        }
        for (&latch, &value) in self.latches.iter().zip(&before) {
            lanes.set_latch(latch, value);
        }
        let mut words = vec![0; self.latches.len().div_ceil(64)];
        for choice in 0..1usize << self.choices.len() {
            for (bit, &input) in self.choices.iter().enumerate() {
                lanes.set_input_everywhere(input, choice >> bit & 1 == 1);
            }
            evaluate(lanes);
            let alive = alive(self.model, lanes, among);
            let after = self.after(lanes);
            let next: Vec<State> = (used.clone())
                .map(|lane| {
                    if !is_set(&alive, lane) {
                        return NOWHERE;
                    }
                    state_of(&after, lane, &mut words);
                    self.states.number(&words)
                })
                .collect();
            let outputs = outputs(self.model, lanes);
            let block = self.blocks.last_mut();
            if let Some(outcome) = block.map(|block| &mut block.by_choice[choice]) {
                outcome.next.extend(next);
                add(&mut outcome.after, &after, among);
                add(&mut outcome.outputs, &outputs, among);
                add(std::slice::from_mut(&mut outcome.alive), &[alive], among);
            }
        }
        if let Some(block) = self.blocks.last_mut() {
            add(&mut block.before, &before, among);
            block.used = range(0..self.filled);
        }
    }

    /// Returns the range of free lanes for this number of steps: of the last block if it has enough, else of a new block.
    fn room(&mut self, steps: usize) -> Range<usize> {
        if self.filled + steps > LANES {
            let nothing = |rows: usize| vec![[0; WORDS]; rows];
            let outcome = |_| Outcome {
                next: Vec::new(),
                alive: [0; WORDS],
                outputs: nothing(self.model.aig.outputs.len()),
                after: nothing(self.latches.len()),
            };
            self.blocks.push(Block {
                before: nothing(self.latches.len()),
                used: [0; WORDS],
                by_choice: (0..1usize << self.choices.len()).map(outcome).collect(),
            });
            self.filled = 0;
        }
        let first = self.filled;
        self.filled += steps;
        first..self.filled
    }

    /// Returns for each latch of the listing its next value, by lane.
    pub(super) fn after(&self, lanes: &Lanes<'_, WORDS>) -> Vec<Word> {
        let latches = self.latches.iter();
        latches
            .map(|&latch| lanes.value(self.model.aig.latches()[latch].next))
            .collect()
    }

    /// Returns the index of a state's block and its first lane there; `None` if the state is not listed.
    pub(super) fn place(&self, state: State) -> Option<(usize, usize)> {
        self.places.get(state as usize).copied()
    }

    /// Returns the least choice of the original whose step in this lane of a block exists and for which `fulfils` is true; `None` if there
    /// is none.
    pub(super) fn choice(
        &self,
        block: usize,
        lane: usize,
        fulfils: impl Fn(&Outcome) -> bool,
    ) -> Option<usize> {
        let outcomes = self.blocks[block].by_choice.iter();
        let mut outcomes = outcomes.enumerate();
        outcomes
            .find(|(_, outcome)| is_set(&outcome.alive, lane) && fulfils(outcome))
            .map(|(choice, _)| choice)
    }

    /// Returns the bits of a state, by circuit latch; latches for which `read` is false are 0.
    pub(super) fn state_bits(&self, state: State, read: impl Fn(usize) -> bool) -> Vec<bool> {
        let words = self.states.words(state);
        let mut bits = vec![false; self.model.aig.latches().len()];
        for (k, &latch) in self.latches.iter().enumerate() {
            bits[latch] = read(latch) && words[k / 64] >> (k % 64) & 1 == 1;
        }
        bits
    }

    /// Returns the values of the circuit's inputs in a step: those of an input valuation, and the bits of `choice` at the inputs `choices`.
    pub(super) fn inputs(&self, valuation: usize, choice: usize, choices: &[usize]) -> Vec<bool> {
        let mut inputs = vec![false; self.model.aig.inputs().len()];
        for input in self.alphabet.ones(valuation) {
            inputs[input] = true;
        }
        for (bit, &input) in choices.iter().enumerate() {
            inputs[input] = choice >> bit & 1 == 1;
        }
        inputs
    }
}
