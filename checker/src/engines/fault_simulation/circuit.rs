//! A circuit prepared for fault simulation, and the original simulated on it with three values.

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};
use rustc_hash::FxHashSet;

use crate::engines::stimuli::{WORDS, Word};

/// Whether a signal can be 0, and whether it can be 1, one bit per lane.
pub(super) type Rails = [Word; 2];

/// 0 or 1, nobody knows.
pub(super) const ANY: Rails = [[u64::MAX; WORDS]; 2];

/// One known value in all lanes.
pub(super) fn constant(value: bool) -> Rails {
    let can = |possible: bool| [u64::from(possible).wrapping_neg(); WORDS];
    [can(!value), can(value)]
}

#[inline]
pub(super) fn known(word: Word) -> Rails {
    [word.map(|lanes| !lanes), word]
}

#[inline]
pub(super) fn under(rails: Rails, flipped: usize) -> Rails {
    [rails[flipped], rails[1 - flipped]]
}

#[inline]
pub(super) fn and((a, a_flipped): (&Rails, usize), (b, b_flipped): (&Rails, usize)) -> Rails {
    let zero = [&a[a_flipped], &b[b_flipped]];
    let one = [&a[1 - a_flipped], &b[1 - b_flipped]];
    [
        std::array::from_fn(|w| zero[0][w] | zero[1][w]),
        std::array::from_fn(|w| one[0][w] & one[1][w]),
    ]
}

/// Whether two values differ in some lane. Written out, since comparing arrays would call a function for each gate.
#[inline]
pub(super) fn differ(a: &Rails, b: &Rails, flipped: usize) -> bool {
    let (zero, one) = (&b[flipped], &b[1 - flipped]);
    let mut any = 0;
    for w in 0..WORDS {
        any |= (a[0][w] ^ zero[w]) | (a[1][w] ^ one[w]);
    }
    any != 0
}

/// The lanes in which it is known to be 1.
pub(super) fn holds(rails: Rails) -> Word {
    std::array::from_fn(|w| rails[1][w] & !rails[0][w])
}

/// The lanes in which both are known, and different.
pub(super) fn known_apart(a: Rails, b: Rails) -> Word {
    std::array::from_fn(|w| {
        let zero = [a[0][w] & !a[1][w], b[0][w] & !b[1][w]];
        let one = [a[1][w] & !a[0][w], b[1][w] & !b[0][w]];
        (zero[0] & one[1]) | (one[0] & zero[1])
    })
}

/// A circuit with all its mutants, and what of it the original needs.
///
/// With all selectors off most nodes are constants or equal to others: their *image*. Only images are evaluated for the original.
/// Nodes that only mutants need have no value there.
/// Nothing is folded but 0 ∧ x, 1 ∧ x and x ∧ x, so that what is known here is known to whoever
/// simulates the graph as it is.
pub(super) struct Circuit<'a> {
    pub(super) model: &'a ConditionalMutant,
    /// Per node what it is in the original.
    image: Vec<Lit>,
    /// Per node where the original has its value, densely numbered, since what lies close together is read fast.
    places: Vec<Place>,
    /// How many values the original has.
    values: usize,
    /// The gates that are evaluated for the original, in topological order.
    gates: Vec<(u32, [Place; 2])>,
    /// Gates to be looked at when a node differs, by their numbers as nodes.
    readers: Grouped,
    /// Latches whose next value a node is, or its complement.
    latches: Grouped,
    /// The selector of each latch that is one.
    pub(super) selectors: Vec<Option<SelectorId>>,
    /// Which inputs the tester sets.
    pub(super) is_test_input: Vec<bool>,
}

impl<'a> Circuit<'a> {
    pub(super) fn of(model: &'a ConditionalMutant) -> Circuit<'a> {
        let aig = &model.aig;
        let selectors = model.selector_of_latch();
        let image = images(model, &selectors);
        let seen = aig.outputs.iter().chain(&aig.constraints);
        let seen: Vec<Lit> = seen.map(|signal| signal.lit).collect();
        let cone = Cone::sequential(aig, seen.iter().copied());
        let latches = aig.latches().iter().enumerate();
        let kept = latches.filter(|(i, latch)| selectors[*i].is_none() && cone.contains(latch.var));
        let kept: Vec<(usize, Lit)> = kept.map(|(i, latch)| (i, latch.next)).collect();
        let roots = seen.into_iter().chain(kept.iter().map(|(_, next)| *next));
        let evaluated = needed(aig, &image, roots);
        let (places, values) = numbered(&image, &evaluated);
        let gates = aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) if evaluated[var.index()] && image[var.index()] == var.lit() => {
                let operand = |lit: Lit| places[lit.var().index()].under(lit);
                Some((places[var.index()].0 >> 1, [operand(a), operand(b)]))
            }
            _ => None,
        });
        let gates = gates.collect();
        let next = kept.iter().map(|(i, next)| (next.var().index(), *i));
        let mut circuit = Circuit {
            model,
            image,
            places,
            values,
            gates,
            readers: Grouped::default(),
            latches: Grouped::of(aig.len(), next),
            selectors,
            is_test_input: vec![false; aig.inputs().len()],
        };
        circuit.readers = circuit.watching(&cone);
        for bit in model.input_bits() {
            circuit.is_test_input[bit] = true;
        }
        circuit
    }

    /// What must be looked at when something differs. A gate that is constant in the original stays so unless something else does not that
    /// is constant there: all that mutants alone need is left out so.
    fn watching(&self, cone: &Cone) -> Grouped {
        let aig = &self.model.aig;
        let gates = aig.nodes().map(|(var, _)| var);
        let gates = gates.filter(|&var| cone.contains(var) && self.has_value(var.index()));
        let gates = gates.map(Var::index);
        let edges = gates.flat_map(|gate| operands(aig, gate).map(move |operand| (operand, gate)));
        let edges =
            edges.filter(|(operand, gate)| !self.is_constant(*gate) || self.is_constant(*operand));
        let edges: Vec<(usize, usize)> = edges.collect();
        Grouped::of(aig.len(), edges.into_iter())
    }

    /// Whether it is constant in the original, as selectors are.
    pub(super) fn is_constant(&self, node: usize) -> bool {
        self.image[node].as_constant().is_some()
    }

    /// Whether the original has a value for it.
    pub(super) fn has_value(&self, node: usize) -> bool {
        self.places[node] != Place::NOWHERE
    }

    /// Where the original has the value of a literal, if it has one.
    #[inline]
    pub(super) fn place(&self, lit: Lit) -> Place {
        self.places[lit.var().index()].under(lit)
    }

    /// The nodes without a value in the original that a mutant needs, ascending.
    pub(super) fn only_in(&self, mutant: SelectorId) -> Vec<u32> {
        let aig = &self.model.aig;
        let latch = self.model.selectors[mutant.0].latch;
        let mut reached = vec![aig.latches()[latch].var.index()];
        let mut seen: FxHashSet<usize> = reached.iter().copied().collect();
        let mut only: FxHashSet<usize> = FxHashSet::default();
        let mut needed: Vec<usize> = Vec::new();
        while let Some(node) = reached.pop() {
            for &reader in self.readers.at(node) {
                let reader = reader as usize;
                if self.is_constant(reader) && seen.insert(reader) {
                    reached.push(reader);
                    needed.extend(operands(aig, reader));
                }
            }
        }
        while let Some(node) = needed.pop() {
            if !self.has_value(node) && only.insert(node) {
                needed.extend(operands(aig, node));
            }
        }
        // Nodes are numbered in 32 bits.
        let only = only.into_iter().filter_map(|node| u32::try_from(node).ok());
        let mut only: Vec<u32> = only.collect();
        only.sort_unstable();
        only
    }

    pub(super) fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// The gates to look at when a node differs, by their numbers.
    pub(super) fn readers(&self, node: usize) -> &[u32] {
        self.readers.at(node)
    }

    /// The latches that take a node's value, or its complement.
    pub(super) fn latches_of(&self, node: usize) -> &[u32] {
        self.latches.at(node)
    }
}

/// Where a value is, and whether it is the complement that is meant: `2 * index + complemented`. The first is false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u32);

impl Place {
    const NOWHERE: Place = Place(u32::MAX);

    #[inline]
    fn under(self, lit: Lit) -> Place {
        Place(self.0 ^ u32::from(lit.is_negated()))
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// 1 if the complement is meant.
    #[inline]
    pub(super) fn flipped(self) -> usize {
        (self.0 & 1) as usize
    }
}

/// Numbers the images that are evaluated, in topological order, and says of each node where its value is.
fn numbered(image: &[Lit], evaluated: &[bool]) -> (Vec<Place>, usize) {
    let mut places = vec![Place::NOWHERE; image.len()];
    places[0] = Place(0);
    let mut values = 1;
    for (node, of) in image.iter().enumerate().skip(1) {
        let own = of.var().index() == node;
        if own && evaluated[node] {
            places[node] = Place(2 * values);
            values += 1;
        } else if !own && places[of.var().index()] != Place::NOWHERE {
            places[node] = places[of.var().index()].under(*of);
        }
    }
    (places, values as usize)
}

fn operands(aig: &Aig, node: usize) -> impl Iterator<Item = usize> {
    let operands = match aig.node(Var::new(node)) {
        Node::And(a, b) => Some([a.var().index(), b.var().index()]),
        _ => None,
    };
    operands.into_iter().flatten()
}

fn imaged(image: &[Lit], lit: Lit) -> Lit {
    let of = image[lit.var().index()];
    if lit.is_negated() { !of } else { of }
}

/// What each node is with all selectors off: a constant, an older node or its complement, or itself.
fn images(model: &ConditionalMutant, selectors: &[Option<SelectorId>]) -> Vec<Lit> {
    let mut image = Vec::with_capacity(model.aig.len());
    for (var, node) in model.aig.nodes() {
        let of = match node {
            Node::False => Lit::FALSE,
            Node::Latch(i) if selectors[i as usize].is_some() => Lit::FALSE,
            Node::Input(_) | Node::Latch(_) => var.lit(),
            Node::And(a, b) => match [imaged(&image, a), imaged(&image, b)] {
                [a, b] if a == Lit::FALSE || b == Lit::FALSE => Lit::FALSE,
                [a, b] if a == Lit::TRUE || a == b => b,
                [a, b] if b == Lit::TRUE => a,
                _ => var.lit(),
            },
        };
        image.push(of);
    }
    image
}

/// The images that the values of these literals depend on within a step, inputs and latches among them.
fn needed(aig: &Aig, image: &[Lit], roots: impl Iterator<Item = Lit>) -> Vec<bool> {
    let mut needed = vec![false; aig.len()];
    let mut open: Vec<Var> = roots.map(|lit| imaged(image, lit).var()).collect();
    while let Some(var) = open.pop() {
        if std::mem::replace(&mut needed[var.index()], true) {
            continue;
        }
        if let Node::And(a, b) = aig.node(var) {
            open.extend([a, b].map(|lit| imaged(image, lit).var()));
        }
    }
    // Whatever else a mutant reads of these there is a value of.
    for input in aig.inputs() {
        needed[input.var.index()] = true;
    }
    for latch in aig.latches() {
        needed[latch.var.index()] = true;
    }
    needed
}

/// Numbers grouped by key: those of key k are between places `first[k]` and `first[k + 1]`.
#[derive(Default)]
struct Grouped {
    first: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grouped {
    fn of(keys: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Grouped {
        let mut first = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            first[key + 1] += 1;
        }
        for key in 0..keys {
            first[key + 1] += first[key];
        }
        let mut next = first.clone();
        let mut numbers = vec![0u32; first[keys] as usize];
        for (key, number) in pairs {
            // Nodes and latches are numbered in 32 bits.
            numbers[next[key] as usize] = u32::try_from(number).unwrap_or(u32::MAX);
            next[key] += 1;
        }
        Grouped { first, numbers }
    }

    fn at(&self, key: usize) -> &[u32] {
        &self.numbers[self.first[key] as usize..self.first[key + 1] as usize]
    }
}

/// What is known of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// What the tester sets.
    Inputs,
    /// Choices and free initial values too.
    Everything,
}

/// Whether a planted fault makes constraints be ignored.
pub(super) fn ignores_constraints() -> bool {
    planted(Planted::UnconstrainedFaults) || planted(Planted::UnconstrainedSimulation)
}

/// The original at one step, all selectors off.
pub(super) struct Original<'c> {
    knows: Knowledge,
    pub(super) circuit: &'c Circuit<'c>,
    /// What the values of the circuit's images are ([`Circuit::place`]).
    pub(super) values: Vec<Rails>,
    /// Lanes in which all constraints are known to have held so far.
    pub(super) alive: Word,
    next: Vec<Rails>,
    started: bool,
}

impl<'c> Original<'c> {
    pub(super) fn start(circuit: &'c Circuit<'c>, knows: Knowledge) -> Original<'c> {
        let aig = &circuit.model.aig;
        Original {
            knows,
            circuit,
            values: vec![constant(false); circuit.values],
            alive: [u64::MAX; WORDS],
            next: vec![constant(false); aig.latches().len()],
            started: false,
        }
    }

    /// Goes to the next step, the first one at first, with these inputs and first values of latches, as far as they are known.
    pub(super) fn step(&mut self, inputs: &[Word], initial: &[Word]) {
        let all = self.knows == Knowledge::Everything;
        let aig = &self.circuit.model.aig;
        for (i, latch) in aig.latches().iter().enumerate() {
            self.next[i] = match (self.circuit.selectors[i], self.started) {
                (Some(_), _) => continue,
                // Nobody reads it.
                (None, true) if !self.circuit.has_value(latch.next.var().index()) => continue,
                (None, true) => self.value(latch.next),
                (None, false) => match latch.reset {
                    Reset::Zero => constant(false),
                    Reset::One => constant(true),
                    Reset::Free if all => known(initial[i]),
                    Reset::Free => ANY,
                },
            };
        }
        self.started = true;
        let latches = aig.latches().iter().zip(&self.circuit.selectors);
        for ((latch, selector), value) in latches.zip(&self.next) {
            if selector.is_none() {
                let place = self.circuit.place(latch.var.lit());
                self.values[place.index()] = *value;
            }
        }
        let set = aig.inputs().iter().zip(&self.circuit.is_test_input);
        for ((input, is_set), word) in set.zip(inputs) {
            let place = self.circuit.place(input.var.lit());
            self.values[place.index()] = match is_set {
                _ if all => known(*word),
                true => known(*word),
                false if planted(Planted::UnknownTakenForZero) => constant(false),
                false => ANY,
            };
        }
        for &(index, [a, b]) in &self.circuit.gates {
            let operand = |place: Place| (&self.values[place.index()], place.flipped());
            self.values[index as usize] = and(operand(a), operand(b));
        }
        if ignores_constraints() {
            return;
        }
        for constraint in &aig.constraints {
            let holds = holds(self.value(constraint.lit));
            self.alive = std::array::from_fn(|w| self.alive[w] & holds[w]);
        }
    }

    /// The value of a literal that has one ([`Circuit::has_value`]).
    pub(super) fn value(&self, lit: Lit) -> Rails {
        let place = self.circuit.place(lit);
        under(self.values[place.index()], place.flipped())
    }
}
