//! Classifies the choices of a copy for a strategy: made with their own step (early) or with the next one (late).
//!
//! A choice that no output and no constraint reads in the same step (`next(x) := {a, b}` in a Moore machine) is visible one step later at
//! the earliest. A strategy loses nothing if it decides such a *late* choice with the next step, when it sees the outputs to match. All
//! other choices are decided with their own step.

use hyperkill_core::aig::{Cone, Leaf, Node, Reset};
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{Aig, ConditionalMutant};
use hyperkill_evidence::question::Options;

/// Returns the choices and free initial values that can reach an output or a constraint of the variant. Choices that outputs or constraints
/// read in the same step are early, others late.
#[must_use]
pub fn options(model: &ConditionalMutant, variant: Variant) -> Options {
    let product = Product::new(model, &[CopySpec::alone(variant)]);
    let copy = &product.copies[0];
    let roots = copy.outputs.iter().copied().chain([copy.valid]);
    let cone = Cone::sequential(&product.aig, roots);
    let read_now = read_now(&model.aig, &selected(model, variant));
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    let initial = latches
        .filter(|&(i, latch)| {
            let var = copy.latches[i].map(|index| product.aig.latches()[index].var);
            latch.reset == Reset::Free
                && selectors[i].is_none()
                && var.is_some_and(|var| cone.contains(var))
        })
        .map(|(i, _)| i)
        .collect();
    let relevant = model
        .choice_bits()
        .filter(|&bit| copy.inputs[bit].is_some_and(|lit| cone.contains(lit.var())));
    let (early, late) = relevant.partition(|&bit| read_now[bit]);
    Options {
        initial,
        late,
        early,
    }
}

/// Returns for each node its value in this variant, if it follows from the values of the selectors alone.
pub(super) fn selected(model: &ConditionalMutant, variant: Variant) -> Vec<Option<bool>> {
    let selectors = model.selector_of_latch();
    let values = model.aig.evaluate(|leaf| match leaf {
        Leaf::Input(_) => None,
        Leaf::Latch(i) => selectors[i].map(|s| variant == Variant::Mutant(s)),
    });
    values.into_nodes()
}

/// Returns for each node whether its value in a step depends on one of the inputs `bits`, given nodes that are constant.
pub(super) fn readers(aig: &Aig, selected: &[Option<bool>], bits: &[usize]) -> Vec<bool> {
    let mut listed = vec![false; aig.inputs().len()];
    for &bit in bits {
        listed[bit] = true;
    }
    let mut readers = vec![false; aig.len()];
    for (var, node) in aig.nodes() {
        readers[var.index()] = selected[var.index()].is_none()
            && match node {
                Node::False | Node::Latch(_) => false,
                Node::Input(i) => listed[i as usize],
                Node::And(a, b) => readers[a.var().index()] || readers[b.var().index()],
            };
    }
    readers
}

/// Returns for each input whether outputs or constraints read it in the same step, given nodes that are constant.
fn read_now(aig: &Aig, selected: &[Option<bool>]) -> Vec<bool> {
    let mut read = vec![false; aig.len()];
    for signal in aig.outputs.iter().chain(&aig.constraints) {
        read[signal.lit.var().index()] = true;
    }
    let mut inputs = vec![false; aig.inputs().len()];
    for (var, node) in aig.nodes().rev() {
        if !read[var.index()] || selected[var.index()].is_some() {
            continue;
        }
        match node {
            Node::And(a, b) => {
                read[a.var().index()] = true;
                read[b.var().index()] = true;
            }
            Node::Input(i) => inputs[i as usize] = true,
            Node::False | Node::Latch(_) => {}
        }
    }
    inputs
}
