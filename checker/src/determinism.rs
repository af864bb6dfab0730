//! Is a variant deterministic: does every input sequence have at most one output sequence?
//!
//! Decided per copy with selectors fixed (semantics.md §2): structurally, if no choice is in the cone of
//! influence of an output, else semantically, by two runs with the same inputs and different outputs.

use hyperkill_certify::certify_proof;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::{Cone, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_evidence::question::Question;

use crate::question::Pose;
use crate::schedule::efforts::SIMULATION;
use crate::schedule::reachability::Options;
use crate::simulate;
use crate::solve::{Solved, solve};

/// Whether a copy has one output sequence for each input sequence, as far as that was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Determinism {
    /// At most one output sequence per input sequence; proved.
    Deterministic,
    /// Two runs with the same inputs have different outputs.
    NonDeterministic,
    /// Not settled; to be treated as non-deterministic.
    Unsettled,
}

/// Decides determinism of one variant within a modest effort.
#[must_use]
pub fn determinism(model: &ConditionalMutant, variant: Variant, budget: &Budget) -> Determinism {
    if no_choice_reaches_an_output(model, variant) {
        return Determinism::Deterministic;
    }
    // Cheap, and nearly always enough where there is something to see.
    if simulate::answers_differently(model, variant, &SIMULATION[1]) {
        return Determinism::NonDeterministic;
    }
    let question = Question::nondeterminism(variant);
    match solve(&question.pose(model), &Options::MODEST, budget) {
        Solved::Reached { .. } => Determinism::NonDeterministic,
        Solved::Unreachable(proof) => match certify_proof(model, &question, &proof, budget) {
            Ok(()) => Determinism::Deterministic,
            Err(_) => Determinism::Unsettled,
        },
        Solved::Open { .. } => Determinism::Unsettled,
    }
}

fn no_choice_reaches_an_output(model: &ConditionalMutant, variant: Variant) -> bool {
    let product = Product::new(model, &[CopySpec::alone(variant)]);
    let copy = &product.copies[0];
    let cone = Cone::sequential(&product.aig, copy.outputs.iter().copied());
    let chosen = model
        .choice_bits()
        .filter_map(|bit| copy.inputs[bit])
        .any(|lit| cone.contains(lit.var()));
    let mut latches = product.aig.latches().iter();
    let free = latches.any(|latch| latch.reset == Reset::Free && cone.contains(latch.var));
    !chosen && !free
}
