//! Lists all steps of one variant from a set of states: every choice is simulated, one per lane. For too many choices, [`super::existing`]
//! continues.

use std::collections::BTreeSet;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::{Simulator, words};

use crate::schedule::engine_efforts::LISTED_CHOICE_BITS;
use hyperkill_core::relevance::Relevance;

/// Number of words, of 64 lanes each, that are simulated at once.
pub(crate) const WORDS: usize = 4;
/// Number of steps that are simulated at once.
pub(crate) const LANES: usize = 64 * WORDS;
/// Number of choice bits that estimates assume if there are too many: constraints leave few steps, or the search for them reaches its
/// limit.
const ESTIMATED_BITS: usize = 6;

/// A state: one bit for each latch that can affect outputs or constraints, in 64-bit words.
pub(crate) type State = Vec<u64>;

/// A step whose constraints hold, from one of the given states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// Index of the state in which it starts.
    pub(crate) from: usize,
    /// Values of the choices, one bit each in the order of [`Stepper::choices`].
    pub(crate) choice: u64,
    /// The values of the circuit's outputs in the step.
    pub(crate) outputs: Vec<bool>,
    /// The state after the step.
    pub(crate) next: State,
}

/// One variant, prepared for listing its steps.
pub(crate) struct Stepper<'a> {
    pub(crate) model: &'a ConditionalMutant,
    pub(crate) simulator: Simulator,
    /// Indices of the choice inputs that can affect outputs or constraints.
    pub(crate) choices: Vec<usize>,
    /// Indices of the latches that can affect outputs or constraints.
    pub(crate) latches: Vec<usize>,
    /// Limit on the steps that one call simulates.
    pub(crate) limit: usize,
}

impl<'a> Stepper<'a> {
    /// Returns a stepper. `limit` is the largest number of steps (state and choice) that one question may simulate.
    pub(crate) fn new(model: &'a ConditionalMutant, variant: Variant, limit: usize) -> Stepper<'a> {
        let relevance = Relevance::to(model, &[variant]);
        let simulator = Simulator::for_variant(model, variant);
        let selectors = model.selector_of_latch();
        let is_read = |latch: usize| {
            let lit = model.aig.latches()[latch].var.lit();
            relevance.of_latch(latch) && simulator.contains(lit)
        };
        let latches = 0..model.aig.latches().len();
        Stepper {
            model,
            choices: model
                .choice_bits()
                .filter(|&bit| relevance.of_input(bit))
                .collect(),
            latches: latches
                .filter(|&latch| selectors[latch].is_none() && is_read(latch))
                .collect(),
            simulator,
            limit,
        }
    }

    /// Whether a choice input or a free initial value can matter.
    pub(crate) fn has_choices(&self) -> bool {
        !self.choices.is_empty() || self.free().next().is_some()
    }

    /// Returns the number of steps to simulate from so many states; an estimate if not every choice is simulated.
    pub(crate) fn steps_from(&self, states: usize) -> usize {
        match self.choices.len() {
            bits @ ..=LISTED_CHOICE_BITS => states << bits,
            _ => states << ESTIMATED_BITS,
        }
    }

    /// Whether there are too many choices to simulate each.
    pub(crate) fn has_many_choices(&self) -> bool {
        self.choices.len() > LISTED_CHOICE_BITS
    }

    /// Returns the number of states from which one call can list steps without exceeding the limit; 1 if that is not known beforehand.
    pub(crate) fn together(&self) -> usize {
        match self.choices.len() {
            bits @ ..=LISTED_CHOICE_BITS => (self.limit >> bits).max(1),
            _ => 1,
        }
    }

    /// Returns the bit positions in a state of the latches with a free initial value.
    fn free(&self) -> impl Iterator<Item = usize> + '_ {
        let latches = self.latches.iter().enumerate();
        latches
            .filter(|(_, latch)| self.model.aig.latches()[**latch].reset == Reset::Free)
            .map(|(position, _)| position)
    }

    /// Returns the state in which the circuit's latches have these values (one bool for each).
    pub(crate) fn pack(&self, latches: &[bool]) -> State {
        let mut state = vec![0; self.latches.len().div_ceil(64)];
        for (position, &latch) in self.latches.iter().enumerate() {
            state[position / 64] |= u64::from(latches[latch]) << (position % 64);
        }
        state
    }

    /// Returns the values of the circuit's latches in a state, one bool for each; latches that cannot matter are 0.
    pub(crate) fn unpack(&self, state: &State) -> Vec<bool> {
        let mut latches = vec![false; self.model.aig.latches().len()];
        for (position, &latch) in self.latches.iter().enumerate() {
            latches[latch] = words::is_set(state, position);
        }
        latches
    }

    /// Sets the choice bits in `inputs`, the inputs of a step, to those of a move's `choice`.
    pub(crate) fn choose(&self, choice: u64, inputs: &mut [bool]) {
        for (position, &input) in self.choices.iter().enumerate() {
            inputs[input] = choice >> position & 1 == 1;
        }
    }

    /// Returns all initial states, ascending. `None` if there are too many.
    pub(crate) fn initial(&self) -> Option<Vec<State>> {
        let free: Vec<usize> = self.free().collect();
        if free.len() > LISTED_CHOICE_BITS || 1 << free.len() > self.limit {
            return None;
        }
        let latches = self.model.aig.latches().iter();
        let resets: Vec<bool> = latches.map(|latch| latch.reset == Reset::One).collect();
        let base = self.pack(&resets);
        let mut states = BTreeSet::new();
        for code in 0..1_u64 << free.len() {
            let mut state = base.clone();
            for (i, &position) in free.iter().enumerate() {
                state[position / 64] |= (code >> i & 1) << (position % 64);
            }
            states.insert(state);
        }
        Some(states.into_iter().collect())
    }

    /// Returns all steps from these states under these test inputs, by state and choice. The inputs have one bool per circuit input; bools
    /// of choices are ignored. If there are too many choices to simulate each, only the first of steps that differ in choices alone is
    /// returned. `None` if there are too many steps.
    pub(crate) fn moves(&self, states: &[State], inputs: &[bool]) -> Option<Vec<Move>> {
        self.moves_among(states, inputs, None)
    }

    /// Returns steps like [`Stepper::moves`]. With `among`, only those outputs are of interest: steps with others may be represented by one
    /// step for each successor state, with arbitrary other outputs.
    pub(crate) fn moves_among(
        &self,
        states: &[State],
        inputs: &[bool],
        among: Option<&[&[bool]]>,
    ) -> Option<Vec<Move>> {
        let bits = self.choices.len();
        if bits > LISTED_CHOICE_BITS || states.len() > self.limit >> bits {
            return self.existing(states, inputs, among);
        }
        Some(match states.len() << bits {
            0..=64 => self.simulated::<1>(states, inputs),
            _ => self.simulated::<WORDS>(states, inputs),
        })
    }

    /// Returns the existing steps from these states, by simulation of each choice in each of them.
    fn simulated<const W: usize>(&self, states: &[State], inputs: &[bool]) -> Vec<Move> {
        let bits = self.choices.len();
        let total = states.len() << bits;
        let mut lanes = self.simulator.lanes::<W>();
        for bit in self.model.input_bits() {
            lanes.set_input_everywhere(bit, inputs[bit]);
        }
        let mut moves = Vec::new();
        for first in (0..total).step_by(64 * W) {
            let here = (64 * W).min(total - first);
            for (position, &input) in self.choices.iter().enumerate() {
                lanes.set_input(input, words::number_bit(first, position));
            }
            let mut rows = vec![[0; W]; self.latches.len()];
            let before = first >> bits;
            let here_too = ((first + here - 1) >> bits) + 1 - before;
            for (from, state) in states.iter().enumerate().skip(before).take(here_too) {
                let start = (from << bits).saturating_sub(first);
                let end = here.min(((from + 1) << bits) - first);
                words::set_state(&mut rows, state, start..end);
            }
            for (&latch, &row) in self.latches.iter().zip(&rows) {
                lanes.set_latch(latch, row);
            }
            lanes.eval();
            let constraints = self.model.aig.constraints.iter();
            let constraints = constraints.map(|constraint| constraint.lit);
            let alive = lanes.holding(words::range(0..here), constraints);
            let outputs = self.model.aig.outputs.iter();
            let outputs: Vec<_> = outputs.map(|output| lanes.value(output.lit)).collect();
            lanes.step();
            let next: Vec<_> = self.latches.iter().map(|&l| lanes.latch(l)).collect();
            for lane in words::lanes_of(&alive) {
                let number = first + lane;
                let mut state = vec![0; self.latches.len().div_ceil(64)];
                words::state_of(&next, lane, &mut state);
                moves.push(Move {
                    from: number >> bits,
                    choice: (number & ((1 << bits) - 1)) as u64,
                    outputs: outputs
                        .iter()
                        .map(|word| words::is_set(word, lane))
                        .collect(),
                    next: state,
                });
            }
        }
        moves
    }
}
