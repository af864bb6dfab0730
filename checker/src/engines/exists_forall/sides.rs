//! Which parts of a composition are existential and which universal.

use hyperkill_core::Lit;
use hyperkill_core::aig::{Node, Reset};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_formulas::compose::Composition;

/// The inputs and free initial values of a composition, by who chooses them, and what the copies must satisfy.
///
/// What an existential copy has in common with a universal one is existential.
#[derive(Clone, Debug)]
pub struct Sides {
    /// Per product input: whether it is universal.
    pub(super) universal_input: Vec<bool>,
    /// Per product latch: whether it starts freely and universally.
    pub(super) universal_latch: Vec<bool>,
    /// What must hold of the existential copies at every step.
    pub(super) exist: Vec<Lit>,
    /// What is assumed of the universal copies at every step.
    pub(super) assumed: Vec<Lit>,
    /// What must hold at some step.
    pub(super) goal: Lit,
}

impl Sides {
    /// Takes a composition apart.
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

    /// All literals that the universal half of the question mentions.
    pub(super) fn universal_roots(&self) -> impl Iterator<Item = Lit> + '_ {
        self.assumed.iter().copied().chain([self.goal])
    }
}
