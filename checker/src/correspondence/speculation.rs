//! The induction step of signal correspondence in one combinational graph.
//!
//! In the assumed steps every node is replaced by what stands for its class before anything is built on it, and a constraint says
//! that the replacement was right (speculative reduction); in the checked
//! step nothing is replaced.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::{Aig, Lit};
use hyperkill_evidence::fault::{self, Fault};

use super::classes::Classes;
use crate::question::Reachability;

/// Consecutive steps of the product, with the classes assumed in all but the last.
pub(super) struct Speculation {
    /// One combinational graph that holds all of the steps.
    pub(super) graph: Aig,
    /// What holds: the steps before the last exist, and the classes are right in them.
    pub(super) assumed: Vec<Lit>,
    /// The nodes of the last step.
    nodes: Vec<Lit>,
}

impl Speculation {
    /// Any `depth` steps of the question in which the classes are right, and a step after them.
    pub(super) fn new(
        question: &Reachability,
        cone: &Cone,
        classes: &Classes,
        depth: usize,
    ) -> Speculation {
        let source = &question.product.aig;
        let mut speculation = Speculation {
            graph: Aig::new(),
            assumed: Vec::new(),
            nodes: vec![Lit::FALSE; source.len()],
        };
        for step in 0..depth {
            speculation.assume_step(question, cone, classes, step == 0);
        }
        speculation.check_step(question, cone, classes);
        speculation.assumed.retain(|&lit| lit != Lit::TRUE);
        speculation
    }

    /// A step in which the classes are right, after the last one, or any.
    fn assume_step(
        &mut self,
        question: &Reachability,
        cone: &Cone,
        classes: &Classes,
        is_first: bool,
    ) {
        let source = &question.product.aig;
        let before = std::mem::replace(&mut self.nodes, vec![Lit::FALSE; source.len()]);
        // A latch may be newer than the gates that it stands for.
        for latch in source.latches() {
            let (var, other) = (latch.var, classes.representative(latch.var));
            if !cone.contains(var) {
                continue;
            }
            let index = var.index();
            self.nodes[index] = match other {
                // Nothing came before that could say anything else.
                Some(other) if is_first => at(&self.nodes, other),
                Some(other) => self.speculate(at(&before, latch.next), other),
                None if is_first => self.graph.add_input(None),
                None => at(&before, latch.next),
            };
        }
        for input in source.inputs() {
            if cone.contains(input.var) {
                self.nodes[input.var.index()] = self.graph.add_input(None);
            }
        }
        for (var, node) in source.nodes() {
            if let Node::And(a, b) = node
                && cone.contains(var)
            {
                let own = self.graph.and(at(&self.nodes, a), at(&self.nodes, b));
                self.nodes[var.index()] = match classes.representative(var) {
                    Some(other) => self.speculate(own, other),
                    None => own,
                };
            }
        }
        let exists = question.always.iter().map(|&lit| at(&self.nodes, lit));
        self.assumed.extend(exists);
    }

    /// What stands for a node, which is as it should be.
    fn speculate(&mut self, own: Lit, other: Lit) -> Lit {
        let other = at(&self.nodes, other);
        self.assumed.push(self.graph.iff(own, other));
        other
    }

    /// The step after the last one, with nothing replaced.
    fn check_step(&mut self, question: &Reachability, cone: &Cone, classes: &Classes) {
        let source = &question.product.aig;
        let before = std::mem::replace(&mut self.nodes, vec![Lit::FALSE; source.len()]);
        let last = &mut self.nodes;
        for latch in source.latches() {
            if cone.contains(latch.var) {
                last[latch.var.index()] = at(&before, latch.next);
            }
        }
        for input in source.inputs() {
            if cone.contains(input.var) {
                last[input.var.index()] = self.graph.add_input(None);
            }
        }
        for (var, node) in source.nodes() {
            if !cone.contains(var) {
                continue;
            }
            if let Node::And(a, b) = node {
                last[var.index()] = self.graph.and(at(last, a), at(last, b));
            }
            if let Some(other) = classes.representative(var) {
                let other = at(last, other);
                if fault::planted(Fault::AssumedConclusion) {
                    let same = self.graph.iff(last[var.index()], other);
                    self.assumed.push(same);
                }
            }
        }
    }

    /// The literal of the graph for a literal of the product in the last step.
    pub(super) fn checked(&self, lit: Lit) -> Lit {
        at(&self.nodes, lit)
    }
}

fn at(nodes: &[Lit], lit: Lit) -> Lit {
    nodes[lit.var().index()] ^ lit.is_negated()
}
