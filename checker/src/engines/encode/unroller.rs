//! Unrolls a product over time into one combinational graph.
//!
//! Structural hashing applies across steps, and constants propagate from a reset state. So much of a bounded question is answered before a
//! solver is called.

use super::Unrolling;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};

/// The states in which unrolled runs may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The reset states. Latches with free resets may have any value; latches in `initially_equal` have the same one.
    Reset,
    /// All states, reachable or not.
    Anywhere,
}

/// An unrolling of a product over time, restricted to the cone of influence of some literals.
pub struct Unroller<'a> {
    unrolling: Unrolling<'a>,
    start: Start,
    initially_equal: &'a [(usize, usize)],
    merged: Vec<(usize, Lit)>,
    /// The combinational graph of all unrolled steps.
    pub graph: Aig,
}

impl<'a> Unroller<'a> {
    /// Returns an unrolling without steps, of the sequential cone of `roots`.
    #[must_use]
    pub fn new(product: &'a Product, roots: &[Lit], start: Start) -> Unroller<'a> {
        Unroller {
            unrolling: Unrolling::new(&product.aig, roots.iter().copied()),
            start,
            initially_equal: &product.initially_equal,
            merged: match start {
                Start::Reset => crate::fault::shared_free_resets(product),
                Start::Anywhere => Vec::new(),
            },
            graph: Aig::new(),
        }
    }

    /// Makes the first value of each of these latches (by index) equal to a literal of an older latch. Must be called before the first
    /// step.
    pub fn merge_at_start(&mut self, pairs: impl IntoIterator<Item = (usize, Lit)>) {
        debug_assert!(self.unrolling.is_empty());
        self.merged.extend(pairs);
    }

    /// Returns the number of unrolled steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.unrolling.len()
    }

    /// Whether no steps have been unrolled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unrolling.is_empty()
    }

    /// Unrolls steps until there are at least `steps`.
    pub fn extend_to(&mut self, steps: usize) {
        while self.unrolling.len() < steps {
            self.push_step();
        }
    }

    /// Adds steps like [`Unroller::extend_to`], and checks the budget before each.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn extend_within(&mut self, steps: usize, budget: &Budget) -> Result<(), Stop> {
        while self.unrolling.len() < steps {
            self.unrolling.check(budget)?;
            self.push_step();
        }
        Ok(())
    }

    fn push_step(&mut self) {
        let state = match self.unrolling.next_state() {
            Some(state) => state,
            None => self.first_state(),
        };
        self.unrolling
            .push(&mut self.graph, &state, |graph, _, _| graph.add_input(None));
    }

    fn first_state(&mut self) -> Vec<Lit> {
        let mut state = vec![Lit::FALSE; self.unrolling.source().latches().len()];
        for (i, latch) in self.unrolling.source().latches().iter().enumerate() {
            if !self.unrolling.cone().contains(latch.var) {
                continue;
            }
            state[i] = match (self.start, latch.reset) {
                (Start::Reset, Reset::Zero) => Lit::FALSE,
                (Start::Reset, Reset::One) => Lit::constant(!fault::planted(Fault::ForgottenReset)),
                (Start::Reset, Reset::Free) if fault::planted(Fault::ForgottenFreeReset) => {
                    Lit::FALSE
                }
                (Start::Reset, Reset::Free) | (Start::Anywhere, _) => self.graph.add_input(None),
            };
        }
        if self.start == Start::Reset {
            for &(later, earlier) in self.initially_equal {
                let needed = |i: usize| {
                    self.unrolling
                        .cone()
                        .contains(self.unrolling.source().latches()[i].var)
                };
                if needed(later) && needed(earlier) {
                    state[later] = state[earlier];
                }
            }
        }
        // Latches are processed in order, so that chains end at the oldest.
        self.merged.sort_unstable();
        for &(later, earlier) in &self.merged {
            if let Node::Latch(i) = self.unrolling.source().node(earlier.var()) {
                state[later] = state[i as usize] ^ earlier.is_negated();
            }
        }
        state
    }

    /// Whether the node is in the cone of the roots, so that it is unrolled.
    #[must_use]
    pub fn contains(&self, var: Var) -> bool {
        self.unrolling.cone().contains(var)
    }

    /// Returns the graph's literal for a product literal at an existing step; false outside the cone.
    #[must_use]
    pub fn at(&self, step: usize, lit: Lit) -> Lit {
        self.unrolling.at(step, lit)
    }

    /// Returns the latches in the cone, by index in the product.
    pub fn latches(&self) -> impl Iterator<Item = usize> + '_ {
        let latches = self.unrolling.source().latches().iter().enumerate();
        latches
            .filter(|(_, latch)| self.unrolling.cone().contains(latch.var))
            .map(|(i, _)| i)
    }
}
