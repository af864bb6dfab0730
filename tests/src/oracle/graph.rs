//! One side of a conditional mutant as a graph of its reachable states, built on demand.
//!
//! For models where the step tables of [`Machine`](super::Machine) would not fit. All choices and inputs of a step are evaluated at once,
//! 64 to a machine word. Only for circuits without constraints, in which every run can continue.

use std::rc::Rc;

use hyperkill_core::aig::Node;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use rustc_hash::FxHashMap;

use super::explicit::{spread, transpose};
use super::{TooLarge, Word};

/// The largest number of input and choice bits per step.
const ALPHABET_BITS: usize = 20;
/// The largest number of steps, over all states.
const MOVES: usize = 1 << 26;

/// Index of a state of a [`Graph`].
pub(super) type Vertex = u32;

/// The outputs and the next state of one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Edge {
    /// Bit k is the circuit's k-th output.
    pub(super) outputs: Word,
    /// The state after the step.
    pub(super) next: Vertex,
}

/// All different steps from one state under one input, ascending.
pub(super) type Edges = Rc<[Edge]>;

/// An original or a mutant.
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// By node: its value, if the selectors alone determine it.
    fixed: Vec<Option<bool>>,
    /// The gates in the cone of influence of the outputs, fan-ins first.
    gates: Vec<(usize, Lit, Lit)>,
    /// The latches in the cone of influence of the outputs: node, next value, reset, and the bit of a state that holds the latch.
    latches: Vec<(usize, Lit, Reset, usize)>,
    outputs: Vec<Lit>,
    /// The nodes of the choices in that cone.
    choices: Vec<usize>,
    /// The nodes of all test inputs.
    inputs: Vec<usize>,
    /// By node: its values under 64 valuations, one per bit.
    values: Vec<u64>,
    states: Vec<u64>,
    vertices: FxHashMap<u64, Vertex>,
    initial: Vec<Vertex>,
    steps: Vec<Option<Rc<[Edges]>>>,
    moves: usize,
}

impl Graph {
    /// Returns the graph of the original (`None`) or of the mutant with exactly this selector on.
    ///
    /// # Errors
    ///
    /// If the circuit has constraints, more than 64 outputs or latches, or too many inputs, choices or initial states.
    pub(super) fn new(
        model: &ConditionalMutant,
        selector: Option<SelectorId>,
    ) -> Result<Graph, TooLarge> {
        let aig = &model.aig;
        let too_many = |what: &str, n: usize| TooLarge {
            what: format!("{n} {what}"),
        };
        if aig.constraints.iter().any(|c| c.lit != Lit::TRUE) {
            return Err(too_many("constraints", aig.constraints.len()));
        }
        if aig.outputs.len() > 64 {
            return Err(too_many("outputs", aig.outputs.len()));
        }
        let mut graph = Graph {
            nodes: aig.nodes().map(|(_, node)| node).collect(),
            fixed: Vec::new(),
            gates: Vec::new(),
            latches: Vec::new(),
            outputs: aig.outputs.iter().map(|output| output.lit).collect(),
            choices: Vec::new(),
            inputs: (model.input_bits())
                .map(|bit| aig.inputs()[bit].var.index())
                .collect(),
            values: vec![0; aig.len()],
            states: Vec::new(),
            vertices: FxHashMap::default(),
            initial: Vec::new(),
            steps: Vec::new(),
            moves: 0,
        };
        graph.fix(model, selector);
        let read = graph.read(model);
        for (place, &node) in graph.nodes.iter().enumerate() {
            if let (true, Node::And(a, b)) = (read[place], node) {
                graph.gates.push((place, a, b));
            }
        }
        let hidden = aig.latches().iter().enumerate();
        let hidden = hidden.filter(|&(l, _)| model.selectors.iter().all(|s| s.latch != l));
        for (bit, (_, latch)) in hidden.enumerate() {
            let place = latch.var.index();
            if read[place] {
                if bit >= 64 {
                    return Err(too_many("latches", aig.latches().len()));
                }
                graph.latches.push((place, latch.next, latch.reset, bit));
            }
        }
        let choices = model.choice_bits().map(|bit| aig.inputs()[bit].var.index());
        graph.choices = choices.filter(|&place| read[place]).collect();
        let alphabet = graph.choices.len() + graph.inputs.len();
        if alphabet > ALPHABET_BITS {
            return Err(too_many("bits of input and choice", alphabet));
        }
        graph.begin()?;
        Ok(graph)
    }

    /// Sets the selectors to constants and propagates the constants through the gates.
    fn fix(&mut self, model: &ConditionalMutant, selector: Option<SelectorId>) {
        for place in 0..self.nodes.len() {
            let of = |lit: Lit| self.fixed[lit.var().index()].map(|v| v != lit.is_negated());
            let value = match self.nodes[place] {
                Node::False => Some(false),
                Node::Input(_) => None,
                Node::Latch(l) => {
                    let here = model.selectors.iter().position(|s| s.latch == l as usize);
                    here.map(|s| selector == Some(SelectorId(s)))
                }
                Node::And(a, b) => match (of(a), of(b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
            };
            self.values[place] = spread(value == Some(true));
            self.fixed.push(value);
        }
    }

    /// Returns, by node, whether it is in the cone of influence of the outputs.
    fn read(&self, model: &ConditionalMutant) -> Vec<bool> {
        let mut read = vec![false; self.nodes.len()];
        let mut open: Vec<Lit> = self.outputs.clone();
        while let Some(lit) = open.pop() {
            let place = lit.var().index();
            if self.fixed[place].is_some() || std::mem::replace(&mut read[place], true) {
                continue;
            }
            match self.nodes[place] {
                Node::And(a, b) => open.extend([a, b]),
                Node::Latch(l) => open.push(model.aig.latches()[l as usize].next),
                Node::False | Node::Input(_) => {}
            }
        }
        read
    }

    fn begin(&mut self) -> Result<(), TooLarge> {
        let mut fixed = 0u64;
        let mut free = Vec::new();
        for &(_, _, reset, bit) in &self.latches {
            match reset {
                Reset::Zero => {}
                Reset::One => fixed |= 1 << bit,
                Reset::Free => free.push(bit),
            }
        }
        if free.len() > ALPHABET_BITS {
            return Err(TooLarge {
                what: format!("{} free initial bits", free.len()),
            });
        }
        for choice in 0..1u64 << free.len() {
            let bits = free.iter().enumerate();
            let state = bits.fold(fixed, |state, (k, bit)| state | (choice >> k & 1) << bit);
            let vertex = self.vertex(state);
            self.initial.push(vertex);
        }
        Ok(())
    }

    fn vertex(&mut self, state: u64) -> Vertex {
        *self.vertices.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.steps.push(None);
            self.states.len() as Vertex - 1
        })
    }

    /// Returns all initial states.
    #[must_use]
    pub(super) fn initial(&self) -> &[Vertex] {
        &self.initial
    }

    /// Returns the values of the latches that outputs depend on, one per bit. Two graphs of one circuit use the same bits.
    #[must_use]
    pub(super) fn state(&self, vertex: Vertex) -> u64 {
        self.states[vertex as usize]
    }

    /// Returns all steps from a state, indexed by the valuation of the test inputs.
    ///
    /// # Errors
    ///
    /// If the graph becomes too large.
    pub(super) fn steps(&mut self, vertex: Vertex) -> Result<Rc<[Edges]>, TooLarge> {
        if let Some(steps) = &self.steps[vertex as usize] {
            return Ok(Rc::clone(steps));
        }
        let bits = self.choices.len() + self.inputs.len();
        let mut found: Vec<Vec<Edge>> = vec![Vec::new(); 1 << self.inputs.len()];
        for block in 0..1usize << bits.saturating_sub(6) {
            self.evaluate(self.states[vertex as usize], block);
            let outputs = self.lanes(&self.outputs.iter().copied().enumerate().collect::<Vec<_>>());
            let next = self.latches.iter().map(|&(_, next, _, bit)| (bit, next));
            let next = self.lanes(&next.collect::<Vec<_>>());
            for lane in 0..64.min(1 << bits) {
                let edge = Edge {
                    outputs: outputs[lane],
                    next: self.vertex(next[lane]),
                };
                let edges = &mut found[(64 * block + lane) >> self.choices.len()];
                if edges.last() != Some(&edge) {
                    edges.push(edge);
                }
            }
        }
        let mut steps: Vec<Edges> = Vec::with_capacity(found.len());
        for mut edges in found {
            edges.sort_unstable();
            edges.dedup();
            match steps.iter().find(|known| known[..] == edges[..]) {
                Some(known) => steps.push(Rc::clone(known)),
                None => {
                    self.moves += edges.len();
                    steps.push(edges.into());
                }
            }
        }
        if self.moves > MOVES {
            return Err(TooLarge {
                what: format!("more than {MOVES} steps"),
            });
        }
        let steps: Rc<[Edges]> = steps.into();
        self.steps[vertex as usize] = Some(Rc::clone(&steps));
        Ok(steps)
    }

    /// Evaluates all gates under 64 valuations of choices (the low bits) and inputs: valuation `64 * block + lane` in lane `lane`.
    fn evaluate(&mut self, state: u64, block: usize) {
        for &(place, _, _, bit) in &self.latches {
            self.values[place] = spread(state >> bit & 1 == 1);
        }
        for (k, &place) in self.choices.iter().chain(&self.inputs).enumerate() {
            let bit = |lane: usize| ((64 * block + lane) >> k & 1) as u64;
            self.values[place] = (0..64).fold(0, |word, lane| word | bit(lane) << lane);
        }
        for &(place, a, b) in &self.gates {
            self.values[place] = value(&self.values, a) & value(&self.values, b);
        }
    }

    /// Returns one word per lane: the bits with the given indices have the values of the wires.
    fn lanes(&self, wires: &[(usize, Lit)]) -> [u64; 64] {
        let mut rows = [0; 64];
        for &(bit, lit) in wires {
            rows[bit] = value(&self.values, lit);
        }
        transpose(&mut rows);
        rows
    }
}

fn value(values: &[u64], lit: Lit) -> u64 {
    values[lit.var().index()] ^ spread(lit.is_negated())
}
