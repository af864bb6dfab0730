//! A product unrolled over time into one combinational graph.
//!
//! Structural hashing works across steps, and from a reset state constants spread, so that much of a
//! bounded question is answered before a solver sees it.

use super::Unrolling;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_core::{Aig, Lit, Var};
use hyperkill_evidence::fault::{self, Fault};

/// Where a run starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// In a reset state; free resets are choices, those of `initially_equal` latches one and the same.
    Reset,
    /// In any state at all.
    Anywhere,
}

/// The unrolling of the cone that matters to some literals.
pub struct Unroller<'a> {
    unrolling: Unrolling<'a>,
    start: Start,
    initially_equal: &'a [(usize, usize)],
    merged: Vec<(usize, Lit)>,
    /// The combinational graph: all steps in one.
    pub graph: Aig,
}

impl<'a> Unroller<'a> {
    /// An unrolling without steps, of the sequential cone of `roots`.
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

    /// Makes latches (by index) start with the value of a literal of an older latch. Only before the first step.
    pub fn merge_at_start(&mut self, pairs: impl IntoIterator<Item = (usize, Lit)>) {
        debug_assert!(self.unrolling.is_empty());
        self.merged.extend(pairs);
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.unrolling.len()
    }

    /// Whether there are no steps yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unrolling.is_empty()
    }

    /// Adds steps until there are at least `steps`.
    pub fn extend_to(&mut self, steps: usize) {
        while self.unrolling.len() < steps {
            self.push_step();
        }
    }

    /// The same within a budget, which is looked at before each step.
    ///
    /// # Errors
    /// Once the job must end.
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
        // In the order of the latches, so that chains end at the oldest.
        self.merged.sort_unstable();
        for &(later, earlier) in &self.merged {
            if let Node::Latch(i) = self.unrolling.source().node(earlier.var()) {
                state[later] = state[i as usize] ^ earlier.is_negated();
            }
        }
        state
    }

    /// Whether the unrolling knows the node: it is in the cone of the roots.
    #[must_use]
    pub fn contains(&self, var: Var) -> bool {
        self.unrolling.cone().contains(var)
    }

    /// The graph's literal for a product literal at a step that exists. Outside the cone: false.
    #[must_use]
    pub fn at(&self, step: usize, lit: Lit) -> Lit {
        self.unrolling.at(step, lit)
    }

    /// The latches in the cone, by index in the product.
    pub fn latches(&self) -> impl Iterator<Item = usize> + '_ {
        let latches = self.unrolling.source().latches().iter().enumerate();
        latches
            .filter(|(_, latch)| self.unrolling.cone().contains(latch.var))
            .map(|(i, _)| i)
    }
}
