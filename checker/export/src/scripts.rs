//! Conversion of tests in documents to executable scripts.

use hyperkill_audit::documents::{Machine, SuiteTest, TestStep};
use hyperkill_checker::testgen::running::{Script, Strategy, Turn};
use hyperkill_core::suite::{AllowedValues, Step, TestKind};

use crate::error::ExportError;

/// Returns a test of a suite document as an executable script.
///
/// # Errors
/// If the kind of the test is unknown, or a tree has no machine.
pub fn script(test: &SuiteTest) -> Result<Script, ExportError> {
    let kind = match test.kind.as_str() {
        "linear" => TestKind::Linear,
        "local" => TestKind::Local,
        "global" => TestKind::Global,
        "tree" => TestKind::Tree,
        other => {
            let id = &test.id;
            return Err(ExportError::unsuited(format!(
                "{id} is of an unknown kind, `{other}`"
            )));
        }
    };
    if (kind == TestKind::Tree) != test.machine.is_some() {
        let id = &test.id;
        return Err(ExportError::unsuited(format!(
            "{id}: a tree is a test with a machine"
        )));
    }
    Ok(Script {
        kind,
        steps: test.steps.iter().map(step).collect(),
        strategy: test.machine.as_ref().map(strategy),
    })
}

/// Returns a step of a suite document as an executable step, with its allowed outputs.
#[must_use]
pub fn step(step: &TestStep) -> Step {
    let allowed = step.allowed.as_ref().map(|allowed| AllowedValues {
        outputs: allowed.iter().map(|values| values.0.clone()).collect(),
        complete: step.allowed_complete != Some(false),
    });
    Step {
        at: step.at,
        inputs: step.inputs.0.clone(),
        outputs: step.outputs.0.clone(),
        allowed,
        windows: None,
        mutant_outputs: None,
    }
}

fn strategy(machine: &Machine) -> Strategy {
    let turns = machine.states.iter().map(|state| Turn {
        inputs: state.inputs.0.clone(),
        answers: (state.branches.iter())
            .map(|branch| (branch.outputs.0.clone(), branch.next))
            .collect(),
    });
    Strategy {
        turns: turns.collect(),
    }
}
