//! The induction step of signal correspondence in one combinational graph.
//!
//! In the assumed step every node is replaced by what stands for its class before anything is built on it, and a constraint says
//! that the replacement was right (speculative reduction); in the checked step nothing is replaced.

use hyperkill_core::aig::{Cone, Node};
use hyperkill_core::{Aig, Lit};

use super::classes::Classes;
use crate::fault::{self, Fault};
use crate::question::Reachability;

/// Two consecutive steps.
pub(super) struct Speculation {
    /// Both steps.
    pub(super) graph: Aig,
    /// What holds: the first step exists, and the classes are right in it.
    pub(super) assumed: Vec<Lit>,
    /// The nodes of the second step.
    nodes: Vec<Lit>,
}

impl Speculation {
    /// Any step of the question in which the classes are right, and a step after it.
    pub(super) fn new(question: &Reachability, cone: &Cone, classes: &Classes) -> Speculation {
        let source = &question.product.aig;
        let mut graph = Aig::new();
        let mut assumed = Vec::new();
        let mut first = vec![Lit::FALSE; source.len()];
        // A latch may be newer than the gates that it stands for.
        for latch in source.latches() {
            let var = latch.var;
            if cone.contains(var) {
                first[var.index()] = match classes.representative(var) {
                    Some(other) => at(&first, other),
                    None => graph.add_input(None),
                };
            }
        }
        for input in source.inputs() {
            if cone.contains(input.var) {
                first[input.var.index()] = graph.add_input(None);
            }
        }
        for (var, node) in source.nodes() {
            if let Node::And(a, b) = node
                && cone.contains(var)
            {
                let own = graph.and(at(&first, a), at(&first, b));
                first[var.index()] = match classes.representative(var) {
                    Some(other) => {
                        let other = at(&first, other);
                        assumed.push(graph.iff(own, other));
                        other
                    }
                    None => own,
                };
            }
        }
        assumed.extend(question.always.iter().map(|&lit| at(&first, lit)));

        let mut second = vec![Lit::FALSE; source.len()];
        for latch in source.latches() {
            if cone.contains(latch.var) {
                second[latch.var.index()] = at(&first, latch.next);
            }
        }
        for input in source.inputs() {
            if cone.contains(input.var) {
                second[input.var.index()] = graph.add_input(None);
            }
        }
        for (var, node) in source.nodes() {
            if !cone.contains(var) {
                continue;
            }
            if let Node::And(a, b) = node {
                second[var.index()] = graph.and(at(&second, a), at(&second, b));
            }
            if let Some(other) = classes.representative(var) {
                let other = at(&second, other);
                if fault::planted(Fault::SpeculatedCheck) {
                    second[var.index()] = other;
                }
                if fault::planted(Fault::AssumedConclusion) {
                    assumed.push(graph.iff(second[var.index()], other));
                }
            }
        }
        assumed.retain(|&lit| lit != Lit::TRUE);
        Speculation {
            graph,
            assumed,
            nodes: second,
        }
    }

    /// The literal of the graph for a literal of the product in the second step.
    pub(super) fn checked(&self, lit: Lit) -> Lit {
        at(&self.nodes, lit)
    }
}

fn at(nodes: &[Lit], lit: Lit) -> Lit {
    nodes[lit.var().index()] ^ lit.is_negated()
}
