//! The original without its mutants, prepared for simulation with three values, and simulated so that all values can be looked at.

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use hyperkill_evidence::fault::{Fault as Planted, planted};

use super::rails::{ANY, Rails, and, constant, holds, known, under};
use crate::engines::stimuli::{WORDS, Word};

/// What of a circuit the original needs.
///
/// With all selectors off most nodes are constants or equal to others: their *image*. Only images are evaluated.
/// Nodes that only mutants need have no value.
/// Nothing is folded but 0 ∧ x, 1 ∧ x and x ∧ x, so that what is known here is known to whoever
/// simulates the graph as it is.
pub(super) struct Folded<'a> {
    pub(super) model: &'a ConditionalMutant,
    /// Per node what it is without mutants.
    image: Vec<Lit>,
    /// Per node where its value is, densely numbered, since what lies close together is read fast.
    places: Vec<Place>,
    /// How many values there are.
    values: usize,
    /// The gates that are evaluated, in topological order.
    gates: Vec<(u32, [Place; 2])>,
    /// Latches that are no selectors and that outputs and constraints depend on.
    kept: Vec<usize>,
    /// Which inputs the tester sets.
    is_test_input: Vec<bool>,
    /// What outputs and constraints depend on, in whichever variant.
    pub(super) cone: Cone,
}

impl<'a> Folded<'a> {
    /// The original.
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
        // Whatever else a mutant reads of these there is a value of.
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

    /// Whether it is constant, as selectors that are off are.
    pub(super) fn is_constant(&self, node: usize) -> bool {
        self.image[node].as_constant().is_some()
    }

    /// Whether there is a value for it.
    pub(super) fn has_value(&self, node: usize) -> bool {
        self.places[node] != Place::NOWHERE
    }

    /// Where the value of a literal is, if it has one.
    #[inline]
    pub(super) fn place(&self, lit: Lit) -> Place {
        self.places[lit.var().index()].under(lit)
    }

    /// Latches that are no selectors and that outputs and constraints depend on.
    pub(super) fn kept(&self) -> &[usize] {
        &self.kept
    }

    pub(super) fn gate_count(&self) -> usize {
        self.gates.len()
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

/// What a literal is.
pub(super) fn imaged(image: &[Lit], lit: Lit) -> Lit {
    let of = image[lit.var().index()];
    if lit.is_negated() { !of } else { of }
}

/// The images that the values of these literals depend on within a step, inputs and latches among them.
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

/// All lanes of a folded circuit at one step.
pub(super) struct Simulation<'c> {
    knows: Knowledge,
    folded: &'c Folded<'c>,
    /// What the values of the circuit's images are ([`Folded::place`]).
    pub(super) values: Vec<Rails>,
    /// Lanes in which all constraints are known to have held so far.
    pub(super) alive: Word,
    next: Vec<Rails>,
    started: bool,
}

impl<'c> Simulation<'c> {
    /// Before the first step.
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

    /// Goes to the next step, the first one at first, with these inputs and first values of latches, as far as they are known.
    pub(super) fn step(&mut self, inputs: &[Word], initial: &[Word]) {
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

    fn set_latches(&mut self, initial: &[Word]) {
        let all = self.knows == Knowledge::Everything;
        let latches = self.folded.model.aig.latches();
        for (at, &i) in self.folded.kept.iter().enumerate() {
            let latch = &latches[i];
            self.next[at] = match (self.started, latch.reset) {
                (true, _) => self.value(latch.next),
                (false, Reset::Zero) => constant(false),
                (false, Reset::One) => constant(true),
                (false, Reset::Free) if all => known(initial[i]),
                (false, Reset::Free) => ANY,
            };
        }
        self.started = true;
        for (&i, value) in self.folded.kept.iter().zip(&self.next) {
            let place = self.folded.place(latches[i].var.lit());
            self.values[place.index()] = *value;
        }
    }

    /// The value of a literal that has one ([`Folded::has_value`]).
    pub(super) fn value(&self, lit: Lit) -> Rails {
        let place = self.folded.place(lit);
        under(self.values[place.index()], place.flipped())
    }
}
