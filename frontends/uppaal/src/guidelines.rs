//! The guidelines of \[0\]: which mutants refine the model, or are inconsistent, by their change alone if they are deterministic.

use hyperkill_core::timed::Relation;

use crate::conditions::relation;
use crate::syntax::{Edge, Expr, Node, Template};

/// A guideline that a mutant violates, which makes the mutant needless.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guideline {
    /// An output is left out.
    G1,
    /// An input is added.
    G2,
    /// A location without incoming input is left out.
    G3,
    /// A larger constant: an input with < or ≤, an output with > or ≥, an output with x = k under the invariant x ≤ k.
    G4,
    /// A larger constant in an invariant with > or ≥, without incoming input.
    G5,
    /// A smaller constant: an output with < or ≤, an input with > or ≥.
    G6,
    /// A smaller constant in an invariant: < or ≤ without incoming input, > or ≥ without incoming output.
    G7,
}

fn is_input(edge: &Edge) -> bool {
    edge.sync.as_ref().is_some_and(|sync| sync.is_input)
}

fn is_upper(relation: Relation) -> bool {
    matches!(relation, Relation::Less | Relation::AtMost)
}

fn is_lower(relation: Relation) -> bool {
    matches!(relation, Relation::Greater | Relation::AtLeast)
}

impl Template {
    fn has_incoming(&self, location: usize, inputs: bool) -> bool {
        let mut edges = self.edges.iter();
        edges.any(|edge| edge.target == location && is_input(edge) == inputs)
    }

    /// Returns the guideline that a mutant without this edge violates (operator TMI); `None` if it violates none. `is_urgent` says whether
    /// time stops while the edge can be taken.
    pub(crate) fn without_edge(&self, edge: &Edge, is_urgent: bool) -> Option<Guideline> {
        (!is_input(edge) && !is_urgent).then_some(Guideline::G1)
    }

    /// Returns the guideline that a mutant without this location violates (operator SMI); `None` if it violates none. `urgent` says for
    /// each edge whether time stops while it can be taken.
    pub(crate) fn without_location(&self, location: usize, urgent: &[bool]) -> Option<Guideline> {
        let touching = |edge: &Edge| edge.source == location || edge.target == location;
        let mut edges = self.edges.iter().zip(urgent);
        let takes_urgent = edges.any(|(edge, is_urgent)| *is_urgent && touching(edge));
        (!takes_urgent && !self.has_incoming(location, true)).then_some(Guideline::G3)
    }

    /// Returns the guideline that a mutant violates whose guard has a larger (operator CXL) or smaller constant (CXS); `None` if it
    /// violates none. `relation` compares the clock, on its left, with the constant.
    pub(crate) fn shifted_guard(
        &self,
        edge: &Edge,
        relation: Relation,
        is_larger: bool,
    ) -> Option<Guideline> {
        let eases_inputs = match is_larger {
            true => is_upper(relation),
            false => is_lower(relation),
        };
        let narrows_outputs = match is_larger {
            true => {
                is_lower(relation) || (relation == Relation::Equal && self.is_last_moment(edge))
            }
            false => is_upper(relation),
        };
        let violates = match is_input(edge) {
            true => eases_inputs,
            false => narrows_outputs,
        };
        violates.then_some(if is_larger {
            Guideline::G4
        } else {
            Guideline::G6
        })
    }

    /// Whether an edge has the single guard x = k and leaves a location with the single invariant x ≤ k.
    fn is_last_moment(&self, edge: &Edge) -> bool {
        let sides = |expr: &Expr| match &expr.node {
            Node::Binary(operator, left, right) => {
                Some((relation(*operator)?, left.node.clone(), right.node.clone()))
            }
            _ => None,
        };
        let invariant = self.locations[edge.source].invariant.as_slice();
        match (edge.guard.as_slice(), invariant) {
            ([guard], [limit]) => match (sides(guard), sides(limit)) {
                (Some((_, clock, constant)), Some((Relation::AtMost, same, until))) => {
                    (clock, constant) == (same, until)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the guideline that a mutant violates whose invariant constant is larger (operator CXL) or smaller (CXS); `None` if it
    /// violates none. `relation` compares the clock, on its left, with the constant.
    pub(crate) fn shifted_invariant(
        &self,
        location: usize,
        relation: Relation,
        is_larger: bool,
    ) -> Option<Guideline> {
        match is_larger {
            true => {
                (is_lower(relation) && !self.has_incoming(location, true)).then_some(Guideline::G5)
            }
            false => {
                let violates = (is_upper(relation) && !self.has_incoming(location, true))
                    || (is_lower(relation) && !self.has_incoming(location, false));
                violates.then_some(Guideline::G7)
            }
        }
    }
}
