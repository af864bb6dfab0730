//! Circuits derived from a model's circuit: the product of original and mutants, a single mutant, and choices that only mutants use.

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

/// Returns a circuit with a bad state that is reachable if and only if the original and one of the mutants differ.
///
/// # Errors
/// If the model has no mutants, or the question has no circuit.
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

/// A reason why a question has no circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unposed {
    /// The question does not apply to this model.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The question is not about a bad state. This is a bug.
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

/// Returns the model with one mutant, which the selector `mut` switches on: a conditional mutant (\[3, §4\], "Mutation testing with
/// hyperproperties"). `prefix` is the mutant's id or an unambiguous beginning of it.
///
/// # Errors
/// If no mutant or more than one has this prefix, or the mutant is not a valid model.
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

/// Returns the names of choices that only mutants read. Example: the value of a register after a reset that a mutant has broken.
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
    // A choice outside the cone of influence of all mutants is not a choice of a mutant.
    let all = model.aig.outputs.iter().chain(&model.aig.constraints);
    let all = Cone::sequential(
        &model.aig,
        all.chain(&model.aig.bad).map(|signal| signal.lit),
    );
    let by_mutants = |input: &usize| all.contains(model.aig.inputs()[*input].var);
    let only = unread.filter(|port| port.bits.iter().any(by_mutants));
    only.map(|port| port.name.clone()).collect()
}
