//! Checks evidence that a copy has one output sequence for each input sequence, or that it has not.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::determinism::Answering;
use hyperkill_evidence::fault;
use hyperkill_evidence::question::Question;

use super::meaning::of_variant;
use super::{CertifyError, ReplayError, certify_proof};

/// Checks evidence that a variant is deterministic, or evidence that it is not.
///
/// # Errors
/// If the evidence does not show it.
pub fn certify_answering(
    model: &ConditionalMutant,
    variant: Variant,
    shown: &Answering,
    budget: &Budget,
) -> Result<(), CertifyError> {
    match shown {
        _ if fault::evidence_is_believed() => Ok(()),
        Answering::Unchosen(latches) => depends_on(model, variant, latches),
        Answering::Proved(proof) => {
            certify_proof(model, &Question::nondeterminism(variant), proof, budget)
        }
        Answering::Differing(runs) => differ(model, variant, runs),
    }
}

/// Checks that outputs and the next values of these latches depend on test inputs and these latches only, and that none of them has a free
/// first value.
fn depends_on(
    model: &ConditionalMutant,
    variant: Variant,
    latches: &[usize],
) -> Result<(), CertifyError> {
    let unsound = |what| Err(CertifyError::Determinism(what));
    let aig = &model.aig;
    let selectors = model.selector_of_latch();
    let mut listed = vec![false; aig.latches().len()];
    for &latch in latches {
        match listed.get_mut(latch) {
            None => return unsound("a listed latch does not exist"),
            Some(_) if selectors[latch].is_some() => {
                return unsound("a listed latch is a mutant selector");
            }
            Some(listed) => *listed = true,
        }
        if aig.latches()[latch].reset == Reset::Free {
            return unsound("a listed latch has a free initial value");
        }
    }
    let mut chosen = vec![false; aig.inputs().len()];
    for bit in model.choice_bits() {
        chosen[bit] = true;
    }
    let meaning = of_variant(model, variant);
    let means = |lit: Lit| meaning[lit.var().index()].var();
    let mut read = vec![false; aig.len()];
    let next = latches.iter().map(|&latch| aig.latches()[latch].next);
    for lit in aig.outputs.iter().map(|output| output.lit).chain(next) {
        read[means(lit).index()] = true;
    }
    // Operands precede the nodes that read them.
    for (var, node) in aig.nodes().rev() {
        if !read[var.index()] {
            continue;
        }
        match node {
            Node::And(a, b) => {
                read[means(a).index()] = true;
                read[means(b).index()] = true;
            }
            Node::Input(input) if chosen[input as usize] => {
                return unsound("an output or a listed latch depends on a choice");
            }
            Node::Latch(latch) if !listed[latch as usize] => {
                return unsound(
                    "an output or a listed latch depends on a latch that is not listed",
                );
            }
            Node::False | Node::Input(_) | Node::Latch(_) => {}
        }
    }
    Ok(())
}

/// Checks that these are two runs of a variant with the same test inputs and different outputs.
fn differ(
    model: &ConditionalMutant,
    variant: Variant,
    runs: &[Stimulus; 2],
) -> Result<(), CertifyError> {
    let [one, other] = runs;
    let replayed = |run| replay(model, variant, run).map_err(ReplayError::from);
    let traces = [replayed(one)?, replayed(other)?];
    if one.steps.len() != other.steps.len() {
        return Err(ReplayError::Inputs(one.steps.len().min(other.steps.len())).into());
    }
    let mut steps = one.steps.iter().zip(&other.steps);
    let unlike = |(a, b): (&Vec<bool>, &Vec<bool>)| model.input_bits().any(|bit| a[bit] != b[bit]);
    if let Some(step) = steps.position(unlike) {
        return Err(ReplayError::Inputs(step).into());
    }
    if let Some(step) = traces.iter().find_map(|trace| trace.broken_at) {
        let who = "model";
        return Err(ReplayError::Broken { who, step }.into());
    }
    match traces[0].outputs == traces[1].outputs {
        true => Err(ReplayError::SameOutputs.into()),
        false => Ok(()),
    }
}
