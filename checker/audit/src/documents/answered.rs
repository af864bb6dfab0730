//! Builds the documents of answers to formulas.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Value;
use hyperkill_core::trace::{Stimulus, StimulusError, decode, replay};
use hyperkill_evidence::answer::{Exclusion, Shown, Way, Witness};
use hyperkill_evidence::verdict::Engine;
use hyperkill_formulas::{Formula, Systems};

use super::build::{self, Excluded};
use super::{Evidence, FormulaResult, FormulaStep, FormulaTrace, TruthWord, Valuation};

/// Name of the engine that searches for infinite runs, in documents.
const FAIR: &str = "liveness";

/// Returns an unknown answer to a formula, about this mutant or the formula alone, without further facts.
#[must_use]
pub fn unanswered(mutant: Option<String>) -> FormulaResult {
    FormulaResult {
        mutant,
        property: "formula".to_owned(),
        verdict: TruthWord::Unknown,
        engine: None,
        steps: None,
        known_to: None,
        reason: None,
        traces: Vec::new(),
        evidence: None,
        seconds: None,
    }
}

/// Returns an answer to a formula as a document, with the evidence. If the circuit holds several systems, each trace carries the name of
/// its system.
///
/// # Errors
/// If traces do not fit the circuit.
pub fn answered(
    (model, systems): (&ConditionalMutant, Option<&Systems>),
    formula: &Formula,
    mutant: Option<String>,
    verdict: TruthWord,
    shown: &Shown,
) -> Result<FormulaResult, StimulusError> {
    let asked = || formula.as_asked().to_string();
    let mut result = unanswered(mutant);
    result.verdict = verdict;
    match shown {
        Shown::Traces(witness) => {
            result.engine = Some(Engine::ExistsForall.to_string());
            result.steps = Some(witness.decided);
            result.traces = traces((model, systems), formula, witness)?;
        }
        Shown::Proof(proof) => {
            let (composed, proof) = proof.as_ref();
            result.engine = Some(Engine::of(proof).to_string());
            result.evidence = Some(build::proved(composed.formula.to_string(), proof));
        }
        Shown::End(steps) => {
            result.engine = Some(Engine::ExistsForall.to_string());
            result.evidence = Some(build::ended(asked(), *steps));
        }
        Shown::Excluded(exclusion) => {
            result.engine = Some(FAIR.to_owned());
            result.evidence = Some(excluded(asked(), exclusion, None));
        }
        Shown::Withstood(shown) => {
            let (witness, exclusion) = shown.as_ref();
            result.engine = Some(FAIR.to_owned());
            result.traces = traces((model, systems), formula, witness)?;
            result.evidence = Some(excluded(asked(), exclusion, None));
        }
        Shown::Included(shown) => {
            result.engine = Some(Engine::Subsets.to_string());
            result.evidence = Some(build::included(asked(), shown.sets.len(), shown.ways.len()));
        }
        Shown::Refuted(refutation) => {
            let responses = Some(refutation.responses.len());
            result.engine = Some(FAIR.to_owned());
            result.evidence = Some(excluded(asked(), &refutation.exclusion, responses));
        }
    }
    Ok(result)
}

fn excluded(asked: String, exclusion: &Exclusion, responses: Option<usize>) -> Evidence {
    let how = match exclusion.way {
        Way::NoLasso => Excluded::NoLasso,
        Way::Counted(k) => Excluded::Counted(k),
    };
    build::excluded(asked, how, exclusion.invariant.len(), responses)
}

/// Returns the traces of a witness as documents have them, with names and values.
///
/// # Errors
/// If they do not fit the circuit.
pub fn traces(
    (model, systems): (&ConditionalMutant, Option<&Systems>),
    formula: &Formula,
    witness: &Witness,
) -> Result<Vec<FormulaTrace>, StimulusError> {
    let names = systems.map_or(vec!["original", "mutant"], Systems::names);
    let ports: Vec<[Vec<Port>; 3]> = (0..names.len())
        .map(|system| match systems {
            Some(systems) => systems.ports_of(system),
            None => [&model.inputs, &model.choices, &model.outputs].map(Clone::clone),
        })
        .collect();
    let runs = witness.runs.iter().zip(&witness.variants);
    let named = runs.zip(&formula.prefix);
    named
        .map(|((run, &variant), (_, name))| {
            let trace = replay(model, variant, run)?;
            let steps = run.steps.iter().zip(&trace.outputs);
            // Without systems there are two: the original, and the mutant in question as the second.
            let system = variant.system().min(names.len() - 1);
            let [inputs, choices, outputs] = &ports[system];
            Ok(FormulaTrace {
                trace: name.to_string(),
                of: names[system].to_owned(),
                initial: initial_of(model, systems.map(|systems| (systems, system)), run),
                steps: steps
                    .map(|(given, shown)| FormulaStep {
                        inputs: Valuation(decode(inputs, given)),
                        choices: Valuation(decode(choices, given)),
                        outputs: Valuation(decode(outputs, shown)),
                    })
                    .collect(),
                loop_from: witness.back(),
            })
        })
        .collect()
}

/// Returns the first values that a run gives to latches without a reset, by name; a latch without a name is `latch` with its index.
#[must_use]
pub fn initial(model: &ConditionalMutant, run: &Stimulus) -> Valuation {
    initial_of(model, None, run)
}

/// Returns the first values like [`initial`]. For a circuit of several systems, only latches of the given one, by their names there.
fn initial_of(
    model: &ConditionalMutant,
    of: Option<(&Systems, usize)>,
    run: &Stimulus,
) -> Valuation {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    let free = latches.filter(|(i, latch)| latch.reset == Reset::Free && selectors[*i].is_none());
    let named = free.filter_map(|(i, latch)| {
        let name = latch.name.clone().unwrap_or_else(|| format!("latch{i}"));
        let name = match of {
            Some((systems, system)) => systems.own_latch(system, i, &name)?,
            None => name,
        };
        let value = Value::Int(i64::from(run.initial[i]));
        Some((name, value))
    });
    Valuation(named.collect())
}
