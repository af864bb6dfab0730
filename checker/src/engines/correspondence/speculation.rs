//! The induction step of signal correspondence in one combinational graph.
//!
//! In the assumed steps every node is replaced by its representative before other nodes read it, and a constraint states that the two are
//! equal (speculative reduction). In the checked step no node is replaced.

use hyperkill_core::aig::{Cone, Images};
use hyperkill_core::{Aig, Lit};
use hyperkill_evidence::fault::{self, Fault};

use super::classes::Classes;
use crate::question::Reachability;

/// Consecutive steps of the product, with the classes assumed in all but the last.
pub(super) struct Speculation {
    /// One combinational graph of all steps.
    pub(super) graph: Aig,
    /// Literals that are assumed: the steps before the last exist, and the classes hold in them.
    pub(super) assumed: Vec<Lit>,
    /// For each node of the product its literal in the last step.
    nodes: Images,
}

impl Speculation {
    /// Returns a graph of `depth` arbitrary consecutive steps of the question in which the classes are assumed, and a step after them for
    /// which they are checked.
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
            nodes: Images::none(source),
        };
        for step in 0..depth {
            speculation.assume_step(question, cone, classes, step == 0);
        }
        speculation.check_step(question, cone, classes);
        speculation.assumed.retain(|&lit| lit != Lit::TRUE);
        speculation
    }

    /// Adds a step, after those added before, in which the classes are assumed; the first step starts in any state.
    fn assume_step(
        &mut self,
        question: &Reachability,
        cone: &Cone,
        classes: &Classes,
        is_first: bool,
    ) {
        let source = &question.product.aig;
        let Speculation {
            graph,
            assumed,
            nodes,
        } = self;
        let before = std::mem::replace(nodes, Images::none(source));
        // Returns the representative, and assumes that it equals the node.
        let mut speculate = |graph: &mut Aig, own, other| {
            assumed.push(graph.iff(own, other));
            other
        };
        // A latch may be newer than the gates that it represents.
        for latch in source.latches() {
            let (var, other) = (latch.var, classes.representative(latch.var));
            if !cone.contains(var) {
                continue;
            }
            let image = match other {
                // The first step has no predecessor that determines the latch.
                Some(other) if is_first => nodes.of(other),
                Some(other) => speculate(graph, before.of(latch.next), nodes.of(other)),
                None if is_first => graph.add_input(None),
                None => before.of(latch.next),
            };
            nodes.set(var, image);
        }
        add_inputs(graph, nodes, source, cone);
        graph.copy_gates(
            source,
            nodes,
            |var| cone.contains(var),
            |graph, nodes, var, own| match classes.representative(var) {
                Some(other) => speculate(graph, own, nodes.of(other)),
                None => own,
            },
        );
        let exists = question.always.iter().map(|&lit| nodes.of(lit));
        assumed.extend(exists);
    }

    /// Adds the step in which the classes are checked, after the others, with no node replaced.
    fn check_step(&mut self, question: &Reachability, cone: &Cone, classes: &Classes) {
        let source = &question.product.aig;
        let Speculation {
            graph,
            assumed,
            nodes,
        } = self;
        let before = std::mem::replace(nodes, Images::none(source));
        for latch in source.latches() {
            if cone.contains(latch.var) {
                nodes.set(latch.var, before.of(latch.next));
            }
        }
        add_inputs(graph, nodes, source, cone);
        graph.copy_gates(source, nodes, |var| cone.contains(var), |_, _, _, own| own);
        if fault::planted(Fault::AssumedConclusion) {
            for (var, _) in source.nodes().filter(|(var, _)| cone.contains(*var)) {
                if let Some(other) = classes.representative(var) {
                    assumed.push(graph.iff(nodes.of(var.lit()), nodes.of(other)));
                }
            }
        }
    }

    /// Returns the graph's literal for a literal of the product in the checked step.
    pub(super) fn checked(&self, lit: Lit) -> Lit {
        self.nodes.of(lit)
    }
}

/// Adds an input to the graph for each input of the product in the cone, and records its literal in `nodes`.
fn add_inputs(graph: &mut Aig, nodes: &mut Images, source: &Aig, cone: &Cone) {
    for input in source.inputs() {
        if cone.contains(input.var) {
            nodes.set(input.var, graph.add_input(None));
        }
    }
}
