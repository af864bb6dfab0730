//! Refines the classes by counterexamples of a solver: assignments under which two nodes of a class differ, and neighbouring assignments.
//!
//! Members are processed from the inputs on. A member that is proved equal to its representative is replaced by it in all nodes above (A.
//! Kuehlmann, F. Krohm, "Equivalence checking using cuts and heaps", DAC 1997). So most members are the same gate as their representative,
//! and need no solver.

use hyperkill_core::aig::Node;
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_sat::Answer;

use super::classes::Classes;
use crate::engines::encode::Encoder;
use crate::engines::induction::Neighbours;
use crate::engines::local_solver::LocalSolver;

/// The limits that remain for the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Limit on conflicts of each solver call.
    pub(super) conflicts: u32,
    /// Solver calls that are left.
    pub(super) calls: u32,
}

/// A step of a product, unrolled in a combinational graph, with the assumptions under which the classes are checked.
pub(super) struct UnrolledStep<'a> {
    /// The combinational graph with this step and the steps before it.
    pub(super) graph: &'a mut Aig,
    /// Literals of the graph that are assumed to be true.
    pub(super) assumed: &'a [Lit],
    /// For each node of the product, by index, its literal in the graph at this step; `None` outside the cone.
    pub(super) nodes: Vec<Option<Lit>>,
}

/// Refines `classes` until no two nodes of a class differ in `step` under the assumptions. Nodes that the effort leaves undecided are
/// removed from their classes. Returns whether a class has changed; `None` if a limit ended the sweep.
pub(super) fn sweep(
    product: &Aig,
    step: UnrolledStep<'_>,
    classes: &mut Classes,
    effort: &mut Effort,
    budget: &Budget,
) -> Option<bool> {
    let UnrolledStep {
        graph,
        assumed,
        nodes,
    } = step;
    let mut places = vec![0; product.len()];
    let mut watched = Vec::new();
    for member in classes.members() {
        places[member.var().index()] = watched.len();
        watched.push(literal(&nodes, member));
    }
    let mut sweep = Sweep {
        sides: Sides::new(graph, assumed),
        neighbours: Neighbours::new(graph, assumed, &watched),
        graph,
        places,
        merged: nodes.clone(),
        effort,
        budget,
    };
    let mut changed = false;
    for var in bottom_up(product) {
        if nodes[var.index()].is_none() {
            continue;
        }
        if let Node::And(a, b) = product.node(var) {
            let (a, b) = (literal(&sweep.merged, a), literal(&sweep.merged, b));
            sweep.merged[var.index()] = Some(sweep.graph.and(a, b));
        }
        changed |= sweep.settle(var, classes)?;
    }
    Some(changed)
}

/// The traversal of the nodes of a step, from the inputs on.
struct Sweep<'a> {
    graph: &'a mut Aig,
    sides: Sides,
    neighbours: Neighbours<'a>,
    /// For each node of the product its index among the nodes that are evaluated under the assignments near a counterexample.
    places: Vec<usize>,
    /// For each node of the product its literal in the step, with proved members replaced by their representatives.
    merged: Vec<Option<Lit>>,
    effort: &'a mut Effort,
    budget: &'a Budget,
}

impl Sweep<'_> {
    /// Merges a node with its representative if a solver proves them equal; a counterexample refines the classes until the node is alone or
    /// can be merged. Returns whether classes have changed; `None` if a limit ended the sweep.
    fn settle(&mut self, var: Var, classes: &mut Classes) -> Option<bool> {
        let mut changed = false;
        // Only the assumptions that earlier assignments violated are passed to the solver.
        let mut minded: Vec<Lit> = Vec::new();
        while let Some(other) = classes.representative(var) {
            let pair = [var.lit(), other].map(|lit| literal(&self.merged, lit));
            let answer = if pair[0] == pair[1] || fault::planted(Fault::SpeculatedCheck) {
                Answer::Impossible
            } else {
                let (effort, budget) = (&mut *self.effort, self.budget);
                (self.sides).differ(self.graph, pair, &minded, effort, budget)?
            };
            match answer {
                Answer::Impossible => {
                    self.merged[var.index()] = Some(pair[1]);
                    break;
                }
                Answer::Possible => {
                    let (encoder, neighbours) = (&mut self.sides.encoder, &mut self.neighbours);
                    neighbours.visit(self.graph, |input| encoder.gate_value(input));
                    let places = &self.places;
                    if classes.refine(|lit| neighbours.value(places[lit.var().index()])) {
                        changed = true;
                        continue;
                    }
                    let before = minded.len();
                    minded.extend_from_slice(neighbours.broken());
                    minded.sort_unstable();
                    minded.dedup();
                    // The assignment violates no new assumption, so the loop would not terminate.
                    if minded.len() == before {
                        return None;
                    }
                }
                Answer::Undecided(_) => {
                    if self.budget.stopped().is_some() {
                        return None;
                    }
                    classes.forget(var);
                    changed = true;
                }
            }
        }
        Some(changed)
    }
}

/// Returns latches, then inputs, then gates in topological order, which is the rank of representatives in [`Classes`].
fn bottom_up(product: &Aig) -> impl Iterator<Item = Var> + '_ {
    let latches = product.latches().iter().map(|latch| latch.var);
    let inputs = product.inputs().iter().map(|input| input.var);
    let gates = product.nodes();
    let gates = gates.filter(|(_, node)| matches!(node, Node::And(..)));
    latches.chain(inputs).chain(gates.map(|(var, _)| var))
}

fn literal(nodes: &[Option<Lit>], lit: Lit) -> Lit {
    nodes[lit.var().index()].unwrap_or(Lit::FALSE) ^ lit.is_negated()
}

/// A solver that decides whether two literals of a graph differ.
struct Sides {
    encoder: Encoder<LocalSolver>,
}

impl Sides {
    fn new(graph: &Aig, assumed: &[Lit]) -> Sides {
        let mut encoder = Encoder::new(LocalSolver::new());
        for &lit in assumed {
            encoder.require(graph, &[lit]);
        }
        Sides { encoder }
    }

    /// Asks whether some assignment gives the literals `a` and `b` different values: `Possible`, `Impossible`, or `Undecided` at the limit
    /// of conflicts. The assignment may violate assumptions that are not in `minded`. `None` if no solver call is left.
    fn differ(
        &mut self,
        graph: &Aig,
        [a, b]: [Lit; 2],
        minded: &[Lit],
        effort: &mut Effort,
        budget: &Budget,
    ) -> Option<Answer> {
        for sides in [[a, !b], [!a, b]] {
            if sides.contains(&Lit::FALSE) {
                continue;
            }
            effort.calls = effort.calls.checked_sub(1)?;
            let assumptions = sides.map(|lit| self.encoder.lit(graph, lit));
            let cones = sides.into_iter().chain(minded.iter().copied());
            self.encoder.focus(graph, cones);
            let conflicts = Some(effort.conflicts);
            match self.encoder.solve(&assumptions, conflicts, budget) {
                Answer::Impossible => {}
                answer => return Some(answer),
            }
        }
        Some(Answer::Impossible)
    }
}
