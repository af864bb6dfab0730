//! Duplicates: two variants that compute the same outputs, constraints and next states from the same inputs, choices and state.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_evidence::proof::{Fact, Site};
use hyperkill_evidence::question::{Goal, Pair, Question};
use hyperkill_sat::{Answer, Solver};

use super::CertifyError;
use super::naive::{Naive, Start};
use super::path_state::state_latches;

/// Checks that two variants are the same circuit, within the cone of influence of outputs and constraints.
///
/// # Errors
/// [`CertifyError::Differ`] if some step shows a difference, [`CertifyError::Stopped`] if the budget ended first.
pub fn certify_duplicate(
    model: &ConditionalMutant,
    variants: [Variant; 2],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let question = Question::Pair(Pair {
        variants,
        shared_choices: true,
        assumed: [false, false],
        goal: Goal::OutputsDiffer,
    });
    let mut naive = Naive::new(model, &question, Start::Later);
    naive.push_step();
    let latches = state_latches(model, &[]);
    // Nodes that are built alike on the same state are shared, so that the solver gets only the nodes that the mutations change.
    let same_state = latches.iter().map(|&latch| {
        let lit = model.aig.latches()[latch].var.lit();
        Fact::Equal([0, 1].map(|copy| Site { copy, lit }))
    });
    let same_state: Vec<Fact> = same_state.collect();
    naive.merge_leaves(&same_state, 0);
    naive.assume_facts(&same_state, 0);
    let next = latches.iter().map(|&latch| model.aig.latches()[latch].next);
    let shown = model.aig.outputs.iter().chain(&model.aig.constraints);
    let compared: Vec<_> = shown.map(|signal| signal.lit).chain(next).collect();
    for lit in compared {
        let (a, b) = (naive.lit(0, 0, lit), naive.lit(0, 1, lit));
        for (a, b) in [(a, !b), (!a, b)] {
            if a == !b {
                continue;
            }
            match naive.solve(&[a, b], budget) {
                Answer::Impossible => naive.solver.add_clause(&[!a, !b]),
                Answer::Possible => return Err(CertifyError::Differ),
                Answer::Undecided(stop) => return Err(CertifyError::Stopped(stop)),
            }
        }
    }
    Ok(())
}
