//! Checks answers to formulas by their evidence: every circuit is built anew from the formula, and nothing is searched.

use hyperkill_core::budget::Budget;
use hyperkill_core::liveness::Search;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::answer::{Beyond, Exclusion, Shown, Way, Witness};
use hyperkill_evidence::question::Question;
use hyperkill_formulas::fragment::Fragment;
use hyperkill_formulas::{Alternation, Formula, Joint, Traces};

use super::{
    CertifyError, certify_end, certify_ending, certify_finite, certify_inclusion, certify_infinite,
    certify_invariant, certify_lassos, certify_proof, certify_witness,
};

/// Checks that the evidence shows that the formula holds, or that it fails, for these traces. `mut` in the formula stands for this mutant.
///
/// # Errors
/// If the evidence is wrong, with the condition that fails, or if the formula has no circuit.
pub fn certify_answer(
    (model, mutant): (&ConditionalMutant, SelectorId),
    formula: &Formula,
    traces: Traces,
    holds: bool,
    shown: &Shown,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let asked = formula.as_asked();
    if shown.satisfies() == (holds == formula.begins_with_forall()) {
        return Err(wrong("the evidence is for the opposite answer"));
    }
    if matches!(shown, Shown::End(_)) && traces == Traces::Finite {
        return Err(wrong(
            "the evidence is about infinite traces, and the question about finite ones",
        ));
    }
    let asked = &asked;
    match shown {
        Shown::Traces(witness) => {
            let shown = match traces {
                _ if Fragment::of(asked) != Fragment::Exists => false,
                Traces::Finite => certify_finite(model, mutant, asked, witness).is_ok(),
                Traces::Infinite => {
                    ends_where_it_is_decided(witness)
                        && certify_lassos(model, mutant, asked, witness).is_ok()
                }
            };
            if shown {
                return Ok(());
            }
            certify_witness(model, mutant, asked, traces, witness, budget)
        }
        Shown::Proof(proof) => {
            let (composed, proof) = proof.as_ref();
            if composed.formula != *asked || composed.mutant != mutant {
                return Err(wrong("the evidence is about another formula"));
            }
            let question = Question::Composed(composed.clone());
            certify_proof(model, &question, proof, budget)
        }
        Shown::End(steps) => certify_end(model, mutant, asked, *steps, budget),
        Shown::Included(shown) => certify_inclusion((model, mutant), asked, traces, shown, budget),
        Shown::Withstood(withstood) => {
            let (candidate, _) = withstood.as_ref();
            if traces == Traces::Infinite && !ends_where_it_is_decided(candidate) {
                return Err(wrong(
                    "the formula is not decided at the end of the loop of the traces",
                ));
            }
            excludes((model, mutant), asked, traces, shown, budget)
        }
        Shown::Excluded(_) | Shown::Refuted(_) => {
            excludes((model, mutant), asked, traces, shown, budget)
        }
    }
}

/// Whether the traces of a witness are lassos, and its field `decided` is their length, as a witness without universal traces requires.
fn ends_where_it_is_decided(witness: &Witness) -> bool {
    let steps = witness.runs.first().map(|run| run.steps.len());
    steps == Some(witness.decided) && matches!(witness.beyond, Beyond::Loop(_))
}

fn wrong(why: &'static str) -> CertifyError {
    CertifyError::Witness(why)
}

/// Returns the circuit, the bad literal and the invariant of evidence with an invariant; `None` for other evidence. `asked` is the formula
/// as asked.
///
/// # Errors
/// If the evidence does not fit the formula.
pub fn excluding<'s>(
    (model, mutant): (&ConditionalMutant, SelectorId),
    asked: &Formula,
    traces: Traces,
    shown: &'s Shown,
) -> Result<Option<(Search, &'s Exclusion)>, CertifyError> {
    let no_circuit = |_| wrong("the formula cannot be translated to a circuit");
    let (joint, exclusion) = match shown {
        Shown::Traces(_) | Shown::Proof(_) | Shown::End(_) | Shown::Included(_) => return Ok(None),
        Shown::Excluded(exclusion) => {
            let joint = match traces {
                Traces::Finite => Joint::finite(model, mutant, asked),
                Traces::Infinite => Joint::new(model, mutant, asked),
            };
            (joint.map_err(no_circuit)?, exclusion)
        }
        Shown::Withstood(shown) => {
            let (candidate, exclusion) = shown.as_ref();
            let asked = Alternation::new(model, mutant, asked, traces).map_err(no_circuit)?;
            if candidate.runs.len() != asked.existential {
                return Err(wrong(
                    "the number of traces is not the number of trace variables",
                ));
            }
            let variants = asked.specs.iter().map(|spec| &spec.variant);
            if !variants.take(asked.existential).eq(&candidate.variants) {
                return Err(wrong(
                    "a trace is of another system than its trace variable",
                ));
            }
            // Only such responses can drive a circuit.
            match traces {
                Traces::Finite => certify_ending(model, mutant, asked.formula, candidate)?,
                Traces::Infinite => certify_infinite(model, mutant, asked.formula, candidate)?,
            }
            let given = (&candidate.runs[..], &candidate.variants[..]);
            let joint = asked.responding_to(given, candidate.back().unwrap_or(0));
            (joint.map_err(no_circuit)?, exclusion)
        }
        Shown::Refuted(refutation) => {
            let asked = Alternation::new(model, mutant, asked, traces).map_err(no_circuit)?;
            if !refutation.responses.iter().all(|r| asked.fits(r)) {
                return Err(wrong("a response does not fit the formula"));
            }
            let joint = asked.against(&refutation.responses);
            (joint.map_err(no_circuit)?, &refutation.exclusion)
        }
    };
    let runs = joint.fair_runs();
    let search = match exclusion.way {
        Way::NoLasso => runs.lasso_search(),
        Way::Counted(times) => runs.counted(times),
    };
    Ok(Some((search, exclusion)))
}

/// Checks evidence with an invariant: it shows that the traces have no infinite run that meets all conditions infinitely often.
fn excludes(
    about: (&ConditionalMutant, SelectorId),
    asked: &Formula,
    traces: Traces,
    shown: &Shown,
    budget: &Budget,
) -> Result<(), CertifyError> {
    match excluding(about, asked, traces, shown)? {
        Some((search, exclusion)) => {
            certify_invariant(&search.aig, search.bad, &exclusion.invariant, budget)
        }
        None => Err(wrong("the evidence has no invariant")),
    }
}
