//! One copy of a model in a product, retimed so that late choices are read one step later than in the model.
//!
//! The next value of a latch that reads a late choice is not computed when the step is taken. The copy stores the *frontier*: the nodes
//! that read no late choice and are read by nodes that do. The next step computes the latch from the frontier and the choices made then.

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::product::{Copy, CopySpec, Product, Variant};
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_evidence::question::Options;

use super::options::{readers, selected};

/// The latches of a copy whose late choices are read one step later, and the construction of its steps.
pub(super) struct Retimed<'a> {
    source: &'a Aig,
    variant: Variant,
    options: &'a Options,
    /// For each latch whether it is a selector.
    is_selector: Vec<bool>,
    /// For each node its value, if the selectors determine it.
    selected: Vec<Option<bool>>,
    /// The cone of influence of outputs and constraints.
    cone: Cone,
    /// For each node whether it reads a late choice of the same step.
    reads_late: Vec<bool>,
    /// For each input of the model the product's literal, if it is a test input.
    inputs: Vec<Option<Lit>>,
    /// For each latch of the model the product's latch, by index, if its next value does not depend on late choices.
    latches: Vec<Option<usize>>,
    /// For each frontier node the product's literal for the value that it had in the step before.
    frontier: Vec<Option<Lit>>,
    /// Product latches that store a frontier node: index, and literal of the model's circuit.
    remembered: Vec<(usize, Lit)>,
}

/// The circuit of one step, as literals of the product, for one valuation of the choices.
pub(super) struct Instance {
    /// For each latch of the model its value before the step.
    pub(super) state: Vec<Lit>,
    /// The literal of each node of the model's circuit; `None` for nodes that read a late choice.
    pub(super) nodes: Vec<Option<Lit>>,
    pub(super) outputs: Vec<Lit>,
    /// The literal that is true iff the constraints hold.
    pub(super) valid: Lit,
}

impl<'a> Retimed<'a> {
    /// Adds the latches of a copy to the product, for these test inputs (a literal for each input of the model). `number` names the copy.
    pub(super) fn declare(
        aig: &mut Aig,
        model: &'a ConditionalMutant,
        variant: Variant,
        options: &'a Options,
        inputs: Vec<Option<Lit>>,
        number: usize,
    ) -> Retimed<'a> {
        let source = &model.aig;
        let roots = source.outputs.iter().chain(&source.constraints);
        let cone = Cone::sequential(source, roots.map(|signal| signal.lit));
        let selectors = model.selector_of_latch();
        let mut retimed = Retimed {
            source,
            variant,
            options,
            is_selector: selectors.iter().map(Option::is_some).collect(),
            selected: selected(model, variant),
            cone,
            reads_late: Vec::new(),
            inputs,
            latches: vec![None; source.latches().len()],
            frontier: vec![None; source.len()],
            remembered: Vec::new(),
        };
        retimed.reads_late = readers(source, &retimed.selected, &options.late);
        for (i, latch) in source.latches().iter().enumerate() {
            if retimed.has_state(i) && !retimed.reads_late[latch.next.var().index()] {
                let name = latch.name.as_ref().map(|n| format!("{n}@{number}"));
                retimed.latches[i] = Some(aig.latches().len());
                // A free initial value is a choice of the first step instead.
                aig.add_latch(Reset::constant(latch.reset == Reset::One), name);
            }
        }
        retimed.declare_frontier(aig, model);
        retimed
    }

    /// Whether the latch is in the cone of influence and no selector.
    fn has_state(&self, latch: usize) -> bool {
        self.cone.contains(self.source.latches()[latch].var) && !self.is_selector[latch]
    }

    /// Adds a latch for each frontier node, to store its value; nodes that simplify to the same literal share one.
    fn declare_frontier(&mut self, aig: &mut Aig, model: &ConditionalMutant) {
        let mut read = vec![false; self.source.len()];
        for (i, latch) in self.source.latches().iter().enumerate() {
            let next = latch.next.var().index();
            read[next] |= self.has_state(i) && self.reads_late[next];
        }
        if !read.contains(&true) {
            return;
        }
        let folded = Product::new(model, &[CopySpec::alone(self.variant)]);
        let mut shared = vec![None; folded.aig.len()];
        for (var, node) in self.source.nodes().rev() {
            if !read[var.index()] || self.selected[var.index()].is_some() {
                continue;
            }
            if self.reads_late[var.index()] {
                if let Node::And(a, b) = node {
                    read[a.var().index()] = true;
                    read[b.var().index()] = true;
                }
                continue;
            }
            let image = folded.copies[0].nodes[var.index()].unwrap_or(Lit::FALSE);
            let lit = if image.is_constant() {
                image
            } else {
                *shared[image.var().index()].get_or_insert_with(|| {
                    let remembered = var.lit() ^ image.is_negated();
                    self.remembered.push((aig.latches().len(), remembered));
                    aig.add_latch(Reset::Zero, None)
                }) ^ image.is_negated()
            };
            self.frontier[var.index()] = Some(lit);
        }
    }

    /// Returns the state in which a run starts, as one literal per latch of the model.
    ///
    /// `initial` has the values of the latches in `options.initial`, in that order. Other latches have their reset value; other latches
    /// with a free reset are 0.
    pub(super) fn first_state(&self, initial: &[Lit]) -> Vec<Lit> {
        let latches = self.source.latches().iter();
        let mut state: Vec<Lit> = latches
            .map(|latch| Lit::constant(latch.reset == Reset::One))
            .collect();
        for (&latch, &value) in self.options.initial.iter().zip(initial) {
            state[latch] = value;
        }
        state
    }

    /// Returns the state after the previous step, given the late choices of that step.
    pub(super) fn later_state(&self, aig: &mut Aig, late: &[Lit]) -> Vec<Lit> {
        let mut bits = vec![Lit::FALSE; self.source.inputs().len()];
        for (&bit, &value) in self.options.late.iter().zip(late) {
            bits[bit] = value;
        }
        let mut values = self.frontier.clone();
        for (var, node) in self.source.nodes() {
            let index = var.index();
            if let Some(value) = self.selected[index] {
                values[index] = Some(Lit::constant(value));
            } else if self.reads_late[index] {
                values[index] = match node {
                    Node::Input(i) => Some(bits[i as usize]),
                    Node::And(a, b) => and(aig, &values, a, b),
                    Node::False | Node::Latch(_) => None,
                };
            }
        }
        let known = |i: usize| self.latches[i].map(|index| aig.latches()[index].var.lit());
        let latches = self.source.latches().iter().enumerate();
        latches
            .map(|(i, latch)| {
                let next = || image(&values, latch.next);
                known(i).or_else(next).unwrap_or(Lit::FALSE)
            })
            .collect()
    }

    /// Returns the circuit of a step from this state, given its early choices in the order of the options.
    pub(super) fn step(&self, aig: &mut Aig, state: Vec<Lit>, early: &[Lit]) -> Instance {
        let mut inputs = vec![Lit::FALSE; self.source.inputs().len()];
        for (input, lit) in inputs.iter_mut().zip(&self.inputs) {
            *input = lit.unwrap_or(Lit::FALSE);
        }
        for (&bit, &value) in self.options.early.iter().zip(early) {
            inputs[bit] = value;
        }
        let mut nodes: Vec<Option<Lit>> = vec![None; self.source.len()];
        for (var, node) in self.source.nodes() {
            let index = var.index();
            if !self.cone.contains(var) || self.reads_late[index] {
                continue;
            }
            nodes[index] = match (self.selected[index], node) {
                (Some(value), _) => Some(Lit::constant(value)),
                (None, Node::False) => Some(Lit::FALSE),
                (None, Node::Input(i)) => Some(inputs[i as usize]),
                (None, Node::Latch(i)) => Some(state[i as usize]),
                (None, Node::And(a, b)) => and(aig, &nodes, a, b),
            };
        }
        let of = |lit: Lit| image(&nodes, lit).unwrap_or(Lit::FALSE);
        let outputs = self.source.outputs.iter().map(|o| of(o.lit)).collect();
        let constraints = self.source.constraints.iter();
        let constraints: Vec<Lit> = constraints.map(|constraint| of(constraint.lit)).collect();
        let valid = aig.and_all(&constraints);
        Instance {
            state,
            nodes,
            outputs,
            valid,
        }
    }

    /// Returns the values that a step must store for the next one, each with the index of the product latch: the known part of the next
    /// state, and the frontier. The order is the same for all steps.
    pub(super) fn memory(&self, step: &Instance) -> Vec<(usize, Lit)> {
        let mut memory = Vec::new();
        for (latch, index) in self.source.latches().iter().zip(&self.latches) {
            if let Some(index) = *index {
                memory.push((index, latch.next));
            }
        }
        memory.extend(&self.remembered);
        let of = |lit: Lit| image(&step.nodes, lit).unwrap_or(Lit::FALSE);
        memory.into_iter().map(|(i, lit)| (i, of(lit))).collect()
    }

    /// Returns the product latches that store a frontier node: index, and literal of the model's circuit.
    pub(super) fn remembered(&self) -> &[(usize, Lit)] {
        &self.remembered
    }

    /// Returns a literal that is true iff the copy's latches in the product have their initial values.
    pub(super) fn at_reset(&self, aig: &mut Aig) -> Lit {
        let mut holds = Vec::new();
        for (latch, index) in self.source.latches().iter().zip(&self.latches) {
            if let (Some(index), Some(value)) = (*index, latch.reset.as_constant()) {
                holds.push(aig.latches()[index].var.lit() ^ !value);
            }
        }
        aig.and_all(&holds)
    }

    /// Returns the copy that takes the step `own`, and makes the step's values the next values of the copy's latches.
    pub(super) fn finish(&self, aig: &mut Aig, own: Instance, early: &[Lit]) -> Copy {
        for (latch, next) in self.memory(&own) {
            aig.set_next(latch, next);
        }
        let mut inputs = self.inputs.clone();
        for (&bit, &value) in self.options.early.iter().zip(early) {
            inputs[bit] = Some(value);
        }
        Copy {
            spec: CopySpec::alone(self.variant),
            nodes: own.nodes,
            inputs,
            latches: self.latches.clone(),
            outputs: own.outputs,
            valid: own.valid,
            selectors: Vec::new(),
        }
    }
}

pub(super) fn image(values: &[Option<Lit>], lit: Lit) -> Option<Lit> {
    Some(values[lit.var().index()]? ^ lit.is_negated())
}

/// Returns the conjunction of two literals of the model in the product; `None` if an operand has no value and the other is not false.
/// Unlike core's copier, it meets nodes without a literal: those reading a late choice.
fn and(aig: &mut Aig, values: &[Option<Lit>], a: Lit, b: Lit) -> Option<Lit> {
    match (image(values, a), image(values, b)) {
        (Some(a), Some(b)) => Some(aig.and(a, b)),
        (Some(known), None) | (None, Some(known)) if known == Lit::FALSE => Some(Lit::FALSE),
        _ => None,
    }
}
