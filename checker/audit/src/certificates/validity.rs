//! The list of mutants that are models: values and first steps. Selectors are left out, so that the evidence fits every circuit of the
//! model.

use std::collections::BTreeMap;

use hyperkill_core::first_values::FirstValues;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::validity::{Beginning, Breach, Validity};

use super::{Unreadable, from_bits, state};
use crate::documents::bits::{first_state_bits, first_values, state_bits, to_bits};
use crate::documents::{BeginningEvidence, BreachEvidence, ValidityEvidence};

/// Returns the evidence for the list of mutants that are models, as a document. `checks` is the circuit of conditions; without it, the
/// latches of breaches are left out.
pub fn written_validity(
    model: &ConditionalMutant,
    checks: Option<&ConditionalMutant>,
    shown: &Validity,
) -> ValidityEvidence {
    let names = |mutants: &[SelectorId]| -> Vec<String> {
        let ids = mutants.iter().map(|&mutant| &model.selectors[mutant.0].id);
        ids.map(ToString::to_string).collect()
    };
    let breach = |breach: &Breach| BreachEvidence {
        obligation: breach.obligation,
        latches: checks.map_or_else(String::new, |checks| state_bits(checks, &breach.latches)),
        inputs: to_bits(&breach.inputs),
        mutants: names(&breach.mutants),
    };
    let beginning = |beginning: &Beginning| BeginningEvidence {
        latches: first_state_bits(model, &beginning.run.initial),
        inputs: (beginning.run.steps.first()).map_or_else(String::new, |step| to_bits(step)),
        original: beginning.original,
        mutants: names(&beginning.mutants),
    };
    ValidityEvidence {
        breaches: shown.breaches.iter().map(breach).collect(),
        beginnings: shown.beginnings.iter().map(beginning).collect(),
        without: names(&shown.without),
    }
}

/// Returns the evidence for the list of mutants that are models, from a document. `checks` is the circuit of conditions.
///
/// # Errors
/// If it does not fit the circuits.
pub fn read_validity(
    model: &ConditionalMutant,
    checks: Option<&ConditionalMutant>,
    said: &ValidityEvidence,
) -> Result<Validity, Unreadable> {
    let selectors = model.selectors.iter().zip(model.selector_ids());
    let index: BTreeMap<&str, SelectorId> = selectors.map(|(s, i)| (s.id.0.as_str(), i)).collect();
    let mutants = |ids: &[String]| -> Result<Vec<SelectorId>, Unreadable> {
        let known = ids.iter().map(|id| index.get(id.as_str()).copied());
        let known: Option<Vec<SelectorId>> = known.collect();
        let known = known.filter(|known| known.is_sorted_by(|a, b| a < b));
        known.ok_or(Unreadable::Malformed(
            "a list of mutants is not in order, or names none of the circuit",
        ))
    };
    let breach = |breach: &BreachEvidence| {
        let checks = checks.ok_or(Unreadable::Malformed(
            "the certificate lists invalid mutants, but the model has no conditions",
        ))?;
        Ok(Breach {
            obligation: breach.obligation,
            latches: state(checks, &breach.latches)?,
            inputs: from_bits(&breach.inputs, checks.aig.inputs().len(), "inputs")?,
            mutants: mutants(&breach.mutants)?,
        })
    };
    let beginning = |beginning: &BeginningEvidence| {
        let initial = FirstValues::from(state(model, &beginning.latches)?);
        if first_values(model, &initial) != initial {
            return Err(Unreadable::Malformed(
                "a run gives a latch another initial value than its reset",
            ));
        }
        let inputs = from_bits(&beginning.inputs, model.aig.inputs().len(), "inputs")?;
        Ok(Beginning {
            run: Stimulus {
                initial,
                steps: vec![inputs],
            },
            original: beginning.original,
            mutants: mutants(&beginning.mutants)?,
        })
    };
    Ok(Validity {
        breaches: said.breaches.iter().map(breach).collect::<Result<_, _>>()?,
        beginnings: (said.beginnings.iter())
            .map(beginning)
            .collect::<Result<_, _>>()?,
        without: mutants(&said.without)?,
    })
}
