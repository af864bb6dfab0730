//! Exports questions as circuits with one bad state and constraints, for external model checkers.

use hyperkill_core::aig::Signal;
use hyperkill_core::{Aig, Lit, Reset};

use super::Reachability;

impl Reachability {
    /// Returns the question as a safety problem of AIGER 1.9: the bad state is the goal, assumptions are constraints. `None` if an
    /// assumption holds only before the goal's step, which that format cannot express.
    #[must_use]
    pub fn safety_problem(&self) -> Option<Aig> {
        if !self.before.is_empty() {
            return None;
        }
        let mut aig = self.product.aig.clone();
        let mut constraints = self.always.clone();
        if !self.product.initially_equal.is_empty() {
            // Two latches share one free first value, so they are equal at the first step.
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
