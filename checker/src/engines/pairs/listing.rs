//! What the original can reach, and all steps from there, in the simulator's own form: a bit per lane, a lane per step.

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

/// Number of a state of the original.
pub(super) type State = u32;
/// No state: the step breaks a constraint.
pub(super) const NOWHERE: State = State::MAX;

/// What a step reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Symbol {
    /// Number of the valuation of the inputs that both sides have in common.
    pub(super) valuation: u16,
    /// Bits of the choices that only the mutant has.
    pub(super) choice: u16,
}

/// The steps of the original from the states that it reaches, nearest first.
pub(super) struct Listing<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) alphabet: Alphabet,
    /// Circuit latches that states are made of, lowest bit first.
    pub(super) latches: Vec<usize>,
    pub(super) states: VectorTable,
    /// How many initial states there are; they have the lowest numbers.
    pub(super) initial: usize,
    pub(super) blocks: Vec<Block>,
    /// Lanes of the last block that are steps, the first ones.
    filled: usize,
    /// By listed state, the block that it is in and its first lane there.
    places: Vec<(usize, usize)>,
    /// By listed state and input valuation.
    successors: Vec<State>,
    charge: Charge,
}

/// Steps of as many states as have room in one evaluation.
pub(super) struct Block {
    /// Lanes that are steps in which the constraints hold.
    pub(super) alive: Word,
    /// By latch of the listing, its value before the step …
    pub(super) before: Vec<Word>,
    /// … and after it.
    pub(super) after: Vec<Word>,
    /// By output of the circuit.
    pub(super) outputs: Vec<Word>,
}

impl<'a> Listing<'a> {
    /// Lists what the original can do until nothing is new or the effort is spent. `latches`: circuit latches that states are made of;
    /// `share`: how many listings share the effort.
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

    /// Numbers the initial states.
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

    /// Lists the steps of these states, which have room in one evaluation.
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

    /// Takes free lanes for so many steps: of the last block if it has enough, else of a new block. A mutant is compared with one block
    /// at a time. In a deep model few states are new at each level, so several levels share a block.
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

    /// Whether nothing is left to list.
    pub(super) fn is_complete(&self) -> bool {
        self.places.len() == self.states.len()
    }

    /// Whether all states are listed, and few enough for a proof that the certifier checks quickly.
    pub(super) fn is_short(&self) -> bool {
        self.is_complete() && self.states.len() * self.valuations() <= ALIKE
    }

    /// By latch of the listing, whether the answers of a variant depend on it.
    pub(super) fn latches_read(&self, variant: Variant) -> Vec<bool> {
        let simulator = Simulator::for_variant(self.model, variant);
        let latches = self.model.aig.latches();
        let reads = |&latch: &usize| simulator.contains(latches[latch].var.lit());
        self.latches.iter().map(reads).collect()
    }

    /// All listed states as positions of mutants that do what the original does there. `read`: by latch of the listing, whether their
    /// answers depend on it; `is_decided`: whether inputs decide which state the original is in. `None` if they do not, and some
    /// are refused: other states of the original would have to be known.
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

    /// How many input valuations are listed.
    pub(super) fn valuations(&self) -> usize {
        self.alphabet.len()
    }

    /// Where the latches go, by latch of the listing.
    pub(super) fn after(&self, lanes: &Lanes<'_, WORDS>) -> Vec<Word> {
        let latches = self.latches.iter();
        latches
            .map(|&latch| lanes.value(self.model.aig.latches()[latch].next))
            .collect()
    }

    /// The block of a state and its first lane there; `None` if it is not listed.
    pub(super) fn place(&self, state: State) -> Option<(usize, usize)> {
        self.places.get(state as usize).copied()
    }

    /// Where the input valuations lead from a listed state.
    pub(super) fn successors(&self, state: State) -> &[State] {
        let first = state as usize * self.valuations();
        &self.successors[first..first + self.valuations()]
    }

    /// The circuit inputs beside those of input valuations that a mutant reads.
    pub(super) fn own_choices(&self, mutant: &Simulator) -> Vec<usize> {
        let inputs = self.model.aig.inputs();
        let choices = self.model.choice_bits();
        choices
            .filter(|&bit| {
                mutant.contains(inputs[bit].var.lit()) && !self.alphabet.inputs.contains(&bit)
            })
            .collect()
    }

    /// The run that starts in this state of the original, reads these symbols, and makes these choices (by circuit input) beside.
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
            initial,
            steps: steps.collect(),
        }
    }
}

/// Evaluates a step in all lanes.
pub(super) fn evaluate(lanes: &mut Lanes<'_, WORDS>) {
    count(Unit::Gates, lanes.gate_count() as u64);
    lanes.eval();
}

/// Copies these lanes of `more` into rows where they are 0.
pub(super) fn add(rows: &mut [Word], more: &[Word], among: Word) {
    for (row, more) in rows.iter_mut().zip(more) {
        for w in 0..WORDS {
            row[w] |= more[w] & among[w];
        }
    }
}

/// Steps that a listing with this alphabet, or a mutant beside it, may evaluate.
pub(super) fn affordable(alphabet: &Alphabet, simulator: &Simulator) -> usize {
    if alphabet.is_of_classes {
        GATE_STEPS / simulator.gate_count().max(1)
    } else {
        usize::MAX
    }
}

/// Lanes of these in which all constraints hold.
pub(super) fn alive(model: &ConditionalMutant, lanes: &Lanes<'_, WORDS>, among: Word) -> Word {
    let constraints = model.aig.constraints.iter();
    lanes.holding(among, constraints.map(|constraint| constraint.lit))
}

/// What is seen, by output of the circuit.
pub(super) fn outputs(model: &ConditionalMutant, lanes: &Lanes<'_, WORDS>) -> Vec<Word> {
    let outputs = model.aig.outputs.iter();
    outputs.map(|output| lanes.value(output.lit)).collect()
}
