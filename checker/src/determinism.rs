//! Determinism of a variant: whether every input sequence has at most one output sequence.
//!
//! A variant is decided with constant selectors (semantics.md §2): structurally, if no choice is in the cone of influence of an output;
//! else semantically, by two runs with the same inputs and different outputs.

use hyperkill_certify::certify_answering;
use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit, Var};
use hyperkill_evidence::determinism::Answering;
use hyperkill_evidence::question::Question;

use crate::engines::random_simulation;
use crate::question::Pose;
use crate::schedule::efforts::{self, SIMULATION};
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve};

pub use hyperkill_evidence::determinism::Determinism;

/// Decides determinism of one variant with little effort.
#[must_use]
pub fn determinism(model: &ConditionalMutant, variant: Variant, budget: &Budget) -> Determinism {
    let search = budget.slice(efforts::DETERMINISM);
    let shown = answering_within(model, variant, &search, budget);
    shown.map_or(Determinism::Unsettled, |shown| shown.shows())
}

/// Returns whether the structure of a variant alone shows that it is deterministic.
#[must_use]
pub(crate) fn is_plainly_deterministic(model: &ConditionalMutant, variant: Variant) -> bool {
    let checked =
        |shown: &Answering| certify_answering(model, variant, shown, &Budget::spent()).is_ok();
    // Simplifying the variant's copy takes longer, so it comes second.
    read_by_outputs(model, variant).is_some_and(|shown| checked(&shown))
        || no_choice_reaches_an_output(model, variant).is_some_and(|shown| checked(&shown))
}

/// Returns as evidence the latches, by index, in the outputs' cone of influence, in the circuit with constant selectors. `None` if the cone
/// contains a choice or a free first value.
fn read_by_outputs(model: &ConditionalMutant, variant: Variant) -> Option<Answering> {
    let aig = &model.aig;
    let images = model.images(|selector| Some(variant == Variant::Mutant(selector)));
    let image = |lit: Lit| images[lit.var().index()].var();
    let mut is_choice = vec![false; aig.inputs().len()];
    for bit in model.choice_bits() {
        is_choice[bit] = true;
    }
    let mut open: Vec<Var> = aig.outputs.iter().map(|output| image(output.lit)).collect();
    let mut read = vec![false; aig.len()];
    let mut latches = Vec::new();
    while let Some(var) = open.pop() {
        if std::mem::replace(&mut read[var.index()], true) {
            continue;
        }
        match aig.node(var) {
            Node::Input(bit) if is_choice[bit as usize] => return None,
            Node::False | Node::Input(_) => {}
            Node::Latch(latch) => {
                let at = latch as usize;
                let latch = &aig.latches()[at];
                if latch.reset == Reset::Free {
                    return None;
                }
                latches.push(at);
                open.push(image(latch.next));
            }
            Node::And(a, b) => open.extend([image(a), image(b)]),
        }
    }
    latches.sort_unstable();
    Some(Answering::Unchosen(latches))
}

/// Returns checked evidence that a variant is deterministic or not; `None` if a modest effort does not settle it.
#[must_use]
pub fn answering(
    model: &ConditionalMutant,
    variant: Variant,
    budget: &Budget,
) -> Option<Answering> {
    answering_within(model, variant, budget, budget)
}

/// Searches like [`answering`]; the solver has the budget `search`, the certifier the other one.
fn answering_within(
    model: &ConditionalMutant,
    variant: Variant,
    search: &Budget,
    budget: &Budget,
) -> Option<Answering> {
    let checked = |shown: &Answering| certify_answering(model, variant, shown, budget).is_ok();
    if let Some(shown) = no_choice_reaches_an_output(model, variant).filter(checked) {
        return Some(shown);
    }
    // Simulation is cheap, and nearly always finds different outputs where they exist.
    let seen = random_simulation::answers_differently(model, variant, &SIMULATION[1])
        .map(Answering::Differing);
    if let Some(shown) = seen.filter(checked) {
        return Some(shown);
    }
    let question = Question::nondeterminism(variant);
    let shown = match solve(&question.pose(model), &Options::MODEST, search) {
        Solved::Reached { found, .. } => Answering::Differing(found.runs.try_into().ok()?),
        Solved::Unreachable(proof) => Answering::Proved(proof),
        Solved::Open { .. } => return None,
    };
    Some(shown).filter(checked)
}

/// Returns as evidence the latches, by index, in the outputs' cone of influence, after simplification. `None` if the cone contains a choice
/// or a free first value.
fn no_choice_reaches_an_output(model: &ConditionalMutant, variant: Variant) -> Option<Answering> {
    let product = Product::new(model, &[CopySpec::alone(variant)]);
    let copy = &product.copies[0];
    let cone = Cone::sequential(&product.aig, copy.outputs.iter().copied());
    let chosen = model
        .choice_bits()
        .filter_map(|bit| copy.inputs[bit])
        .any(|lit| cone.contains(lit.var()));
    let mut latches = product.aig.latches().iter();
    let free = latches.any(|latch| latch.reset == Reset::Free && cone.contains(latch.var));
    if chosen || free {
        return None;
    }
    let latches = copy.latches.iter().enumerate().filter(|(_, latch)| {
        latch.is_some_and(|latch| cone.contains(product.aig.latches()[latch].var))
    });
    Some(Answering::Unchosen(
        latches.map(|(latch, _)| latch).collect(),
    ))
}
