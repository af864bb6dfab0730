//! Re-checks every verdict before anybody sees it: kills are replayed, proofs are proved again.
//!
//! It shares nothing with the engines but the model, the solver and the statement of the question: the
//! product is built anew for every check, naively, one solver variable per node, copy and step, without
//! sharing, hashing, folding or cones, so that it cannot repeat the engines' bugs.

mod closed_set;
mod naive;
mod replay;
mod steps;
mod tree;

pub use closed_set::certify_closed_set;
pub use replay::{ReplayError, replay_kill};
pub use tree::certify_tree;

use hyperkill_core::aig::{Cone, Reset};
use hyperkill_core::{ConditionalMutant, Lit};

use crate::budget::{Budget, Stop};
use crate::fault;
use crate::induction::{Fact, Proof};
use crate::question::Question;
use crate::sat::{Answer, Solver};
use naive::Naive;

/// Why evidence was not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertifyError {
    /// An obligation of the proof does not hold.
    #[error("the {0} of the induction does not hold")]
    Broken(&'static str),
    /// A set of positions does not prove what it says.
    #[error("the set of positions proves nothing: {0}")]
    ClosedSet(&'static str),
    /// An adaptive test does not kill as it should.
    #[error("the adaptive test kills nothing: {0}")]
    Tree(&'static str),
    /// The check itself hit the clock or was interrupted: the evidence is neither good nor bad.
    #[error("the check was stopped")]
    Stopped(Stop),
}

/// Checks a proof that the question's goal is unreachable: base, facts and step, each with a fresh solver.
///
/// # Errors
/// [`CertifyError::Broken`] names the part that fails.
pub fn certify_proof(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    if proof.k == 0 {
        return Err(CertifyError::Broken("depth"));
    }
    check_base(model, question, proof.k, budget)?;
    check_facts_initially(model, question, &proof.facts, budget)?;
    check_facts_kept(model, question, &proof.facts, budget)?;
    check_step(model, question, proof, budget)
}

/// No run of up to `k` steps reaches the goal.
fn check_base(
    model: &ConditionalMutant,
    question: &Question,
    k: usize,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question);
    naive.push_step();
    naive.assume_reset();
    for step in 0..k {
        if step > 0 {
            naive.push_step();
        }
        naive.assume_existence(step);
        let goal = naive.goal(step);
        match naive.solver.solve(&[goal], None, budget) {
            Answer::Impossible => naive.solver.add_clause(&[!goal]),
            Answer::Possible => return Err(CertifyError::Broken("base case")),
            Answer::Undecided(stop) => return Err(CertifyError::Stopped(stop)),
        }
    }
    Ok(())
}

fn check_facts_initially(
    model: &ConditionalMutant,
    question: &Question,
    facts: &[Fact],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question);
    naive.push_step();
    naive.assume_reset();
    naive.assume_existence(0);
    all_hold(&mut naive, facts, 0, budget, "start of the facts")
}

fn check_facts_kept(
    model: &ConditionalMutant,
    question: &Question,
    facts: &[Fact],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question);
    for step in 0..2 {
        naive.push_step();
        naive.assume_existence(step);
    }
    for fact in facts {
        let holds = naive.fact(fact, 0);
        naive.solver.add_clause(&[holds]);
    }
    all_hold(&mut naive, facts, 1, budget, "preservation of the facts")
}

fn all_hold(
    naive: &mut Naive<'_>,
    facts: &[Fact],
    step: usize,
    budget: &Budget,
    part: &'static str,
) -> Result<(), CertifyError> {
    let violated: Vec<_> = facts.iter().map(|fact| !naive.fact(fact, step)).collect();
    naive.solver.add_clause(&violated);
    match naive.solver.solve(&[], None, budget) {
        Answer::Impossible => Ok(()),
        Answer::Possible => Err(CertifyError::Broken(part)),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}

fn check_step(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question);
    for step in 0..=proof.k {
        naive.push_step();
        naive.assume_existence(step);
        for fact in &proof.facts {
            let holds = naive.fact(fact, step);
            naive.solver.add_clause(&[holds]);
        }
        let goal = naive.goal(step);
        naive
            .solver
            .add_clause(&[if step < proof.k { !goal } else { goal }]);
    }
    if proof.simple_path {
        let latches = state_latches(model);
        for j in 1..=proof.k {
            for i in 0..j {
                naive.assume_different_states(i, j, &latches);
            }
        }
    }
    match naive.solver.solve(&[], None, budget) {
        Answer::Impossible => Ok(()),
        Answer::Possible => Err(CertifyError::Broken("step")),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}

/// The latches that outputs and constraints can ever depend on: a set closed under next-state functions,
/// which is what the simple-path argument needs.
fn state_latches(model: &ConditionalMutant) -> Vec<usize> {
    let roots = model.aig.outputs.iter().chain(&model.aig.constraints);
    let cone = Cone::sequential(&model.aig, roots.map(|signal| signal.lit));
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    latches
        .filter(|(i, latch)| selectors[*i].is_none() && cone.contains(latch.var))
        .map(|(i, _)| i)
        .collect()
}

/// The reset value of a latch as a requirement on its first value.
fn reset_value(reset: Reset, first: crate::sat::Lit) -> Option<crate::sat::Lit> {
    match reset {
        Reset::Zero => Some(!first),
        Reset::One => Some(first),
        Reset::Free => None,
    }
}

/// A circuit literal that is one of the two constants needs no variable.
fn constant(lit: Lit) -> Option<bool> {
    lit.as_constant()
}
