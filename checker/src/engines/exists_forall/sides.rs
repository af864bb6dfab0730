//! Separates a composition into its existential and universal parts.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_formulas::compose::Composition;

/// The inputs and free initial values of a composition of copies, by the side (existential or universal) that chooses them, with the
/// conditions on the copies.
///
/// An input that an existential copy shares with a universal one is existential.
#[derive(Clone, Debug)]
pub struct Sides {
    /// For each product input whether it is universal.
    pub(super) universal_input: Vec<bool>,
    /// For each product latch whether its first value is free and universal.
    pub(super) universal_latch: Vec<bool>,
    /// The conditions that the existential copies must satisfy at every step.
    pub(super) exist: Vec<Lit>,
    /// The assumptions that the universal copies must satisfy at every step.
    pub(super) assumed: Vec<Lit>,
    /// The goal, which must hold at some step for all universal copies that satisfy the assumptions.
    pub(super) goal: Lit,
}

impl Sides {
    /// Returns the existential and universal parts of a composition.
    #[must_use]
    pub fn of(composition: &Composition) -> Sides {
        let product = &composition.product;
        let mut universal_input = vec![true; product.aig.inputs().len()];
        let mut existential_latch = vec![false; product.aig.latches().len()];
        for copy in composition.existential() {
            let copy = &product.copies[copy];
            for lit in copy.inputs.iter().flatten() {
                if let Node::Input(i) = product.aig.node(lit.var()) {
                    universal_input[i as usize] = false;
                }
            }
            for &latch in copy.latches.iter().flatten() {
                existential_latch[latch] = true;
            }
        }
        let latches = product.aig.latches().iter().zip(&existential_latch);
        let valid = |copy: usize| product.copies[copy].valid;
        let mut exist: Vec<Lit> = composition.existential().map(valid).collect();
        if fault::planted(Fault::ForgottenWitness) {
            exist.truncate(1);
        }
        exist.extend(&composition.always);
        let assumed: Vec<Lit> = composition.universal().map(valid).collect();
        Sides {
            universal_input,
            universal_latch: latches
                .map(|(latch, &existential)| latch.reset == Reset::Free && !existential)
                .collect(),
            exist,
            assumed,
            goal: composition.goal,
        }
    }

    /// Returns the literals on which the universal copies decide whether they refute: the assumptions about them, and the goal.
    pub(super) fn universal_roots(&self) -> impl Iterator<Item = Lit> + '_ {
        self.assumed.iter().copied().chain([self.goal])
    }
}
