//! Circuits that are made of a model's circuit: the question whether a mutant differs, a single mutant, and what only mutants choose.

use hyperkill_audit::catalogue::Standing;
use hyperkill_audit::model::Loaded;
use hyperkill_checker::question::Pose;
use hyperkill_core::aig::Cone;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Aig, ConditionalMutant, Reset, SelectorId};
use hyperkill_evidence::question::{Family, Question};

use crate::selection::resolve;
use crate::unfit::Unfit;

/// The question whether the original and one of the mutants differ, as a circuit with a bad state.
///
/// # Errors
/// If the model has no mutants, or the question no circuit.
pub fn product(model: &ConditionalMutant) -> Result<Aig, Unposed> {
    let members: Vec<SelectorId> = model.selector_ids().collect();
    if members.is_empty() {
        return Err(Unfit::new("--product: the model has no mutants").into());
    }
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().zip(selectors);
    let chooses = !model.choices.is_empty()
        || latches
            .into_iter()
            .any(|(latch, selector)| latch.reset == Reset::Free && selector.is_none());
    let posed = match (members.as_slice(), chooses) {
        ([one], false) => Question::phi1(*one, false).pose(model),
        ([one], true) => Question::identity(*one).pose(model),
        (_, false) => Question::Family(Family::phi1(members, false)).pose(model),
        (_, true) => Question::Family(Family::identity(members)).pose(model),
    };
    posed.safety_problem().ok_or(Unposed::NoCircuit)
}

/// Why a question has no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unposed {
    /// It means nothing for this model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// It is no question about a bad state: a bug.
    #[error("the product cannot be written as a circuit")]
    NoCircuit,
}

/// A model with one mutant.
pub struct Single {
    /// The circuit.
    pub model: ConditionalMutant,
    /// The mutant.
    pub id: MutantId,
}

/// The form of \[3\]: one mutant, behind a selector called `mut`.
///
/// # Errors
/// If there is no such mutant, or it is no model.
pub fn single(loaded: &Loaded, prefix: &str) -> Result<Single, Unfit> {
    let ids: Vec<&str> = loaded
        .listing
        .catalogue
        .iter()
        .map(|e| e.id.0.as_str())
        .collect();
    let entry = &loaded.listing.catalogue[resolve(prefix, &ids)?];
    let selector = match &entry.standing {
        Standing::Live(selector) => *selector,
        Standing::Invalid(reason) => {
            return Err(Unfit::new(format!(
                "mutant {} is no model: {reason}",
                entry.id
            )));
        }
    };
    let mut model = keep_mutants(&loaded.model, &[selector]);
    let id = MutantId("mut".to_owned());
    for selector in &mut model.selectors {
        selector.id = id.clone();
    }
    for mutant in &mut model.mutants {
        mutant.id = id.clone();
    }
    Ok(Single {
        model,
        id: entry.id.clone(),
    })
}

/// Names of the choices that the model itself never makes: what a register holds after a reset that a mutant has broken.
#[must_use]
pub fn choices_of_mutants(model: &ConditionalMutant) -> Vec<String> {
    if model.choices.is_empty() {
        return Vec::new();
    }
    let original = keep_mutants(model, &[]).aig;
    let seen = original.outputs.iter().chain(&original.constraints);
    let seen = seen.chain(&original.bad).map(|signal| signal.lit);
    let cone = Cone::sequential(&original, seen);
    let is_read = |input: &usize| cone.contains(original.inputs()[*input].var);
    let unread = model
        .choices
        .iter()
        .filter(|port| !port.bits.iter().any(is_read));
    // What nothing reads in mutants either is no mutant's choice.
    let all = model.aig.outputs.iter().chain(&model.aig.constraints);
    let all = Cone::sequential(
        &model.aig,
        all.chain(&model.aig.bad).map(|signal| signal.lit),
    );
    let by_mutants = |input: &usize| all.contains(model.aig.inputs()[*input].var);
    let only = unread.filter(|port| port.bits.iter().any(by_mutants));
    only.map(|port| port.name.clone()).collect()
}
