//! Bit-parallel simulation: 64·W runs of a circuit at once, one per bit ("lane") of W machine words.
//!
//! Lanes are either many stimuli of one variant ([`Simulator::for_variant`] folds the selectors away), or one stimulus on many mutants
//! ([`Lanes::select`] sets each lane's selector). Constraints are literals like any other, and are not enforced. The module draws no random
//! numbers.

mod cut;
mod possible;
pub mod words;

pub use cut::ShownBit;
pub use possible::Possible;

use crate::aig::{Images, Leaf, Node, Reset, walk};
use crate::product::Variant;
use crate::{Aig, ConditionalMutant, Lit, SelectorId, Var};

/// A literal of the compiled circuit: `2 * slot + complemented`. Slot 0 holds false.
#[derive(Clone, Copy, Debug)]
struct SlotLit(u32);

impl SlotLit {
    fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns all ones if complemented.
    fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }
}

/// A latch of the compiled circuit.
#[derive(Clone, Copy, Debug)]
struct SlotLatch {
    /// The index of the latch in the circuit.
    latch: usize,
    slot: usize,
    next: SlotLit,
    reset: Reset,
}

/// A circuit compiled for simulation: the needed gates in topological order, numbered densely.
#[derive(Clone, Debug)]
pub struct Simulator {
    /// The slot of each node's value, complemented or not; `None` outside the cone.
    places: Vec<Option<SlotLit>>,
    inputs: Vec<Option<usize>>,
    latches: Vec<SlotLatch>,
    /// The index into `latches` for each latch of the circuit.
    latch_index: Vec<Option<usize>>,
    /// The slot of the first gate; gate i is in slot `first_gate + i`.
    first_gate: usize,
    gates: Vec<[SlotLit; 2]>,
}

impl Simulator {
    /// Compiles the sequential cone of `roots`.
    #[must_use]
    pub fn compile(aig: &Aig, roots: impl IntoIterator<Item = Lit>) -> Simulator {
        Simulator::with_constants(aig, roots, |_| None)
    }

    /// Compiles outputs and constraints of one variant, with constant selectors folded away.
    #[must_use]
    pub fn for_variant(model: &ConditionalMutant, variant: Variant) -> Simulator {
        let selectors = model.selector_of_latch();
        let signals = model.aig.outputs.iter().chain(&model.aig.constraints);
        Simulator::with_constants(&model.aig, signals.map(|signal| signal.lit), |latch| {
            selectors[latch].map(|selector| variant == Variant::Mutant(selector))
        })
    }

    /// Compiles outputs and constraints of the original and a mutant together: the mutant's selector stays a latch, all others are 0.
    #[must_use]
    pub fn for_both(model: &ConditionalMutant, mutant: SelectorId) -> Simulator {
        let selectors = model.selector_of_latch();
        let signals = model.aig.outputs.iter().chain(&model.aig.constraints);
        Simulator::with_constants(&model.aig, signals.map(|signal| signal.lit), |latch| {
            selectors[latch]
                .filter(|&selector| selector != mutant)
                .map(|_| false)
        })
    }

    /// Compiles the sequential cone of the roots. Latches for which `constant` returns a value keep it forever.
    fn with_constants(
        aig: &Aig,
        roots: impl IntoIterator<Item = Lit>,
        constant: impl Fn(usize) -> Option<bool>,
    ) -> Simulator {
        let images = fold(aig, constant);
        let image = |lit: Lit| images.of(lit);
        let needed = needed(aig, roots.into_iter().map(image), image);
        let mut slots = Slots {
            needed,
            images: &images,
            places: vec![None; aig.len()],
            next: 1,
        };
        slots.places[0] = Some(SlotLit(0));
        let inputs = aig.inputs().iter();
        let inputs = inputs.map(|input| slots.place(input.var)).collect();
        let latch_slots = aig.latches().iter();
        let latch_slots: Vec<Option<usize>> =
            latch_slots.map(|latch| slots.place(latch.var)).collect();
        let mut gate_vars = Vec::new();
        let mut first_gate = None;
        for (var, node) in aig.nodes() {
            if matches!(node, Node::And(..))
                && let Some(slot) = slots.place(var)
            {
                first_gate.get_or_insert(slot);
                gate_vars.push(var);
            }
        }
        let gates = gate_vars
            .into_iter()
            .map(|var| match aig.node(var) {
                Node::And(a, b) => [slots.of(a), slots.of(b)],
                _ => [SlotLit(0); 2],
            })
            .collect();
        let mut latches = Vec::new();
        let mut latch_index = vec![None; aig.latches().len()];
        for (latch, slot) in latch_slots.into_iter().enumerate() {
            if let Some(slot) = slot {
                let driver = &aig.latches()[latch];
                latch_index[latch] = Some(latches.len());
                latches.push(SlotLatch {
                    latch,
                    slot,
                    next: slots.of(driver.next),
                    reset: driver.reset,
                });
            }
        }
        Simulator {
            inputs,
            latches,
            latch_index,
            first_gate: first_gate.unwrap_or(slots.next as usize),
            gates,
            places: slots.with_folded(aig),
        }
    }

    /// Returns the number of gates that a step evaluates.
    #[must_use]
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// Whether the literal was compiled, so that [`Lanes::value`] is meaningful.
    #[must_use]
    pub fn contains(&self, lit: Lit) -> bool {
        self.places[lit.var().index()].is_some()
    }

    /// Returns lanes with all values 0, in W words of 64 lanes each; 4 and 8 words are good choices.
    #[must_use]
    pub fn lanes<const W: usize>(&self) -> Lanes<'_, W> {
        Lanes {
            simulator: self,
            values: vec![[0; W]; self.first_gate + self.gates.len()],
            next: vec![[0; W]; self.latches.len()],
        }
    }
}

/// The allocation of slots, one for each needed node; slot 0 is the constant's.
struct Slots<'a> {
    needed: Vec<bool>,
    /// The images of nodes under known constants.
    images: &'a Images,
    places: Vec<Option<SlotLit>>,
    /// The next free slot.
    next: u32,
}

impl Slots<'_> {
    /// Gives a node the next free slot and returns it; `None` if the node is not needed.
    fn place(&mut self, var: Var) -> Option<usize> {
        if !self.needed[var.index()] {
            return None;
        }
        self.places[var.index()] = Some(SlotLit(2 * self.next));
        self.next += 1;
        Some((self.next - 1) as usize)
    }

    /// Returns the place of a literal's value, once its node has a slot.
    fn of(&self, lit: Lit) -> SlotLit {
        let lit = self.images.of(lit);
        let SlotLit(code) = self.places[lit.var().index()].unwrap_or(SlotLit(0));
        SlotLit(code ^ u32::from(lit.is_negated()))
    }

    /// Returns the places of all nodes; folded nodes share the places of their images.
    fn with_folded(mut self, aig: &Aig) -> Vec<Option<SlotLit>> {
        for (var, _) in aig.nodes() {
            let image = self.images.of(var.lit());
            if image != var.lit() {
                self.places[var.index()] = self.places[image.var().index()]
                    .map(|SlotLit(code)| SlotLit(code ^ u32::from(image.is_negated())));
            }
        }
        self.places
    }
}

/// Returns the image of each node if latches have the values that `constant` returns for their indices: a constant, an older node or its
/// complement, or itself.
fn fold(aig: &Aig, constant: impl Fn(usize) -> Option<bool>) -> Images {
    let mut images = Images::none(aig);
    walk(
        aig,
        &mut images,
        &mut (),
        |_| true,
        |(), _, var, leaf| match leaf {
            Leaf::Input(_) => var.lit(),
            Leaf::Latch(i) => constant(i).map_or(var.lit(), Lit::constant),
        },
        |(), _, var, [a, b]| {
            if a == Lit::FALSE || b == Lit::FALSE || a == !b {
                Lit::FALSE
            } else if a == Lit::TRUE || a == b {
                b
            } else if b == Lit::TRUE {
                a
            } else {
                var.lit()
            }
        },
    );
    images
}

/// Returns for each node whether it is in the sequential cone of the roots, if operands are replaced by their images.
fn needed(aig: &Aig, roots: impl Iterator<Item = Lit>, image: impl Fn(Lit) -> Lit) -> Vec<bool> {
    let mut needed = vec![false; aig.len()];
    let mut stack: Vec<Var> = roots.map(Lit::var).collect();
    while let Some(var) = stack.pop() {
        if std::mem::replace(&mut needed[var.index()], true) {
            continue;
        }
        match aig.node(var) {
            Node::False | Node::Input(_) => {}
            Node::Latch(i) => stack.push(image(aig.latches()[i as usize].next).var()),
            Node::And(a, b) => stack.extend([image(a).var(), image(b).var()]),
        }
    }
    needed
}

/// The values of 64·W runs at one step.
#[derive(Clone, Debug)]
pub struct Lanes<'a, const W: usize> {
    simulator: &'a Simulator,
    values: Vec<[u64; W]>,
    /// Next latch values during a step, since a latch may read another.
    next: Vec<[u64; W]>,
}

impl<const W: usize> Lanes<'_, W> {
    /// Number of runs that are simulated in parallel.
    pub const COUNT: usize = 64 * W;

    /// Returns the number of gates that a step evaluates.
    #[must_use]
    pub fn gate_count(&self) -> usize {
        self.simulator.gate_count()
    }

    /// Sets an input (by index in the circuit) in all lanes. Inputs outside the cone are ignored.
    pub fn set_input(&mut self, input: usize, value: [u64; W]) {
        if let Some(slot) = self.simulator.inputs[input] {
            self.values[slot] = value;
        }
    }

    /// Sets an input (by index in the circuit) to the same value in all lanes.
    pub fn set_input_everywhere(&mut self, input: usize, value: bool) {
        self.set_input(input, words::everywhere(value));
    }

    /// Sets a latch (by index in the circuit) in all lanes. Latches outside the cone, or constant by variant, are ignored.
    pub fn set_latch(&mut self, latch: usize, value: [u64; W]) {
        if let Some(index) = self.simulator.latch_index[latch] {
            self.values[self.simulator.latches[index].slot] = value;
        }
    }

    /// Returns the current values of a latch (by index in the circuit) in all lanes; 0 outside the cone.
    #[must_use]
    pub fn latch(&self, latch: usize) -> [u64; W] {
        match self.simulator.latch_index[latch] {
            Some(index) => self.values[self.simulator.latches[index].slot],
            None => [0; W],
        }
    }

    /// Sets all latches to their initial values. `free` gives the values of latches with a free reset, including selectors, by latch index.
    pub fn reset(&mut self, mut free: impl FnMut(usize) -> [u64; W]) {
        for latch in &self.simulator.latches {
            self.values[latch.slot] = match latch.reset {
                Reset::Zero => [0; W],
                Reset::One => [u64::MAX; W],
                Reset::Free => free(latch.latch),
            };
        }
    }

    /// Makes lane i a run of `variants[i]`, and further lanes runs of the original. Must be called after [`Lanes::reset`].
    pub fn select(&mut self, model: &ConditionalMutant, variants: &[Variant]) {
        let slots: Vec<Option<usize>> = model
            .selectors
            .iter()
            .map(|selector| {
                let index = self.simulator.latch_index[selector.latch]?;
                Some(self.simulator.latches[index].slot)
            })
            .collect();
        for &slot in slots.iter().flatten() {
            self.values[slot] = [0; W];
        }
        for (lane, variant) in variants.iter().enumerate().take(Self::COUNT) {
            if let Variant::Mutant(selector) = variant
                && let Some(slot) = slots[selector.0]
            {
                self.values[slot][lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    /// Computes all gates from inputs and latches.
    pub fn eval(&mut self) {
        let first = self.simulator.first_gate;
        for (i, &[a, b]) in self.simulator.gates.iter().enumerate() {
            let (x, y) = (self.values[a.slot()], self.values[b.slot()]);
            let (flip_x, flip_y) = (a.mask(), b.mask());
            self.values[first + i] = std::array::from_fn(|w| (x[w] ^ flip_x) & (y[w] ^ flip_y));
        }
    }

    /// Returns the value of a literal after the last [`Lanes::eval`]; lane i is bit i mod 64 of word i / 64. The value is 0 outside the
    /// cone ([`Simulator::contains`]).
    #[must_use]
    pub fn value(&self, lit: Lit) -> [u64; W] {
        match self.simulator.places[lit.var().index()] {
            Some(place) => {
                let flip = place.mask() ^ u64::from(lit.is_negated()).wrapping_neg();
                self.values[place.slot()].map(|word| word ^ flip)
            }
            None => [0; W],
        }
    }

    /// Returns the lanes, among these, in which all of these literals hold.
    #[must_use]
    pub fn holding(&self, among: [u64; W], literals: impl IntoIterator<Item = Lit>) -> [u64; W] {
        literals.into_iter().fold(among, |lanes, lit| {
            let holds = self.value(lit);
            std::array::from_fn(|w| lanes[w] & holds[w])
        })
    }

    /// Advances to the next step: latches take their next values of the last [`Lanes::eval`].
    pub fn step(&mut self) {
        for (next, latch) in self.next.iter_mut().zip(&self.simulator.latches) {
            let flip = latch.next.mask();
            *next = self.values[latch.next.slot()].map(|word| word ^ flip);
        }
        for (next, latch) in self.next.iter().zip(&self.simulator.latches) {
            self.values[latch.slot] = *next;
        }
    }
}
