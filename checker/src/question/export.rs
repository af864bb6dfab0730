//! Questions as circuits of their own, for other model checkers: one bad state, and constraints.

use hyperkill_core::aig::Signal;
use hyperkill_core::{Aig, Lit, Reset};

use super::Reachability;

impl Reachability {
    /// The question as a safety problem of AIGER 1.9: the bad state is the goal, what is assumed are constraints. `None` if something is
    /// assumed of steps before the goal only, which that format cannot say.
    #[must_use]
    pub fn safety_problem(&self) -> Option<Aig> {
        if !self.before.is_empty() {
            return None;
        }
        let mut aig = self.product.aig.clone();
        let mut constraints = self.always.clone();
        if !self.product.initially_equal.is_empty() {
            // Two latches with one free first value: equal at the first step.
            let first = aig.add_latch(Reset::One, None);
            let index = aig.latches().len() - 1;
            aig.set_next(index, Lit::FALSE);
            for &(later, earlier) in &self.product.initially_equal {
                let (a, b) = (
                    aig.latches()[later].var.lit(),
                    aig.latches()[earlier].var.lit(),
                );
                let same = aig.iff(a, b);
                constraints.push(aig.implies(first, same));
            }
        }
        let signal = |lit: Lit| Signal { lit, name: None };
        constraints.retain(|&lit| lit != Lit::TRUE);
        aig.constraints = constraints.into_iter().map(signal).collect();
        aig.bad = vec![signal(self.goal)];
        Some(aig)
    }
}
