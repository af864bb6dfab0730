//! Does the model have a run at all? Constraints may contradict each other, and then every mutant would be equivalent.

use hyperkill_checker::acceptance::unconstrained;
use hyperkill_checker::bmc::{Bmc, Depth};
use hyperkill_checker::budget::Budget;
use hyperkill_checker::question::Reachability;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit};

use crate::failure::Failure;

/// Fails if the original has no run of one step.
///
/// # Errors
/// That the model is invalid.
pub(super) fn must_have_a_run(model: &ConditionalMutant, budget: &Budget) -> Result<(), Failure> {
    if unconstrained(model) {
        return Ok(());
    }
    let spec = CopySpec {
        variant: Variant::Original,
        inputs_of: None,
        choices_of: None,
    };
    let product = Product::new(model, &[spec]);
    let always = product.copies.iter().map(|copy| copy.valid).collect();
    let question = Reachability {
        product,
        always,
        before: Vec::new(),
        goal: Lit::TRUE,
        related: Vec::new(),
        remembers: Vec::new(),
    };
    // One step: whether more follow depends on the inputs, which is what mutants are compared on.
    match Bmc::new(&question).deepen(None, budget) {
        Depth::Refuted => Err(Failure::model(
            "the model has no run: its constraints do not all hold in any initial state, whatever the inputs",
        )),
        Depth::Reached(_) | Depth::Undecided(_) => Ok(()),
    }
}
