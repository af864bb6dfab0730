//! Linear tests ([3] Def. 1): inputs and the model's outputs, step by step, in the model's own words.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::conditional::Port;
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Value;
use hyperkill_core::trace::{Stimulus, StimulusError, decode, replay};

use crate::relevance::Relevance;
use crate::verdict::{Kill, Strength};

/// One step of a test: every input and every output, in declaration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestStep {
    /// What the tester sets. In a controllable test also the choices that can matter, as `nd:NAME`.
    pub inputs: Vec<(String, Value)>,
    /// What the model answers.
    pub outputs: Vec<(String, Value)>,
    /// What one run of the mutant answers.
    pub mutant_outputs: Vec<(String, Value)>,
}

/// A linear test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearTest {
    /// In a controllable test: the free initial values that can matter and have to be arranged, by latch name.
    pub initial: Vec<(String, Value)>,
    /// The steps.
    pub steps: Vec<TestStep>,
}

/// Spells a kill out.
///
/// # Errors
/// If its runs do not fit the circuit.
pub fn extract(
    model: &ConditionalMutant,
    mutant: usize,
    kill: &Kill,
) -> Result<LinearTest, StimulusError> {
    let expected = replay(model, Variant::Original, &kill.model_run)?;
    let observed = replay(model, Variant::Mutant(mutant), &kill.mutant_run)?;
    let arranged = (kill.strength == Strength::Controllable)
        .then(|| Relevance::to(model, &[Variant::Original, Variant::Mutant(mutant)]));
    let steps = kill
        .model_run
        .steps
        .iter()
        .zip(expected.outputs.iter().zip(&observed.outputs))
        .map(|(inputs, (outputs, mutated))| TestStep {
            inputs: inputs_of(model, inputs, arranged.as_ref()),
            outputs: decode(&model.outputs, outputs),
            mutant_outputs: decode(&model.outputs, mutated),
        })
        .collect();
    Ok(LinearTest {
        initial: arranged.map_or_else(Vec::new, |relevance| {
            free_values(model, &kill.model_run, &relevance)
        }),
        steps,
    })
}

/// All test inputs, and those choices that have to be arranged because they can matter.
pub(super) fn inputs_of(
    model: &ConditionalMutant,
    bits: &[bool],
    arranged: Option<&Relevance>,
) -> Vec<(String, Value)> {
    let mut inputs = decode(&model.inputs, bits);
    if let Some(relevance) = arranged {
        let choices = model.choices.iter();
        let choices: Vec<Port> = choices
            .filter(|port| relevance.of_port(port))
            .cloned()
            .collect();
        let choices = decode(&choices, bits).into_iter();
        inputs.extend(choices.map(|(name, value)| (format!("nd:{name}"), value)));
    }
    inputs
}

/// The free initial values that can matter, by latch name.
pub(super) fn free_values(
    model: &ConditionalMutant,
    run: &Stimulus,
    relevance: &Relevance,
) -> Vec<(String, Value)> {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().enumerate();
    latches
        .filter(|(i, latch)| {
            latch.reset == Reset::Free && selectors[*i].is_none() && relevance.of_latch(*i)
        })
        .map(|(i, latch)| {
            let name = latch.name.clone().unwrap_or_else(|| format!("latch{i}"));
            (name, Value::Int(i64::from(run.initial[i])))
        })
        .collect()
}
