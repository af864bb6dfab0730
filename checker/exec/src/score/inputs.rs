//! Tests with inputs that do not depend on outputs.

use hyperkill_audit::documents::Suite;
use hyperkill_checker::testgen::running::pattern;
use hyperkill_core::ConditionalMutant;
use hyperkill_core::sort::{Sort, Value};
use hyperkill_export::as_global;
use hyperkill_frontend::Inputs;
use hyperkill_run::sink::{Level, Sink};
use hyperkill_run::unfit::Unfit;

/// A test with fixed inputs, which do not depend on outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedTest {
    /// Id of the test.
    pub id: String,
    /// Inputs of each step.
    pub inputs: Vec<Inputs>,
}

impl FixedTest {
    /// Returns for each step one bool per input of the circuit. Inputs that the test leaves open are 0.
    ///
    /// # Errors
    /// If the inputs do not fit the circuit.
    pub fn bits(&self, model: &ConditionalMutant) -> Result<Vec<Vec<bool>>, Unfit> {
        let steps = self.inputs.iter().map(|step| {
            let bits = pattern(&model.inputs, model.aig.inputs().len(), step);
            let bits = bits.map_err(|misfit| Unfit::new(format!("{}: {misfit}", self.id)))?;
            Ok(bits.into_iter().map(|bit| bit == Some(true)).collect())
        });
        steps.collect()
    }
}

/// Returns the tests of a suite that have fixed inputs. Other tests are left out, with a warning to `sink`.
#[must_use]
pub fn of_suite(suite: Suite, sink: &mut dyn Sink) -> Vec<FixedTest> {
    let mut tests = Vec::new();
    for test in suite.tests {
        let is_tree = test.machine.is_some();
        let test = match as_global(&test) {
            Some(global) => global,
            None if is_tree || test.controllable => {
                let why = "its inputs depend on the answers, or on choices";
                sink.say(Level::Warning, format!("{}: {why}; left out", test.id));
                continue;
            }
            None => test,
        };
        let inputs = test.steps.into_iter().map(|step| step.inputs.0);
        tests.push(FixedTest {
            id: test.id,
            inputs: inputs.collect(),
        });
    }
    tests
}

/// Returns the value of this type that a cell of text spells as the model does; booleans may also be 0 and 1. `None` if the type has no
/// such value.
pub(crate) fn value(cell: &str, sort: &Sort) -> Option<Value> {
    let of_bool = match (sort, cell) {
        (Sort::Bool, "0" | "false") => Some(Value::bool(false)),
        (Sort::Bool, "1" | "true") => Some(Value::bool(true)),
        _ => None,
    };
    let number = cell.parse().ok().map(Value::Int);
    let candidates = [of_bool, number, Some(Value::Symbol(cell.to_owned()))];
    let mut candidates = candidates.into_iter().flatten();
    candidates.find(|value| sort.encode(value).is_some())
}
