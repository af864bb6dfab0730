//! The original with some mutants, compiled: its gates one after the other, each with places of few values.
//!
//! What is read for the last time leaves its place to others, so that the values of a large circuit stay where they are read fast.
//! Where nothing is unknown one bit for each lane is enough.

use rustc_hash::FxHashMap;

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};

use super::folded::{Knowledge, ignores_constraints, imaged, needed};
use super::signals::Signal;
use crate::engines::stimuli::{WORDS, Word};

/// Where a value is, and whether it is the complement that is meant: `2 * index + complemented`. The first is false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot(u32);

impl Slot {
    #[inline]
    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// 1 if the complement is meant.
    #[inline]
    fn flipped(self) -> usize {
        (self.0 & 1) as usize
    }
}

/// A gate: where its value comes to, and where its operands are.
#[derive(Clone, Copy)]
struct Gate {
    at: Slot,
    operands: [Slot; 2],
}

/// The original with some mutants, which lanes may be in.
///
/// Nothing is folded but 0 ∧ x, 1 ∧ x, x ∧ x and gates with the same operands, so that what is known here is known to whoever simulates the
/// graph as it is.
pub(super) struct Program {
    gates: Vec<Gate>,
    /// How many values there are at a time.
    slots: usize,
    /// Inputs that are read, by number, and whether the tester sets them.
    inputs: Vec<(Slot, usize, bool)>,
    /// Latches that outputs and constraints depend on.
    latches: Vec<Held>,
    /// The selectors of its mutants.
    selectors: Vec<Slot>,
    pub(super) outputs: Vec<Slot>,
    constraints: Vec<Slot>,
}

/// A latch: where it is and what it becomes.
struct Held {
    number: usize,
    reset: Reset,
    at: Slot,
    next: Slot,
}

impl Program {
    /// The original with these mutants; `kept` are the latches that outputs and constraints depend on in any variant.
    pub(super) fn of(model: &ConditionalMutant, kept: &[usize], mutants: &[SelectorId]) -> Program {
        let aig = &model.aig;
        let image = model.images(|selector| (!mutants.contains(&selector)).then_some(false));
        let image = merged(aig, &image);
        let latches = aig.latches();
        let seen = aig.outputs.iter().chain(&aig.constraints);
        let next = kept.iter().map(|&i| latches[i].next);
        let roots: Vec<Lit> = seen.map(|signal| signal.lit).chain(next).collect();
        let needed = needed(aig, &image, roots.iter().copied());
        let mut slots = Slots::of(aig, &image, &needed, &roots);
        let mut is_test_input = vec![false; aig.inputs().len()];
        for bit in model.input_bits() {
            is_test_input[bit] = true;
        }
        let inputs = aig.inputs().iter().zip(is_test_input).enumerate();
        let inputs = inputs
            .filter(|(_, (input, _))| needed[input.var.index()])
            .map(|(number, (input, is_set))| (slots.take(input.var), number, is_set));
        let inputs = inputs.collect();
        let of_selector = |mutant: &SelectorId| latches[model.selectors[mutant.0].latch].var;
        let selectors = mutants.iter().map(|mutant| slots.take(of_selector(mutant)));
        let selectors = selectors.collect();
        let held: Vec<Slot> = kept.iter().map(|&i| slots.take(latches[i].var)).collect();
        let gates = slots.gates(aig);
        let latches = kept.iter().zip(held).map(|(&number, at)| Held {
            number,
            reset: latches[number].reset,
            at,
            next: slots.at(latches[number].next),
        });
        Program {
            latches: latches.collect(),
            outputs: aig.outputs.iter().map(|s| slots.at(s.lit)).collect(),
            constraints: aig.constraints.iter().map(|s| slots.at(s.lit)).collect(),
            gates,
            slots: slots.most,
            inputs,
            selectors,
        }
    }

    pub(super) fn gate_count(&self) -> usize {
        self.gates.len()
    }

    pub(super) fn latch_count(&self) -> usize {
        self.latches.len()
    }

    /// Whether all values are known to whoever knows that much.
    pub(super) fn is_known(&self, knows: Knowledge) -> bool {
        let chosen = self.inputs.iter().any(|(_, _, is_set)| !is_set);
        let free = self.latches.iter().any(|held| held.reset == Reset::Free);
        knows == Knowledge::Everything || !(chosen || free)
    }
}

/// What nodes are where gates with the same operands are one, too.
fn merged(aig: &Aig, image: &[Lit]) -> Vec<Lit> {
    let mut merged: Vec<Lit> = Vec::with_capacity(image.len());
    let mut known: FxHashMap<[Lit; 2], Var> = FxHashMap::default();
    for (var, node) in aig.nodes() {
        let own = image[var.index()];
        let is = match node {
            Node::And(a, b) if own == var.lit() => {
                let mut operands = [a, b].map(|lit| imaged(&merged, imaged(image, lit)));
                operands.sort_unstable();
                match operands {
                    [a, b] if a == b => a,
                    _ => known.entry(operands).or_insert(var).lit(),
                }
            }
            _ if own == var.lit() => own,
            _ => imaged(&merged, own),
        };
        merged.push(is);
    }
    merged
}

/// Places of values while they are given out.
struct Slots<'i> {
    image: &'i [Lit],
    needed: &'i [bool],
    /// Per node its place, and the last gate that reads it; roots are kept until the end of a step.
    places: Vec<u32>,
    last: Vec<u32>,
    free: Vec<u32>,
    most: usize,
}

/// Read at the end of a step.
const KEPT: u32 = u32::MAX;

impl<'i> Slots<'i> {
    fn of(aig: &Aig, image: &'i [Lit], needed: &'i [bool], roots: &[Lit]) -> Slots<'i> {
        let mut slots = Slots {
            image,
            needed,
            places: vec![0; aig.len()],
            last: vec![0; aig.len()],
            free: Vec::new(),
            most: 1,
        };
        for (var, [a, b]) in slots.own_gates(aig) {
            // Nodes are numbered in 32 bits, and later gates come later.
            let gate = u32::try_from(var.index()).unwrap_or(KEPT);
            slots.last[a.var().index()] = gate;
            slots.last[b.var().index()] = gate;
        }
        for &root in roots {
            slots.last[imaged(image, root).var().index()] = KEPT;
        }
        slots
    }

    /// The gates that are evaluated, with what their operands are.
    fn own_gates(&self, aig: &Aig) -> Vec<(Var, [Lit; 2])> {
        let gates = aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) if self.needed[var.index()] && self.image[var.index()] == var.lit() => {
                Some((var, [a, b].map(|lit| imaged(self.image, lit))))
            }
            _ => None,
        });
        gates.collect()
    }

    /// A place for the value of a node.
    fn take(&mut self, var: Var) -> Slot {
        let place = self.free.pop().unwrap_or_else(|| {
            self.most += 1;
            // There are no more places than nodes.
            u32::try_from(self.most - 1).unwrap_or(u32::MAX)
        });
        self.places[var.index()] = place;
        Slot(2 * place)
    }

    /// Where the value of a literal is.
    fn at(&self, lit: Lit) -> Slot {
        let lit = imaged(self.image, lit);
        Slot(2 * self.places[lit.var().index()] + u32::from(lit.is_negated()))
    }

    /// The gates with their places: a gate may come where one of its operands was.
    fn gates(&mut self, aig: &Aig) -> Vec<Gate> {
        let gates = self.own_gates(aig).into_iter();
        let gates = gates.map(|(var, lits)| {
            let operands = lits.map(|lit| self.at(lit));
            for (number, lit) in lits.into_iter().enumerate() {
                let operand = lit.var();
                let is_gate = matches!(aig.node(operand), Node::And(..));
                let is_over = planted(Planted::PlaceGivenAway)
                    || self.last[operand.index()] as usize == var.index();
                if is_gate && is_over && (number == 0 || lits[0].var() != operand) {
                    self.free.push(self.places[operand.index()]);
                }
            }
            Gate {
                at: self.take(var),
                operands,
            }
        });
        gates.collect()
    }
}

/// All lanes of a program at one step.
pub(super) struct Running<'p, V> {
    program: &'p Program,
    knows: Knowledge,
    values: Vec<V>,
    next: Vec<V>,
    /// Lanes in which all constraints are known to have held so far.
    pub(super) alive: Word,
    started: bool,
}

impl<'p, V: Signal> Running<'p, V> {
    /// Before the first step, with the original in all lanes.
    pub(super) fn start(program: &'p Program, knows: Knowledge) -> Running<'p, V> {
        Running {
            program,
            knows,
            values: vec![V::constant(false); program.slots],
            next: vec![V::constant(false); program.latches.len()],
            alive: [u64::MAX; WORDS],
            started: false,
        }
    }

    /// Puts the mutant of this number into these lanes.
    pub(super) fn select(&mut self, number: usize, lanes: Word) {
        self.values[self.program.selectors[number].index()] = V::known(lanes);
    }

    /// Goes to the next step, the first one at first, with these inputs and first values of latches, as far as they are known. Each gate is
    /// shown with its number.
    pub(super) fn step(
        &mut self,
        inputs: &[Word],
        initial: &[Word],
        mut shown: impl FnMut(usize, &V),
    ) {
        self.set_latches(initial);
        let program = self.program;
        let all = self.knows == Knowledge::Everything;
        for &(at, number, is_set) in &program.inputs {
            self.values[at.index()] = match is_set {
                _ if all => V::known(inputs[number]),
                true => V::known(inputs[number]),
                false if planted(Planted::UnknownTakenForZero) => V::constant(false),
                false => V::unknown(),
            };
        }
        for (number, gate) in program.gates.iter().enumerate() {
            let [a, b] = gate.operands;
            let operand = |slot: Slot| (&self.values[slot.index()], slot.flipped());
            let value = V::and(operand(a), operand(b));
            shown(number, &value);
            self.values[gate.at.index()] = value;
        }
        if ignores_constraints() {
            return;
        }
        for &constraint in &program.constraints {
            let holds = self.value(constraint).is(true);
            self.alive = std::array::from_fn(|w| self.alive[w] & holds[w]);
        }
    }

    fn set_latches(&mut self, initial: &[Word]) {
        let all = self.knows == Knowledge::Everything;
        let program = self.program;
        for (at, held) in program.latches.iter().enumerate() {
            self.next[at] = match (self.started, held.reset) {
                (true, _) => self.value(held.next),
                (false, Reset::Zero) => V::constant(false),
                (false, Reset::One) => V::constant(true),
                (false, Reset::Free) if all => V::known(initial[held.number]),
                (false, Reset::Free) => V::unknown(),
            };
        }
        self.started = true;
        for (held, value) in program.latches.iter().zip(&self.next) {
            self.values[held.at.index()] = *value;
        }
    }

    /// The latches by number, with their values.
    pub(super) fn latches(&self) -> impl Iterator<Item = (usize, V)> + '_ {
        let latches = self.program.latches.iter().enumerate();
        latches.map(|(number, held)| (number, self.value(held.at)))
    }

    /// The value at a place that outlives a step.
    pub(super) fn value(&self, slot: Slot) -> V {
        self.values[slot.index()].under(slot.flipped())
    }
}
