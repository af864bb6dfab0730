//! Duplicates: two variants that compute the same outputs, constraints and next states from the same inputs, choices and state.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_evidence::question::{Goal, Pair, Question};
use hyperkill_sat::{Answer, Solver};

use super::CertifyError;
use super::naive::{Naive, Start, equal};
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
    for &latch in &latches {
        let node = model.aig.latches()[latch].var;
        let (a, b) = (naive.node(0, 0, node), naive.node(0, 1, node));
        equal(&mut naive.solver, a, b);
    }
    let next = latches.iter().map(|&latch| model.aig.latches()[latch].next);
    let shown = model.aig.outputs.iter().chain(&model.aig.constraints);
    let compared: Vec<_> = shown.map(|signal| signal.lit).chain(next).collect();
    let mut differences = Vec::new();
    for lit in compared {
        let (a, b) = (naive.lit(0, 0, lit), naive.lit(0, 1, lit));
        differences.push(!naive.same(a, b));
    }
    naive.solver.add_clause(&differences);
    match naive.solver.solve(&[], None, budget) {
        Answer::Impossible => Ok(()),
        Answer::Possible => Err(CertifyError::Differ),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}
