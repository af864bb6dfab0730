//! Tests whose inputs do not depend on what is seen, as inputs of a circuit.

use hyperkill_checker::testgen::running::pattern;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::sort::Value;
use hyperkill_export::as_global;

use crate::documents::Suite;
use crate::failure::Failure;
use crate::session::{Level, Session};

/// Inputs by name, step by step.
pub(super) type Inputs = Vec<Vec<(String, Value)>>;

/// The inputs of the tests of a suite, in the bits of a circuit.
pub(super) fn with_fixed_inputs(
    session: &mut Session<'_>,
    suite: Suite,
    model: &ConditionalMutant,
) -> Result<Vec<Vec<Vec<bool>>>, Failure> {
    let tests = fixed(session, suite).into_iter();
    let tests = tests.map(|(id, inputs)| bits(&id, &inputs, model));
    tests.collect()
}

/// One bool per circuit input, step by step.
pub(super) fn bits(
    id: &str,
    inputs: &Inputs,
    model: &ConditionalMutant,
) -> Result<Vec<Vec<bool>>, Failure> {
    let steps = inputs.iter().map(|step| {
        let bits = pattern(&model.inputs, model.aig.inputs().len(), step);
        let bits = bits.map_err(|misfit| Failure::usage(format!("{id}: {misfit}")))?;
        Ok(bits.into_iter().map(|bit| bit == Some(true)).collect())
    });
    steps.collect()
}

/// The tests of a suite that have fixed inputs.
pub(super) fn fixed(session: &mut Session<'_>, suite: Suite) -> Vec<(String, Inputs)> {
    let mut tests = Vec::new();
    for test in suite.tests {
        let is_tree = test.machine.is_some();
        let test = match as_global(&test) {
            Some(global) => global,
            None if is_tree || test.controllable => {
                let why = "its inputs depend on the answers, or on choices";
                session.say(Level::Warning, format!("{}: {why}; left out", test.id));
                continue;
            }
            None => test,
        };
        let inputs = test.steps.into_iter().map(|step| step.inputs.0);
        tests.push((test.id, inputs.collect()));
    }
    tests
}
