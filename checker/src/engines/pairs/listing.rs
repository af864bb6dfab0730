//! The reachable states of the original with all their steps, in the simulator's own form: one bit per lane, one lane per step.

use std::ops::Range;

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::words::{is_set, range, set_state, state_of};
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::work::{Unit, count};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::closed_set::{ClosedSet, Position, Relation};

use super::alphabet::{Alphabet, LANES, WORDS, Word};
use super::{ALIKE, BYTES, GATE_STEPS, STEPS};
use crate::engines::explicit::VectorTable;

/// The number of a state of the original.
pub(super) type State = u32;
/// Marks a step that breaks a constraint and so has no next state.
pub(super) const NOWHERE: State = State::MAX;

/// The inputs of a step that is taken in a walk: those of both sides, and the choices of the mutant alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Symbol {
    /// The number of the valuation of the inputs that both sides share.
    pub(super) valuation: u16,
    /// The bits of the choices that only the mutant has.
    pub(super) choice: u16,
}

/// The steps of the original from its reachable states, in breadth-first order; state and listed inputs determine each step.
pub(super) struct Listing<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) alphabet: Alphabet,
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
    /// For each listed state and each input valuation the next state, one state after the other.
    successors: Vec<State>,
    charge: Charge,
}

/// The steps of as many states as fit into one evaluation, one lane for each state and input valuation.
pub(super) struct Block {
    /// Lanes whose step meets the constraints.
    pub(super) alive: Word,
    /// For each latch of the listing its value before the step, by lane.
    pub(super) before: Vec<Word>,
    /// For each latch of the listing its value after the step, by lane.
    pub(super) after: Vec<Word>,
    /// For each output of the circuit its value, by lane.
    pub(super) outputs: Vec<Word>,
}

impl<'a> Listing<'a> {
    /// Lists the steps of the original until a fixpoint is reached or the effort is spent. `latches` are the circuit latches that form a
    /// state; `share` is the number of listings that share the effort.
    pub(super) fn new(
        model: &'a ConditionalMutant,
        original: &Simulator,
        alphabet: Alphabet,
        latches: Vec<usize>,
        share: usize,
        budget: &Budget,
    ) -> Listing<'a> {
        let mut listing = Listing {
            states: VectorTable::new(latches.len()),
            model,
            alphabet,
            latches,
            initial: 0,
            blocks: Vec::new(),
            filled: LANES,
            places: Vec::new(),
            successors: Vec::new(),
            charge: Charge::default(),
        };
        listing.begin();
        listing.explore(original, share, budget);
        listing
    }

    /// Adds the initial states, with the first numbers.
    fn begin(&mut self) {
        let reset = |k: &usize| self.model.aig.latches()[self.latches[*k]].reset;
        let free: Vec<usize> = (0..self.latches.len())
            .filter(|k| reset(k) == Reset::Free)
            .collect();
        let mut words = vec![0u64; self.latches.len().div_ceil(64)];
        for (k, &latch) in self.latches.iter().enumerate() {
            if self.model.aig.latches()[latch].reset == Reset::One {
                words[k / 64] |= 1 << (k % 64);
            }
        }
        for choice in 0..1u64 << free.len() {
            for (bit, &k) in free.iter().enumerate() {
                words[k / 64] &= !(1 << (k % 64));
                words[k / 64] |= (choice >> bit & 1) << (k % 64);
            }
            self.states.number(&words);
        }
        self.initial = self.states.len();
    }

    fn explore(&mut self, simulator: &Simulator, share: usize, budget: &Budget) {
        let per_step = (2 * self.latches.len() + self.model.aig.outputs.len() + 2).div_ceil(8);
        let steps = STEPS
            .min(BYTES / per_step)
            .min(affordable(&self.alphabet, simulator))
            / share;
        let mut lanes = self.alphabet.lanes(simulator);
        while self.places.len() < self.states.len() {
            let over = self.charge.hold(
                budget,
                per_step * self.successors.len() + self.states.bytes(),
            );
            if over.or_else(|| budget.stopped()).is_some() {
                return;
            }
            let first = self.places.len();
            let last = self.states.len().min(first + LANES / self.valuations());
            if last * self.valuations() > steps {
                return;
            }
            self.list(&mut lanes, first..last);
        }
    }

    /// Lists the steps of the states with these numbers; they fit into one evaluation.
    fn list(&mut self, lanes: &mut Lanes<'_, WORDS>, states: Range<usize>) {
        let valuations = self.valuations();
        let used = self.room(states.len() * valuations);
        let mut before = vec![[0; WORDS]; self.latches.len()];
        for (slot, state) in states.enumerate() {
            let first = used.start + slot * valuations;
            self.places.push((self.blocks.len() - 1, first));
            let words = self.states.words(state as State);
            set_state(&mut before, words, first..first + valuations);
        }
        for (&latch, &value) in self.latches.iter().zip(&before) {
            lanes.set_latch(latch, value);
        }
        evaluate(lanes);
        let among = range(used.clone());
        let alive = alive(self.model, lanes, among);
        let after = self.after(lanes);
        let mut next = vec![0; self.latches.len().div_ceil(64)];
        for lane in used {
            let state = if is_set(&alive, lane) {
                state_of(&after, lane, &mut next);
                self.states.number(&next)
            } else {
                NOWHERE
            };
            self.successors.push(state);
        }
        let outputs = outputs(self.model, lanes);
        if let Some(block) = self.blocks.last_mut() {
            add(&mut block.before, &before, among);
            add(&mut block.after, &after, among);
            add(&mut block.outputs, &outputs, among);
            add(std::slice::from_mut(&mut block.alive), &[alive], among);
        }
    }

    /// Returns the range of free lanes for this number of steps: of the last block if it has enough, else of a new block. A mutant is
    /// compared with one block at a time. In a deep model few states are new at each level, so several levels share a block.
    fn room(&mut self, steps: usize) -> Range<usize> {
        if self.filled + steps > LANES {
            self.blocks.push(Block {
                alive: [0; WORDS],
                before: vec![[0; WORDS]; self.latches.len()],
                after: vec![[0; WORDS]; self.latches.len()],
                outputs: vec![[0; WORDS]; self.model.aig.outputs.len()],
            });
            self.filled = 0;
        }
        let first = self.filled;
        self.filled += steps;
        first..self.filled
    }

    /// Whether the steps of all reachable states are listed.
    pub(super) fn is_complete(&self) -> bool {
        self.places.len() == self.states.len()
    }

    /// Whether all states are listed, and few enough for a proof that the certifier checks quickly.
    pub(super) fn is_short(&self) -> bool {
        self.is_complete() && self.states.len() * self.valuations() <= ALIKE
    }

    /// Returns for each latch of the listing whether outputs and constraints of a variant depend on it.
    pub(super) fn latches_read(&self, variant: Variant) -> Vec<bool> {
        let simulator = Simulator::for_variant(self.model, variant);
        let latches = self.model.aig.latches();
        let reads = |&latch: &usize| simulator.contains(latches[latch].var.lit());
        self.latches.iter().map(reads).collect()
    }

    /// Returns the evidence for mutants that agree with the original in all its reachable states: each listed state as a position. `read`
    /// gives for each latch of the listing whether outputs of these mutants depend on it; `is_decided` states whether inputs determine the
    /// original's state. `None` if they do not, and some inputs are refused: the proof would need other states of the original.
    pub(super) fn closed_set(
        &self,
        members: Vec<SelectorId>,
        read: &[bool],
        is_decided: bool,
    ) -> Option<ClosedSet> {
        let refuses = !self.model.is_unconstrained();
        if refuses && !is_decided {
            return None;
        }
        let of_model = self.latches_read(Variant::Original);
        let sides: &[&[bool]] = match read == of_model {
            true => &[read],
            false => &[read, &of_model],
        };
        let mut states = Vec::with_capacity(sides.len() * self.states.len());
        let mut positions = Vec::with_capacity(self.states.len());
        for state in 0..self.states.len() {
            let of_model = states.len() + sides.len() - 1;
            positions.push(Position {
                pairs: vec![(states.len(), of_model)],
                mutant: Vec::new(),
                model: Vec::from_iter(refuses.then_some(of_model)),
            });
            let words = self.states.words(state as State);
            for read in sides {
                let mut bits = vec![false; self.model.aig.latches().len()];
                for (k, &latch) in self.latches.iter().enumerate() {
                    bits[latch] = read[k] && words[k / 64] >> (k % 64) & 1 == 1;
                }
                states.push(bits);
            }
        }
        Some(ClosedSet {
            members,
            relation: Relation::Matched,
            states,
            positions,
        })
    }

    /// Returns the number of listed input valuations, a power of two.
    pub(super) fn valuations(&self) -> usize {
        self.alphabet.len()
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

    /// Returns for each input valuation the next state of a listed state; [`NOWHERE`] if it refuses the input.
    pub(super) fn successors(&self, state: State) -> &[State] {
        let first = state as usize * self.valuations();
        &self.successors[first..first + self.valuations()]
    }

    /// Returns the circuit inputs, by index, that are choices which a mutant reads and that are no part of input valuations.
    pub(super) fn own_choices(&self, mutant: &Simulator) -> Vec<usize> {
        let inputs = self.model.aig.inputs();
        let choices = self.model.choice_bits();
        choices
            .filter(|&bit| {
                mutant.contains(inputs[bit].var.lit()) && !self.alphabet.inputs.contains(&bit)
            })
            .collect()
    }

    /// Returns the stimulus of a run that starts in a state of the original and reads these symbols. `choices` are the circuit inputs to
    /// which the symbols' choices belong.
    pub(super) fn stimulus(&self, start: State, symbols: &[Symbol], choices: &[usize]) -> Stimulus {
        let words = self.states.words(start);
        let mut initial = vec![false; self.model.aig.latches().len()];
        for (k, &latch) in self.latches.iter().enumerate() {
            initial[latch] = words[k / 64] >> (k % 64) & 1 == 1;
        }
        let steps = symbols.iter().map(|symbol| {
            let mut inputs = vec![false; self.model.aig.inputs().len()];
            for input in self.alphabet.ones(usize::from(symbol.valuation)) {
                inputs[input] = true;
            }
            for (bit, &input) in choices.iter().enumerate() {
                inputs[input] = symbol.choice >> bit & 1 == 1;
            }
            inputs
        });
        Stimulus {
            initial: initial.into(),
            steps: steps.collect(),
        }
    }
}

/// Evaluates a step in all lanes, and counts the work.
pub(super) fn evaluate(lanes: &mut Lanes<'_, WORDS>) {
    count(Unit::Gates, lanes.gate_count() as u64);
    lanes.eval();
}

/// Copies the lanes `among` of `more` into the same lanes of `rows`, which must be 0 there.
pub(super) fn add(rows: &mut [Word], more: &[Word], among: Word) {
    for (row, more) in rows.iter_mut().zip(more) {
        for w in 0..WORDS {
            row[w] |= more[w] & among[w];
        }
    }
}

/// Returns the number of steps that a listing with this alphabet, or a mutant beside it, may evaluate.
pub(super) fn affordable(alphabet: &Alphabet, simulator: &Simulator) -> usize {
    if alphabet.is_of_classes {
        GATE_STEPS / simulator.gate_count().max(1)
    } else {
        usize::MAX
    }
}

/// Returns the lanes of `among` in which all constraints hold after the evaluation.
pub(super) fn alive(model: &ConditionalMutant, lanes: &Lanes<'_, WORDS>, among: Word) -> Word {
    let constraints = model.aig.constraints.iter();
    lanes.holding(among, constraints.map(|constraint| constraint.lit))
}

/// Returns for each output of the circuit its value, by lane.
pub(super) fn outputs(model: &ConditionalMutant, lanes: &Lanes<'_, WORDS>) -> Vec<Word> {
    let outputs = model.aig.outputs.iter();
    outputs.map(|output| lanes.value(output.lit)).collect()
}
