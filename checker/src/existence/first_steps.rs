//! One first step, tried on many mutants: only nodes that differ from the original are computed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};
use rustc_hash::FxHashMap;

/// A first step of some variant, with the values that the circuit has in it, to be tried on other variants.
pub(super) struct FirstStep<'a> {
    aig: &'a Aig,
    /// The value of each node, with all selectors off.
    values: Vec<bool>,
    readers: Rc<Readers>,
    /// For each node the number of constraints that are the node itself, and the number of those that are its negation.
    constraints: FxHashMap<Var, [usize; 2]>,
    /// The number of constraints that the original breaks in this step.
    broken: usize,
    /// For each node the number of the last try in which its value differed from `values`.
    differs: Vec<usize>,
    tries: usize,
}

impl<'a> FirstStep<'a> {
    pub(super) fn new(
        model: &'a ConditionalMutant,
        run: &Stimulus,
        readers: &Rc<Readers>,
    ) -> FirstStep<'a> {
        let aig = &model.aig;
        let values = values(model, run);
        let mut constraints: FxHashMap<Var, [usize; 2]> = FxHashMap::default();
        for constraint in &aig.constraints {
            let counts = constraints.entry(constraint.lit.var()).or_default();
            counts[usize::from(constraint.lit.is_negated())] += 1;
        }
        let holds = |lit: Lit| values[lit.var().index()] != lit.is_negated();
        let lits = aig.constraints.iter().map(|constraint| constraint.lit);
        let broken = lits.filter(|lit| !holds(*lit)).count();
        FirstStep {
            aig,
            readers: Rc::clone(readers),
            constraints,
            broken,
            differs: vec![0; values.len()],
            values,
            tries: 0,
        }
    }

    /// Whether the step satisfies all constraints with this selector on, so that it is a first step of that mutant too.
    pub(super) fn is_one_with(&mut self, selector: Var) -> bool {
        self.tries += 1;
        let mut broken = self.broken;
        let mut open = BinaryHeap::from([Reverse(selector)]);
        let mut last = None;
        while let Some(Reverse(var)) = open.pop() {
            // Operands precede their readers in the order, so all operands of a node are known when it is visited.
            if last.replace(var) == Some(var) {
                continue;
            }
            let before = self.values[var.index()];
            let after = match self.aig.node(var) {
                Node::And(a, b) => self.value(a) && self.value(b),
                Node::False | Node::Input(_) | Node::Latch(_) => !before,
            };
            if before == after {
                continue;
            }
            self.differs[var.index()] = self.tries;
            if let Some(&[same, negated]) = self.constraints.get(&var) {
                let (now, formerly) = if after {
                    (negated, same)
                } else {
                    (same, negated)
                };
                broken = broken + now - formerly;
            }
            open.extend(self.readers.of(var).iter().copied().map(Reverse));
        }
        broken == 0
    }

    fn value(&self, lit: Lit) -> bool {
        let index = lit.var().index();
        let differs = self.differs[index] == self.tries;
        self.values[index] ^ differs ^ lit.is_negated()
    }
}

/// Returns the values of all nodes in the first step of the original.
fn values(model: &ConditionalMutant, run: &Stimulus) -> Vec<bool> {
    let aig = &model.aig;
    let selectors = model.selector_of_latch();
    let at = |values: &[bool], index: u32| values.get(index as usize).copied().unwrap_or(false);
    let inputs = run.steps.first().map_or(&[][..], Vec::as_slice);
    let mut values: Vec<bool> = Vec::with_capacity(aig.len());
    for (_, node) in aig.nodes() {
        let value = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
        let value = match node {
            Node::False => false,
            Node::Input(input) => at(inputs, input),
            Node::Latch(latch) if selectors[latch as usize].is_some() => false,
            Node::Latch(latch) => match aig.latches()[latch as usize].reset {
                Reset::Zero => false,
                Reset::One => true,
                Reset::Free => run.initial.get(latch as usize).unwrap_or(false),
            },
            Node::And(a, b) => value(a) && value(b),
        };
        values.push(value);
    }
    values
}

/// For each node in the constraints' cone of influence, a list of the gates of the cone that read it.
pub(super) struct Readers {
    /// The lists of readers of all nodes, one node after the other.
    all: Vec<Var>,
    /// The index of the first reader of each node; the last entry is the end of the list.
    begin: Vec<u32>,
}

impl Readers {
    pub(super) fn new(aig: &Aig) -> Readers {
        let roots = aig.constraints.iter().map(|constraint| constraint.lit);
        let cone = Cone::combinational(aig, roots);
        let gates = || {
            let nodes = aig.nodes().filter(|(var, _)| cone.contains(*var));
            nodes.filter_map(|(var, node)| match node {
                Node::And(a, b) => Some((var, [a.var(), b.var()])),
                Node::False | Node::Input(_) | Node::Latch(_) => None,
            })
        };
        let mut begin = vec![0; aig.len() + 1];
        for operand in gates().flat_map(|(_, operands)| operands) {
            begin[operand.index() + 1] += 1;
        }
        for node in 0..aig.len() {
            begin[node + 1] += begin[node];
        }
        let mut next = begin.clone();
        let mut all = vec![Var::new(0); begin[aig.len()] as usize];
        for (gate, operands) in gates() {
            for operand in operands {
                let at = &mut next[operand.index()];
                all[*at as usize] = gate;
                *at += 1;
            }
        }
        Readers { all, begin }
    }

    fn of(&self, var: Var) -> &[Var] {
        let index = var.index();
        &self.all[self.begin[index] as usize..self.begin[index + 1] as usize]
    }
}
