//! The original without its mutants, prepared for ternary simulation that keeps all values.

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};

use super::rails::{ANY, Rails, and, constant, holds, known, under};
use crate::engines::stimuli::{Starts, WORDS, Word};

/// The part of a circuit that the original needs, simplified with all mutants off.
///
/// With all selectors off, most nodes simplify to constants or to other nodes: their *image*. Only images are evaluated. Nodes that only
/// mutants need have no value. Folding is limited to 0 ∧ x, 1 ∧ x and x ∧ x, so that a value known here is also known to a simulation of
/// the unfolded graph.
pub(super) struct Folded<'a> {
    pub(super) model: &'a ConditionalMutant,
    /// For each node its image, the literal to which it simplifies.
    image: Vec<Lit>,
    /// For each node the place of its image's value. Values are numbered densely, for locality.
    places: Vec<Place>,
    /// The number of values that a simulation stores.
    values: usize,
    /// The evaluated gates, in topological order: the index of the value, and the places of the operands.
    gates: Vec<(u32, [Place; 2])>,
    /// Latches, by index, that are no selectors and are in the cone of outputs and constraints.
    kept: Vec<usize>,
    /// For each input whether the tester sets it.
    is_test_input: Vec<bool>,
    /// The cone of influence of outputs and constraints, in any variant.
    pub(super) cone: Cone,
}

impl<'a> Folded<'a> {
    /// Returns the circuit simplified with all selectors off.
    pub(super) fn of(model: &'a ConditionalMutant) -> Folded<'a> {
        let aig = &model.aig;
        let selectors = model.selector_of_latch();
        let image = model.images(|_| Some(false));
        let seen = aig.outputs.iter().chain(&aig.constraints);
        let seen: Vec<Lit> = seen.map(|signal| signal.lit).collect();
        let cone = Cone::sequential(aig, seen.iter().copied());
        let latches = aig.latches().iter().enumerate();
        let kept = latches.filter(|(i, latch)| selectors[*i].is_none() && cone.contains(latch.var));
        let kept: Vec<usize> = kept.map(|(i, _)| i).collect();
        let next = kept.iter().map(|&i| aig.latches()[i].next);
        let mut evaluated = needed(aig, &image, seen.into_iter().chain(next));
        // Inputs and latches always have values, since mutants may read them.
        for input in aig.inputs() {
            evaluated[input.var.index()] = true;
        }
        for latch in aig.latches() {
            evaluated[latch.var.index()] = true;
        }
        let (places, values) = numbered(&image, &evaluated);
        let gates = aig.nodes().filter_map(|(var, node)| match node {
            Node::And(a, b) if evaluated[var.index()] && image[var.index()] == var.lit() => {
                let operand = |lit: Lit| places[lit.var().index()].under(lit);
                Some((places[var.index()].0 >> 1, [operand(a), operand(b)]))
            }
            _ => None,
        });
        let gates = gates.collect();
        let mut is_test_input = vec![false; aig.inputs().len()];
        for bit in model.input_bits() {
            is_test_input[bit] = true;
        }
        Folded {
            model,
            image,
            places,
            values,
            gates,
            kept,
            is_test_input,
            cone,
        }
    }

    /// Whether the node, by index, simplifies to a constant in the original.
    pub(super) fn is_constant(&self, node: usize) -> bool {
        self.image[node].as_constant().is_some()
    }

    /// Whether the node, by index, has a value in the simulation of the original.
    pub(super) fn has_value(&self, node: usize) -> bool {
        self.places[node] != Place::NOWHERE
    }

    /// Returns the place of a literal's value; it has no meaning without [`Folded::has_value`].
    #[inline]
    pub(super) fn place(&self, lit: Lit) -> Place {
        self.places[lit.var().index()].under(lit)
    }

    /// Returns the latches, by index, that are no selectors and are in the cone of outputs and constraints.
    pub(super) fn kept(&self) -> &[usize] {
        &self.kept
    }

    pub(super) fn gate_count(&self) -> usize {
        self.gates.len()
    }
}

/// The index of a stored value and whether the value is complemented: `2 * index + complemented`. The first value is false.
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

    /// Returns 1 if the value is complemented, else 0.
    #[inline]
    pub(super) fn flipped(self) -> usize {
        (self.0 & 1) as usize
    }
}

/// Numbers the evaluated images in topological order. Returns for each node the place of its value, and the number of values.
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

/// Returns the literal to which a literal simplifies, given the image of each node.
pub(super) fn imaged(image: &[Lit], lit: Lit) -> Lit {
    let of = image[lit.var().index()];
    if lit.is_negated() { !of } else { of }
}

/// Returns for each node whether it is an image in the combinational cone of these literals, inputs and latches included.
pub(super) fn needed(aig: &Aig, image: &[Lit], roots: impl Iterator<Item = Lit>) -> Vec<bool> {
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
    needed
}

/// The inputs of a run that a simulation knows; all others are unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// Only the test inputs are known.
    Inputs,
    /// Test inputs, choices and free initial values are known.
    Everything,
}

/// Whether a planted fault makes the simulation ignore constraints.
pub(super) fn ignores_constraints() -> bool {
    planted(Planted::UnconstrainedFaults) || planted(Planted::UnconstrainedSimulation)
}

/// A simulation of the folded original in all lanes, at one step.
pub(super) struct Simulation<'c> {
    knows: Knowledge,
    folded: &'c Folded<'c>,
    /// The values of the circuit's images in all lanes, by [`Folded::place`].
    pub(super) values: Vec<Rails>,
    /// Lanes in which all constraints are known to have held so far.
    pub(super) alive: Word,
    next: Vec<Rails>,
    started: bool,
}

impl<'c> Simulation<'c> {
    /// Returns the simulation before the first step; `knows` says which inputs it knows.
    pub(super) fn start(folded: &'c Folded<'c>, knows: Knowledge) -> Simulation<'c> {
        Simulation {
            knows,
            folded,
            values: vec![constant(false); folded.values],
            alive: [u64::MAX; WORDS],
            next: vec![constant(false); folded.kept.len()],
            started: false,
        }
    }

    /// Advances by one step, with these inputs and initial values of latches, as far as they are known; one word of lanes for each.
    pub(super) fn step(&mut self, inputs: &[Word], initial: &Starts) {
        self.set_latches(initial);
        let all = self.knows == Knowledge::Everything;
        let aig = &self.folded.model.aig;
        let set = aig.inputs().iter().zip(&self.folded.is_test_input);
        for ((input, is_set), word) in set.zip(inputs) {
            let place = self.folded.place(input.var.lit());
            self.values[place.index()] = match is_set {
                _ if all => known(*word),
                true => known(*word),
                false if planted(Planted::UnknownTakenForZero) => constant(false),
                false => ANY,
            };
        }
        for &(index, [a, b]) in &self.folded.gates {
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

    fn set_latches(&mut self, initial: &Starts) {
        let all = self.knows == Knowledge::Everything;
        let latches = self.folded.model.aig.latches();
        for (at, &i) in self.folded.kept.iter().enumerate() {
            let latch = &latches[i];
            self.next[at] = match (self.started, latch.reset) {
                (true, _) => self.value(latch.next),
                (false, Reset::Zero) => constant(false),
                (false, Reset::One) => constant(true),
                (false, Reset::Free) if all => known(initial.of(i)),
                (false, Reset::Free) => ANY,
            };
        }
        self.started = true;
        for (&i, value) in self.folded.kept.iter().zip(&self.next) {
            let place = self.folded.place(latches[i].var.lit());
            self.values[place.index()] = *value;
        }
    }

    /// Returns the value of a literal that has one ([`Folded::has_value`]).
    pub(super) fn value(&self, lit: Lit) -> Rails {
        let place = self.folded.place(lit);
        under(self.values[place.index()], place.flipped())
    }
}
