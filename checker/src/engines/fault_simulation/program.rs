//! The original with some mutants, compiled to a list of gates over few registers.
//!
//! A register is reused after the last read of its value, so that the values of a large circuit stay in the cache. If no value is unknown,
//! one bit per lane suffices.

use rustc_hash::FxHashMap;

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};

use super::folded::{Knowledge, ignores_constraints, imaged, needed};
use super::signals::Signal;
use crate::engines::stimuli::{Starts, WORDS, Word};

/// A register and whether its value is complemented: `2 * index + complemented`. The register of index 0 is always false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot(u32);

impl Slot {
    #[inline]
    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns 1 if the value is complemented, else 0.
    #[inline]
    fn flipped(self) -> usize {
        (self.0 & 1) as usize
    }
}

/// A compiled gate: the register that gets its value, and the registers of its operands.
#[derive(Clone, Copy)]
struct Gate {
    at: Slot,
    operands: [Slot; 2],
}

/// The original with some mutants, compiled to a list of gates; a simulated lane may select one of the mutants.
///
/// Folding is limited to 0 ∧ x, 1 ∧ x, x ∧ x and gates with equal operands, so that a value known here is also known to a simulation of the
/// unfolded graph.
pub(super) struct Program {
    gates: Vec<Gate>,
    /// The number of registers that the program needs.
    slots: usize,
    /// Inputs that are read: register, index in the circuit, and whether the tester sets them (else they are choices).
    inputs: Vec<(Slot, usize, bool)>,
    /// Latches in the cone of outputs and constraints.
    latches: Vec<Held>,
    /// The registers of the mutants' selectors, in the order of the mutants.
    selectors: Vec<Slot>,
    pub(super) outputs: Vec<Slot>,
    constraints: Vec<Slot>,
}

/// A latch: its index in the circuit, its register and the register of its next value.
struct Held {
    number: usize,
    reset: Reset,
    at: Slot,
    next: Slot,
}

impl Program {
    /// Returns the original with these mutants, compiled. `kept` are the latches in the cone of outputs and constraints in any variant.
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

    /// Whether the inputs that are known determine the values of all signals, so that no value is unknown.
    pub(super) fn is_known(&self, knows: Knowledge) -> bool {
        let chosen = self.inputs.iter().any(|(_, _, is_set)| !is_set);
        let free = self.latches.iter().any(|held| held.reset == Reset::Free);
        knows == Knowledge::Everything || !(chosen || free)
    }
}

/// Returns for each node the literal that has its value, given the nodes' images; of gates with equal operands only the first is kept.
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

/// Allocates registers to the nodes of a circuit, and reuses them after the last read.
struct Slots<'i> {
    image: &'i [Lit],
    needed: &'i [bool],
    /// For each node its register; the next field has the last gate that reads it. Roots are kept until the end of a step.
    places: Vec<u32>,
    last: Vec<u32>,
    free: Vec<u32>,
    most: usize,
}

/// Marks, in place of the last reading gate, a value that is read at the end of a step.
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
            // Nodes are numbered in 32 bits, and later gates have larger numbers.
            let gate = u32::try_from(var.index()).unwrap_or(KEPT);
            slots.last[a.var().index()] = gate;
            slots.last[b.var().index()] = gate;
        }
        for &root in roots {
            slots.last[imaged(image, root).var().index()] = KEPT;
        }
        slots
    }

    /// Returns the gates that are evaluated, each with its operands replaced by their images.
    fn own_gates(&self, aig: &Aig) -> Vec<(Var, [Lit; 2])> {
        let gates = aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) if self.needed[var.index()] && self.image[var.index()] == var.lit() => {
                Some((var, [a, b].map(|lit| imaged(self.image, lit))))
            }
            _ => None,
        });
        gates.collect()
    }

    /// Allocates a register for the value of a node, and returns it.
    fn take(&mut self, var: Var) -> Slot {
        let place = self.free.pop().unwrap_or_else(|| {
            self.most += 1;
            // There are no more registers than nodes.
            u32::try_from(self.most - 1).unwrap_or(u32::MAX)
        });
        self.places[var.index()] = place;
        Slot(2 * place)
    }

    /// Returns the register of a literal's value, complemented as needed.
    fn at(&self, lit: Lit) -> Slot {
        let lit = imaged(self.image, lit);
        Slot(2 * self.places[lit.var().index()] + u32::from(lit.is_negated()))
    }

    /// Returns the gates with their registers. A gate may reuse the register of one of its operands.
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

/// A simulation of a program in all lanes, at one step.
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
    /// Returns the simulation before the first step, with the original in all lanes.
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

    /// Selects, in these lanes, the mutant with this number in the program.
    pub(super) fn select(&mut self, number: usize, lanes: Word) {
        self.values[self.program.selectors[number].index()] = V::known(lanes);
    }

    /// Advances by one step, with these inputs and initial values of latches, as far as they are known; one word for each. Calls `shown`
    /// with the number and value of each gate.
    pub(super) fn step(
        &mut self,
        inputs: &[Word],
        initial: &Starts,
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

    fn set_latches(&mut self, initial: &Starts) {
        let all = self.knows == Knowledge::Everything;
        let program = self.program;
        for (at, held) in program.latches.iter().enumerate() {
            self.next[at] = match (self.started, held.reset) {
                (true, _) => self.value(held.next),
                (false, Reset::Zero) => V::constant(false),
                (false, Reset::One) => V::constant(true),
                (false, Reset::Free) if all => V::known(initial.of(held.number)),
                (false, Reset::Free) => V::unknown(),
            };
        }
        self.started = true;
        for (held, value) in program.latches.iter().zip(&self.next) {
            self.values[held.at.index()] = *value;
        }
    }

    /// Returns the latches, numbered in the order of the program, with their values.
    pub(super) fn latches(&self) -> impl Iterator<Item = (usize, V)> + '_ {
        let latches = self.program.latches.iter().enumerate();
        latches.map(|(number, held)| (number, self.value(held.at)))
    }

    /// Returns the value of a register that is kept until the end of a step.
    pub(super) fn value(&self, slot: Slot) -> V {
        self.values[slot.index()].under(slot.flipped())
    }
}
