//! Simulates the differences of a mutant from the original, step by step.

use hyperkill_core::aig::Node;
use hyperkill_core::{Lit, SelectorId, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};

use super::circuit::Circuit;
use super::folded::{Simulation, ignores_constraints};
use super::rails::{Rails, and, constant, differ, holds, known_apart, under};
use crate::engines::stimuli::{WORDS, Word};

/// A latch, by index, that differs from the original's, with its values.
pub(super) type Difference = (u32, Rails);

/// A mutant under simulation: its differences from the original before the next step.
pub(super) struct Fault {
    mutant: SelectorId,
    /// Nodes, by index, that this mutant needs and the original does not, ascending.
    only: Vec<u32>,
    /// The latches whose values differ from the original's, with their values.
    latches: Vec<Difference>,
    /// Lanes in which all constraints of the mutant are known to have held so far.
    alive: Word,
}

impl Fault {
    pub(super) fn of(circuit: &Circuit<'_>, mutant: SelectorId) -> Fault {
        Fault {
            mutant,
            only: circuit.only_in(mutant),
            latches: Vec::new(),
            alive: [u64::MAX; WORDS],
        }
    }

    pub(super) fn mutant(&self) -> SelectorId {
        self.mutant
    }
}

/// The working memory in which a thread computes the differences of a step.
pub(super) struct Scratch<'c> {
    circuit: &'c Circuit<'c>,
    /// The nodes that differ from the original in the current step, by index, in the order in which they were found.
    found: Vec<u32>,
    /// The values of the nodes in `found`.
    values: Vec<Rails>,
    /// For each node its position in `found`, from 1; 0 if it does not differ.
    places: Vec<u32>,
    /// The gates that are still to be evaluated, one bit per node.
    waiting: Vec<u64>,
    /// The number of gates in `waiting`.
    left: usize,
}

impl<'c> Scratch<'c> {
    pub(super) fn of(circuit: &'c Circuit<'c>) -> Scratch<'c> {
        let nodes = circuit.model.aig.len();
        Scratch {
            circuit,
            found: Vec::new(),
            values: Vec::new(),
            places: vec![0; nodes],
            waiting: vec![0; nodes.div_ceil(64)],
            left: 0,
        }
    }

    /// Simulates one step of a mutant, parallel to the original's. Returns the lanes in which it is definitely killed, and the number of
    /// evaluated gates.
    pub(super) fn advance(&mut self, original: &Simulation<'_>, fault: &mut Fault) -> (Word, u64) {
        let aig = &self.circuit.model.aig;
        let selector = &self.circuit.model.selectors[fault.mutant.0];
        self.set(aig.latches()[selector.latch].var.index(), constant(true));
        for &node in &fault.only {
            self.wait(node);
        }
        for (latch, value) in &fault.latches {
            self.set(aig.latches()[*latch as usize].var.index(), *value);
        }
        let evaluated = self.spread(original);
        let lanes = self.killing(original, fault);
        self.remember(original, fault);
        self.clear();
        (lanes, evaluated)
    }

    /// Records a value of a node that differs from the original's, and marks the node's readers for evaluation.
    fn set(&mut self, node: usize, value: Rails) {
        // Nodes are numbered in 32 bits.
        self.found.push(u32::try_from(node).unwrap_or(u32::MAX));
        self.values.push(value);
        self.places[node] = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        for &reader in self.circuit.readers(node) {
            self.wait(reader);
        }
    }

    fn wait(&mut self, gate: u32) {
        let (word, bit) = (gate as usize / 64, 1 << (gate % 64));
        self.left += usize::from(self.waiting[word] & bit == 0);
        self.waiting[word] |= bit;
    }

    fn is_different(&self, node: usize) -> bool {
        self.places[node] != 0
    }

    fn value(&self, original: &Simulation<'_>, lit: Lit) -> Rails {
        let (rails, flipped) = self.operand(original, lit);
        under(*rails, flipped)
    }

    /// Returns the stored values for a literal, the mutant's or else the original's, and 1 if the literal has their complement.
    #[inline]
    fn operand<'s>(&'s self, original: &'s Simulation<'_>, lit: Lit) -> (&'s Rails, usize) {
        match self.places[lit.var().index()] {
            0 => {
                let place = self.circuit.place(lit);
                (&original.values[place.index()], place.flipped())
            }
            place => (
                &self.values[place as usize - 1],
                usize::from(lit.is_negated()),
            ),
        }
    }

    /// Evaluates all gates that a difference reaches, in one pass, since readers have larger indices than their operands. Returns the
    /// number of evaluated gates.
    fn spread(&mut self, original: &Simulation<'_>) -> u64 {
        let mut evaluated = 0;
        let mut word = 0;
        while self.left > 0 {
            let bits = self.waiting[word];
            if bits == 0 {
                word += 1;
                continue;
            }
            let bit = bits.trailing_zeros() as usize;
            self.waiting[word] &= bits - 1;
            self.left -= 1;
            evaluated += 1;
            let node = 64 * word + bit;
            if let Node::And(a, b) = self.circuit.model.aig.node(Var::new(node)) {
                let value = and(self.operand(original, a), self.operand(original, b));
                let same = self.circuit.has_value(node) && {
                    let place = self.circuit.place(Var::new(node).lit());
                    !differ(&value, &original.values[place.index()], place.flipped())
                };
                if !same {
                    self.set(node, value);
                }
            }
        }
        evaluated
    }

    /// Returns the lanes in which an output is known in both and differs, and all constraints have held in both so far.
    fn killing(&self, original: &Simulation<'_>, fault: &mut Fault) -> Word {
        let aig = &self.circuit.model.aig;
        let owed = match ignores_constraints() {
            true => &[],
            false => aig.constraints.as_slice(),
        };
        for constraint in owed {
            let holds = holds(self.value(original, constraint.lit));
            fault.alive = std::array::from_fn(|w| fault.alive[w] & holds[w]);
        }
        let mut killing = [0; WORDS];
        for output in &aig.outputs {
            if self.is_different(output.lit.var().index()) {
                let [own, other] = [original.value(output.lit), self.value(original, output.lit)];
                let apart = known_apart(own, other);
                killing = std::array::from_fn(|w| killing[w] | apart[w]);
            }
        }
        std::array::from_fn(|w| killing[w] & original.alive[w] & fault.alive[w])
    }

    /// Stores the latches that differ from the original's after the step.
    fn remember(&self, original: &Simulation<'_>, fault: &mut Fault) {
        let aig = &self.circuit.model.aig;
        if planted(Planted::StaleDifference) && !fault.latches.is_empty() {
            return;
        }
        fault.latches.clear();
        for &node in &self.found {
            for &latch in self.circuit.latches_of(node as usize) {
                let next = aig.latches()[latch as usize].next;
                fault.latches.push((latch, self.value(original, next)));
            }
        }
    }

    fn clear(&mut self) {
        for node in self.found.drain(..) {
            self.places[node as usize] = 0;
        }
        self.values.clear();
    }
}
