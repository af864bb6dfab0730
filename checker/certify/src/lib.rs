//! Checks the evidence of every verdict before it is reported: kills are replayed, claims about all runs are decided again, and proofs are
//! checked.
//!
//! The package shares only the model and the statement of the question with the engines. No engine uses its solver, BatSat. Each check
//! builds the product anew and naively: one solver variable per node, copy and step, without hashing or folding, so that it cannot repeat
//! the engines' bugs. There are two exceptions: known selectors are constants, and gates with identical operands in two copies are shared.
//! Only nodes that a check reads are encoded; encoding more could only rule out more runs.

mod acceptance;
mod answer;
mod atoms;
mod closed_set;
mod determinism;
mod diagrams;
mod duplicate;
mod encoding;
mod error;
mod estimates;
mod existing;
mod formula;
mod inclusion;
mod lassos;
mod meaning;
mod multiplexers;
mod naive;
mod path_state;
mod region;
mod replay;
mod safety;
mod shown_choices;
mod simulation;
mod steps;
mod ternary;
mod test;
mod tree;
mod universal;
mod validity;
mod valuations;

pub use acceptance::{certify_acceptance, certify_acceptance_knowing, certify_answering_steps};
pub use answer::{certify_answer, excluding};
pub use closed_set::{certify_closed_set, certify_closed_set_knowing, certify_member};
pub use determinism::certify_answering;
pub use diagrams::DiagramLimits;
pub use duplicate::certify_duplicate;
pub use error::CertifyError;
pub use estimates::{certify_estimates, certify_estimates_in_order, certify_estimates_within};
pub use formula::{certify_end, certify_witness, deciding, leading_back};
pub use hyperkill_evidence::answer::{Beyond, Witness};
pub use inclusion::certify_inclusion;
pub use lassos::{
    certify_ending, certify_endless, certify_fair_run, certify_finite, certify_infinite,
    certify_lassos,
};
pub use replay::{ReplayError, replay_kill};
pub use safety::{certify_invariant, replay_failure};
pub use simulation::{certify_simulation, certify_simulation_in_order, certify_simulation_within};
pub use test::{answers, certify_free, certify_test, certify_tests};
pub use tree::certify_tree;
pub use universal::{
    LISTING, Shown, certify_kill, certify_kills, certify_refusal, is_plainly_definite, plainly_kill,
};
pub use validity::{Obligations, certify_validity};
pub use valuations::InputClasses;

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, Var};
use hyperkill_evidence::fault;
use hyperkill_evidence::proof::{Fact, Proof};
use hyperkill_evidence::question::{Question, StateBit};
use hyperkill_sat::{Answer, Solver};

use naive::{Naive, Start};
use path_state::PathState;

/// Limits on the check of evidence that decision diagrams found. All are counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckLimits {
    /// Limits on the check by diagrams; beyond them a SAT solver checks.
    pub diagrams: DiagramLimits,
    /// The limit on conflicts of the SAT solver for each hard obligation; unlimited if `None`.
    pub conflicts: Option<u32>,
}

/// Checks a proof that the goal of a question is unreachable: base case, facts and induction step, each with a fresh solver.
///
/// A strategy has steps of two kinds: the first one, which chooses initial values, and later ones. The base case then covers one more step,
/// so that the induction step is about later ones only.
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
    let path_state = PathState::of(model, question).ok_or(CertifyError::Broken("strategy"))?;
    if let Question::Composed(composed) = question {
        formula::check_statement(model, composed)?;
    }
    let steered = matches!(question, Question::Steered(_));
    if proof.k == 0 || proof.facts_depth == 0 || (steered && proof.facts_depth > 1) {
        return Err(CertifyError::Broken("depth"));
    }
    if !proof
        .facts
        .iter()
        .all(|fact| is_meant(model, question, fact))
    {
        return Err(CertifyError::Broken("language"));
    }
    let (base, starts) = match question {
        Question::Pair(_) | Question::Family(_) | Question::Composed(_) => {
            (proof.k, &[Start::Later][..])
        }
        Question::Steered(_) => (proof.k + 1, &[Start::First, Start::Later][..]),
    };
    check_facts_initially(model, question, proof, budget)?;
    for &start in starts {
        check_facts_kept(model, question, proof, start, budget)?;
    }
    // From here on the facts hold in every step of a run. Those of a strategy hold only before the goal's step.
    let known = if steered { &[][..] } else { &proof.facts };
    check_base(model, question, base, known, budget)?;
    check_step(model, question, proof, &path_state, budget)
}

/// Whether all copies, latches and nodes that a fact names exist in the question.
fn is_meant(model: &ConditionalMutant, question: &Question, fact: &Fact) -> bool {
    let (copies, has_steps_before) = match question {
        Question::Pair(_) | Question::Family(_) => (2, false),
        Question::Steered(steered) => (2 + steered.witnesses.len(), true),
        Question::Composed(composed) => (composed.copies.len(), false),
    };
    let exists = |copy: usize, var: Var| copy < copies && var.index() < model.aig.len();
    match fact {
        Fact::Equal(sites) => sites.iter().all(|site| exists(site.copy, site.lit.var())),
        Fact::SameUnless(of, var, unless) => {
            of.iter().all(|&copy| exists(copy, *var)) && exists(0, unless.var())
        }
        Fact::Clause(clause) => clause.iter().all(|(bit, _)| match *bit {
            StateBit::Latch { copy, latch } => copy < copies && latch < model.aig.latches().len(),
            StateBit::Before { copy, lit } => has_steps_before && exists(copy, lit.var()),
            StateBit::First => false,
        }),
    }
}

/// Checks the base case: no run of up to `k` steps reaches the goal. These facts hold in every step of a run.
fn check_base(
    model: &ConditionalMutant,
    question: &Question,
    k: usize,
    facts: &[Fact],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question, Start::First);
    for step in 0..k {
        if step > 0 {
            naive.assume_before(step - 1);
        }
        naive.push_step();
        naive.merge_leaves(facts, step);
        naive.assume_existence(step);
        naive.assume_facts(facts, step);
        let goal = naive.goal(step);
        match naive.solve(&[goal], budget) {
            Answer::Impossible => naive.solver.add_clause(&[!goal]),
            Answer::Possible => return Err(CertifyError::Broken("base case")),
            Answer::Undecided(stop) => return Err(CertifyError::Stopped(stop)),
        }
    }
    Ok(())
}

/// Checks the base case of the facts: they hold in as many first steps as the depth of their induction.
fn check_facts_initially(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question, Start::First);
    for step in 0..proof.facts_depth {
        naive.push_step();
        naive.assume_existence(step);
        naive.assume_before(step);
        let facts = proof.facts.iter();
        all_hold(&mut naive, facts, step, budget, "start of the facts")?;
    }
    Ok(())
}

/// Checks the induction step of the facts: if they hold in as many steps as their depth, they hold in the next one.
fn check_facts_kept(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
    start: Start,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let last = proof.facts_depth;
    let mut naive = Naive::new(model, question, start);
    for step in 0..=last {
        naive.push_step();
        if step < last {
            naive.merge_leaves(&proof.facts, step);
        }
        naive.assume_existence(step);
        naive.assume_before(step);
    }
    for step in 0..last {
        naive.assume_facts(&proof.facts, step);
    }
    let part = "preservation of the facts";
    let (of_states, of_gates): (Vec<&Fact>, Vec<&Fact>) =
        (proof.facts.iter()).partition(|fact| naive.height(fact) == 0);
    all_hold(&mut naive, of_states.iter().copied(), last, budget, part)?;
    let rest = match question {
        Question::Pair(_) | Question::Family(_) | Question::Composed(_) => {
            not_plain(model, question, &of_states, of_gates, budget)?
        }
        Question::Steered(_) => of_gates,
    };
    all_hold(&mut naive, rest.into_iter(), last, budget, part)
}

/// The limit on conflicts for each attempt to prove a fact about gates from one step alone.
const PLAIN: u32 = 1_000;

/// Returns the facts about gates that the solver does not prove from the facts about states in the same step alone. The steps before rarely
/// matter to facts about gates, and make them hard to prove.
fn not_plain<'f>(
    model: &ConditionalMutant,
    question: &Question,
    of_states: &[&Fact],
    mut of_gates: Vec<&'f Fact>,
    budget: &Budget,
) -> Result<Vec<&'f Fact>, CertifyError> {
    let mut naive = Naive::new(model, question, Start::Later);
    naive.push_step();
    let of_states: Vec<Fact> = of_states.iter().map(|&fact| fact.clone()).collect();
    naive.merge_leaves(&of_states, 0);
    naive.assume_existence(0);
    naive.assume_before(0);
    naive.assume_facts(&of_states, 0);
    of_gates.sort_by_key(|fact| naive.height(fact));
    let mut rest = Vec::new();
    for fact in of_gates {
        let holds = naive.fact(fact, 0);
        if holds == naive.truth {
            continue;
        }
        match naive.solver.solve(&[!holds], Some(PLAIN), budget) {
            Answer::Impossible => naive.learn(fact, holds, 0),
            Answer::Possible | Answer::Undecided(Stop::Bound) => rest.push(fact),
            Answer::Undecided(stop) => return Err(CertifyError::Stopped(stop)),
        }
    }
    Ok(rest)
}

/// Proves that all facts hold at a step, one by one. Each proved fact supports the facts after it.
fn all_hold<'f>(
    naive: &mut Naive<'_>,
    facts: impl Iterator<Item = &'f Fact>,
    step: usize,
    budget: &Budget,
    part: &'static str,
) -> Result<(), CertifyError> {
    // Equal nodes are shared bottom up, so that equal nodes above them become identical.
    let mut facts: Vec<&Fact> = facts.collect();
    facts.sort_by_key(|fact| naive.height(fact));
    for fact in facts {
        let holds = naive.fact(fact, step);
        if holds == naive.truth {
            continue;
        }
        match naive.solve(&[!holds], budget) {
            Answer::Impossible => naive.learn(fact, holds, step),
            Answer::Possible => return Err(CertifyError::Broken(part)),
            Answer::Undecided(stop) => return Err(CertifyError::Stopped(stop)),
        }
    }
    Ok(())
}

/// Checks the induction step: after `k` steps that do not reach the goal, the next one does not either.
///
/// The states of those steps are assumed to be different if the proof says so. A shortest run to the goal repeats no state, since the steps
/// in between could be cut out. In a question about a strategy, the late choices of the step before the cut become those of the last step
/// that is cut out. Nothing else in their step reads them, and their operands are part of the state, so the states and choices of the next
/// step are those after the cut. First steps are not compared.
fn check_step(
    model: &ConditionalMutant,
    question: &Question,
    proof: &Proof,
    path_state: &PathState,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut naive = Naive::new(model, question, Start::Later);
    // The strategy is assumed before the goal only. Facts that do not depend on it hold at the goal too.
    let until = match question {
        Question::Pair(_) | Question::Family(_) | Question::Composed(_) => proof.k + 1,
        Question::Steered(_) => proof.k,
    };
    for step in 0..=proof.k {
        naive.push_step();
        if step < until {
            naive.merge_leaves(&proof.facts, step);
        }
        naive.assume_existence(step);
        if step < until {
            naive.assume_facts(&proof.facts, step);
        }
        if step < proof.k {
            naive.assume_before(step);
        }
        let goal = naive.goal(step);
        naive
            .solver
            .add_clause(&[if step < proof.k { !goal } else { goal }]);
    }
    if proof.simple_path {
        for j in 1..=proof.k {
            for i in 0..j {
                naive.assume_different_states(i, j, path_state);
            }
        }
    }
    match naive.solve(&[], budget) {
        Answer::Impossible => Ok(()),
        Answer::Possible => Err(CertifyError::Broken("step")),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}

/// Returns the literal that says that the first value of a latch (`first`) is its reset value; `None` if that is free.
fn reset_value(reset: Reset, first: hyperkill_sat::Lit) -> Option<hyperkill_sat::Lit> {
    match reset {
        Reset::Zero => Some(!first),
        Reset::One => Some(first),
        Reset::Free => None,
    }
}
