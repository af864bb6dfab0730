//! Answers to formulas, checked again from what shows them: every circuit is built anew, and nothing is searched.

use hyperkill_certify::{
    CertifyError, certify_end, certify_inclusion, certify_infinite, certify_invariant,
    certify_lassos, certify_proof, certify_witness,
};
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::question::Question;
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::{Formula, Joint, Traces};

use super::fair::Exclusion;
use super::responses::{Duel, Response};
use super::{FormulaError, Shown, Way, begins_with_forall, existential};

/// Checks that what is shown shows that the formula holds, or that it does not.
///
/// # Errors
/// [`FormulaError::Evidence`] says what is wrong with the evidence; if the formula cannot be composed.
pub fn recheck(
    (model, mutant): (&ConditionalMutant, SelectorId),
    formula: &Formula,
    traces: Traces,
    holds: bool,
    shown: &Shown,
    budget: &Budget,
) -> Result<(), FormulaError> {
    let asked = existential(formula);
    let satisfied = matches!(shown, Shown::Traces(_) | Shown::Withstood(_));
    if satisfied == (holds == begins_with_forall(formula)) {
        return Err(wrong("it is evidence for the opposite"));
    }
    let about_endless = !matches!(shown, Shown::Traces(_) | Shown::Proof(_));
    if about_endless && traces == Traces::Finite {
        return Err(wrong("it is about infinite traces"));
    }
    let asked = &asked;
    match shown {
        Shown::Traces(witness) => {
            let alone = Fragment::of(asked) == Fragment::Exists && traces == Traces::Infinite;
            let lassos = certify_lassos(model, mutant, asked, witness);
            if alone && lassos.is_ok() {
                return Ok(());
            }
            certify_witness(model, mutant, asked, traces, witness, budget)
        }
        Shown::Proof(proof) => {
            let (composed, proof) = proof.as_ref();
            if composed.formula != *asked || composed.mutant != mutant {
                return Err(wrong("it is about another formula"));
            }
            let question = Question::Composed(composed.clone());
            certify_proof(model, &question, proof, budget)
        }
        Shown::End(steps) => certify_end(model, mutant, asked, *steps, budget),
        Shown::Excluded(exclusion) => {
            let joint = Joint::new(model, mutant, asked)?;
            excludes(&joint, exclusion, budget)
        }
        Shown::Withstood(shown) => {
            let (candidate, exclusion) = shown.as_ref();
            let duel = Duel::new(model, mutant, asked)?;
            if candidate.runs.len() != duel.leading() {
                return Err(wrong("there are not as many traces as variables"));
            }
            certify_infinite(model, mutant, asked, candidate).map_err(FormulaError::Evidence)?;
            excludes(&duel.responding_to(candidate)?, exclusion, budget)
        }
        Shown::Included(shown) => certify_inclusion(model, mutant, asked, shown, budget),
        Shown::Refuted(refutation) => {
            let duel = Duel::new(model, mutant, asked)?;
            if !refutation.responses.iter().all(|r| fits(model, &duel, r)) {
                return Err(wrong("a response does not fit the formula"));
            }
            let joint = duel.against(&refutation.responses)?;
            excludes(&joint, &refutation.exclusion, budget)
        }
    }
    .map_err(FormulaError::Evidence)
}

fn wrong(why: &'static str) -> FormulaError {
    FormulaError::Evidence(CertifyError::Witness(why))
}

/// Whether an invariant shows that these traces have no infinite run that meets all conditions again and again.
fn excludes(joint: &Joint, exclusion: &Exclusion, budget: &Budget) -> Result<(), CertifyError> {
    let runs = joint.fair_runs();
    let search = match exclusion.way {
        Way::NoLasso => runs.lasso_search(),
        Way::Counted(times) => runs.counted(times),
    };
    certify_invariant(&search.aig, search.bad, &exclusion.invariant, budget)
}

/// Whether a response is one of as many traces as there are universal variables, and they are runs of the model's size.
fn fits(model: &ConditionalMutant, duel: &Duel<'_>, response: &Response) -> bool {
    match response {
        Response::Copies(whose) => {
            whose.len() == duel.answering() && whose.iter().all(|&of| of < duel.leading())
        }
        Response::Follows => duel.can_follow(),
        Response::Traces { runs, back } => {
            let steps = runs.first().map_or(0, |run| run.steps.len());
            let (latches, inputs) = (model.aig.latches().len(), model.aig.inputs().len());
            runs.len() == duel.answering()
                && *back < steps
                && runs.iter().all(|run| {
                    run.steps.len() == steps
                        && run.initial.len() == latches
                        && run.steps.iter().all(|step| step.len() == inputs)
                })
        }
    }
}
