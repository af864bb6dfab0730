//! Generalises counterexamples to strategies.

use hyperkill_core::Lit;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Product;
use hyperkill_formulas::compose::Composition;

use super::function::{Function, learn};
use super::play::{Candidate, Play};
use super::sides::Sides;
use super::strategy::{Counterexample, Strategy};
use crate::schedule::engine_efforts::LEARNED_LITERALS;

/// Turns a counterexample (values of universal bits) into a strategy: for each bit the simplest function with all values that matter, else
/// these values as exceptions to copying.
pub(super) struct Generaliser {
    /// Literals that learned functions may read; earlier ones are tried first.
    literals: Vec<Lit>,
    /// The strategy that bits follow whose values do not matter.
    base: Strategy,
}

impl Generaliser {
    pub(super) fn new(composition: &Composition, sides: &Sides) -> Generaliser {
        let product = &composition.product;
        let aig = &product.aig;
        let mut literals = Vec::new();
        for copy in composition.existential() {
            let copy = &product.copies[copy];
            literals.extend(&copy.outputs);
            // The effect of a choice is visible in the next state; in a Moore machine, in the next outputs.
            for &latch in copy.latches.iter().flatten() {
                literals.push(aig.latches()[latch].next);
            }
            literals.extend(copy.inputs.iter().flatten());
            let latches = copy.latches.iter().flatten();
            literals.extend(latches.map(|&latch| aig.latches()[latch].var.lit()));
        }
        literals.retain(|lit| lit.as_constant().is_none());
        let mut seen = rustc_hash::FxHashSet::default();
        literals.retain(|lit| seen.insert(lit.var()));
        // The continuation of a universal run depends on its own state.
        for copy in composition.universal() {
            let latches = product.copies[copy].latches.iter().flatten();
            let own = latches.map(|&latch| aig.latches()[latch].var.lit());
            literals.extend(own.filter(|lit| seen.insert(lit.var())));
        }
        literals.truncate(LEARNED_LITERALS);
        let first = Strategy::copying(composition, sides).into_iter().next();
        Generaliser {
            literals,
            base: first.unwrap_or_else(|| Strategy::zero(product)),
        }
    }

    /// Returns the literals that functions of a generalised strategy may read.
    pub(super) fn literals(&self) -> &[Lit] {
        &self.literals
    }

    /// Returns a strategy that makes the counterexample's choices that matter against `candidate`. `play` has the values of all nodes when
    /// these choices are made.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn generalise(
        &self,
        product: &Product,
        candidate: &Candidate,
        play: &Play,
        found: &Counterexample,
        budget: &Budget,
    ) -> Result<Strategy, Stop> {
        let mut strategy = self.base.clone();
        for (input, function) in strategy.inputs.iter_mut().enumerate() {
            budget.check()?;
            let rows = found.inputs.iter().enumerate();
            let cares: Vec<(usize, bool)> = rows
                .filter_map(|(step, row)| Some((step, row[input]?)))
                .collect();
            let kept = cares
                .iter()
                .all(|&(step, wanted)| function.value(&|lit| play.value(step, lit)) == wanted);
            if kept {
                continue;
            }
            match learn(&cares, &self.literals, &|step, lit| play.value(step, lit)) {
                Some(learned) => *function = learned,
                None => {
                    let values = cares.iter().map(|&(step, value)| (step, input, value));
                    strategy.exceptions.extend(values);
                }
            }
        }
        strategy.exceptions.sort_unstable();
        for (latch, source) in strategy.initial.iter_mut().enumerate() {
            let Some(value) = found.initial[latch] else {
                continue;
            };
            let first = source.value(&|lit| candidate.first_of(product, lit));
            if first != value {
                *source = Function::Constant(value);
            }
        }
        Ok(strategy)
    }
}
