//! Cones of influence: the nodes that can affect a set of literals, within a step or over all steps.

use super::{Aig, Node};
use crate::{Lit, Var};

/// A set of nodes closed under fan-in.
#[derive(Clone, Debug)]
pub struct Cone {
    member: Vec<bool>,
}

impl Cone {
    /// Returns the nodes that `roots` depend on within one step.
    #[must_use]
    pub fn combinational(aig: &Aig, roots: impl IntoIterator<Item = Lit>) -> Cone {
        let mut cone = Cone {
            member: vec![false; aig.len()],
        };
        cone.extend(aig, roots);
        cone
    }

    /// Returns the nodes that `roots` depend on at this or any later step: the cone of a latch includes the cone of its next-state
    /// function. Constraints are included only if they are roots.
    #[must_use]
    pub fn sequential(aig: &Aig, roots: impl IntoIterator<Item = Lit>) -> Cone {
        let mut cone = Cone::combinational(aig, roots);
        let mut pulled = vec![false; aig.latches().len()];
        loop {
            let mut next = Vec::new();
            for (i, latch) in aig.latches().iter().enumerate() {
                if !pulled[i] && cone.contains(latch.var) {
                    pulled[i] = true;
                    next.push(latch.next);
                }
            }
            if next.is_empty() {
                return cone;
            }
            cone.extend(aig, next);
        }
    }

    fn extend(&mut self, aig: &Aig, roots: impl IntoIterator<Item = Lit>) {
        let mut stack: Vec<Var> = roots.into_iter().map(Lit::var).collect();
        while let Some(var) = stack.pop() {
            if std::mem::replace(&mut self.member[var.index()], true) {
                continue;
            }
            if let Node::And(a, b) = aig.node(var) {
                stack.push(a.var());
                stack.push(b.var());
            }
        }
    }

    /// Whether the node is in the cone.
    #[must_use]
    pub fn contains(&self, var: Var) -> bool {
        self.member[var.index()]
    }
}
