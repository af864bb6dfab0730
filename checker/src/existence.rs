//! Does the model have a run at all, does a mutant have an initial state? Constraints may contradict each other; every mutant of a
//! model without runs would be equivalent.

use hyperkill_core::aig::Cone;
use hyperkill_core::budget::Budget;
use hyperkill_core::paths::CARRIED;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{Aig, ConditionalMutant, Lit};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;

use crate::acceptance::unconstrained;
use crate::bmc::{Bmc, Depth};
use crate::encode::Encoder;
use crate::question::Reachability;

/// Whether the original has a run of one step; `true` also if the budget ended before that was known.
#[must_use]
pub fn has_run(model: &ConditionalMutant, budget: &Budget) -> bool {
    if unconstrained(model) {
        return true;
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
    !matches!(Bmc::new(&question).deepen(None, budget), Depth::Refuted)
}

/// Of each mutant (selector index) whether it has an initial state: one that constraints on states allow, for some values of inputs
/// and choices. An initial state that no step leaves is one.
#[must_use]
pub fn have_initial_states(model: &ConditionalMutant, budget: &Budget) -> Vec<bool> {
    let mut all = vec![true; model.selectors.len()];
    if unconstrained(model) {
        return all;
    }
    let mut aig: Aig = model.aig.clone();
    let is_selector = model.selector_of_latch();
    let mut rules: Vec<Vec<Lit>> = Vec::new();
    for (latch, of) in aig.latches().iter().zip(&is_selector) {
        if let (Some(value), None) = (latch.reset.as_constant(), of) {
            rules.push(vec![latch.var.lit() ^ !value]);
        }
    }
    for constraint in &aig.constraints {
        if constraint.name.as_deref() != Some(CARRIED) {
            rules.push(vec![constraint.lit]);
        }
    }
    let cone = Cone::combinational(&aig, rules.iter().flatten().copied());
    let selectors: Vec<Lit> = (model.selectors.iter())
        .map(|selector| aig.latches()[selector.latch].var.lit())
        .collect();
    let mut earlier = Lit::FALSE;
    for &selector in &selectors {
        rules.push(vec![!earlier, !selector]);
        earlier = aig.or(earlier, selector);
    }
    let mut solver = Encoder::new(Cadical::new());
    for rule in rules {
        solver.require(&aig, &rule);
    }
    for (has, selector) in all.iter_mut().zip(selectors) {
        // Where the selector is read nowhere the original answers, which has a run.
        if cone.contains(selector.var()) {
            let on = solver.lit(&aig, selector);
            *has = solver.solve(&[on], None, budget) != Answer::Impossible;
        }
    }
    all
}
