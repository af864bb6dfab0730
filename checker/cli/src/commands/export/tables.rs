//! Tests as plain tables: comma-separated values, and the bits of AIGER stimuli.

use hyperkill_checker::judge::run_of;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::aiger::stimulus::write_stimulus;
use hyperkill_core::product::Variant;

use super::plays;
use crate::documents::{Signature, SuiteTest, TestStep, Valuation};
use crate::failure::Failure;
use crate::session::{Level, Session};

/// A column for each input and each output, a row for each step, an empty line between tests: what `score --suite` reads.
pub(super) fn comma_separated(signature: &Signature, tests: &[SuiteTest]) -> String {
    let ports = signature.inputs.iter().chain(&signature.outputs);
    let names: Vec<&str> = ports.map(|port| port.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for (number, test) in tests.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        for step in &test.steps {
            text += &cells(signature, step).join(",");
            text.push('\n');
        }
    }
    text
}

/// The values of a step, those of inputs first.
pub(super) fn cells(signature: &Signature, step: &TestStep) -> Vec<String> {
    let value = |values: &Valuation, name: &str| {
        let found = values.0.iter().find(|(other, _)| other == name);
        found.map_or_else(String::new, |(_, value)| value.to_string())
    };
    let inputs = signature.inputs.iter();
    let inputs = inputs.map(|port| value(&step.inputs, &port.name));
    let outputs = signature.outputs.iter();
    let outputs = outputs.map(|port| value(&step.outputs, &port.name));
    inputs.chain(outputs).collect()
}

/// A run of the model like the test, as the bits of all inputs of its circuit, choices too.
///
/// # Errors
/// If the model has no such run.
pub(super) fn stimulus(
    session: &mut Session<'_>,
    model: &ConditionalMutant,
    test: &SuiteTest,
) -> Result<String, Failure> {
    let (inputs, outputs) = plays::bits_of(model, test)?;
    let budget = session.budget();
    let run = run_of(model, Variant::Original, &inputs, &outputs, &budget);
    let run = run.ok_or_else(|| plays::no_run(test))?;
    let latches = model.aig.latches().iter().zip(&run.initial);
    let set = latches.filter(|(latch, value)| latch.reset == Reset::Free && **value);
    let names: Vec<&str> = set
        .map(|(latch, _)| latch.name.as_deref().unwrap_or("a latch without a name"))
        .collect();
    if !names.is_empty() {
        session.say(
            Level::Warning,
            format!(
                "{}: a stimulus cannot say that this starts at 1: {}",
                test.id,
                names.join(", ")
            ),
        );
    }
    let steps = run.steps.into_iter();
    let known = steps.map(|step| step.into_iter().map(Some).collect());
    Ok(write_stimulus(&known.collect::<Vec<Vec<Option<bool>>>>()))
}
