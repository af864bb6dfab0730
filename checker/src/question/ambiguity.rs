//! Observability of a model: can two choices in one state, under one input, give equal outputs and lead to different states?

use hyperkill_core::aig::Cone;
use hyperkill_core::product::{Product, Variant};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};
use hyperkill_evidence::question::Options;

use super::retiming::{Instance, Retimed};
use super::strategy_product::mix;
use super::{Reachability, options};

/// Returns the question whether two choices in one reachable state, under one input, satisfy the constraints, give equal outputs and lead
/// to different states. The product has one copy, and a second choice at each step.
pub(super) fn pose(model: &ConditionalMutant) -> Reachability {
    let options = options(model, Variant::Original);
    let mut aig = Aig::new();
    let mut inputs = vec![None; model.aig.inputs().len()];
    for bit in model.input_bits() {
        inputs[bit] = Some(aig.add_input(model.aig.inputs()[bit].name.clone()));
    }
    let retimed = Retimed::declare(&mut aig, model, Variant::Original, &options, inputs, 0);
    let first = aig.add_latch(Reset::One, None);
    let latch = aig.latches().len() - 1;
    aig.set_next(latch, Lit::FALSE);
    let (own, early) = any_step(&mut aig, &retimed, &options, first);
    let (other, _) = any_step(&mut aig, &retimed, &options, first);

    let mut same = vec![other.valid];
    for (&a, &b) in own.outputs.iter().zip(&other.outputs) {
        same.push(aig.iff(a, b));
    }
    let leads_to = retimed.memory(&own).into_iter().zip(retimed.memory(&other));
    let leads_to: Vec<_> = leads_to.collect();
    let copy = retimed.finish(&mut aig, own, &early);
    let seen = copy.outputs.iter().copied().chain([copy.valid]);
    let matters = Cone::sequential(&aig, seen);
    let mut different = Vec::new();
    for ((latch, a), (_, b)) in leads_to {
        if matters.contains(aig.latches()[latch].var) {
            different.push(aig.xor(a, b));
        }
    }
    let same = aig.and_all(&same);
    let different = aig.or_all(&different);
    let goal = aig.and(same, different);
    let at_reset = retimed.at_reset(&mut aig);
    let always = vec![copy.valid, aig.implies(first, at_reset)];
    Reachability {
        product: Product {
            aig,
            copies: vec![copy],
            initially_equal: Vec::new(),
            one_member: Lit::TRUE,
        },
        always,
        before: Vec::new(),
        goal,
        related: Vec::new(),
        remembers: Vec::new(),
    }
}

/// Returns a step whose choices are new inputs of the product, and its early choices.
fn any_step(
    aig: &mut Aig,
    retimed: &Retimed<'_>,
    options: &Options,
    first: Lit,
) -> (Instance, Vec<Lit>) {
    let mut arbitrary =
        |listed: &[usize]| -> Vec<Lit> { listed.iter().map(|_| aig.add_input(None)).collect() };
    let initial = arbitrary(&options.initial);
    let late = arbitrary(&options.late);
    let early = arbitrary(&options.early);
    let mut state = retimed.later_state(aig, &late);
    let started = retimed.first_state(&initial);
    mix(aig, first, &started, &mut state);
    (retimed.step(aig, state, &early), early)
}
