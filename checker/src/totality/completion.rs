//! Completion by self-loops with empty output, as in \[3\]: a state ignores inputs for which it has no step.
//!
//! A step that ignores its input changes no state variable and shows nothing: outputs have the first value of their sort (`FALSE`). An
//! additional output marks such steps.

use hyperkill_core::budget::Budget;
use hyperkill_core::system::{Constraint, InputRole, Output, TransitionSystem, When};
use hyperkill_core::term::BinaryOp;

use super::Undone;
use super::projection::exists;
use super::steps::Steps;

/// The name of the output that is true at a step that ignores its input.
pub const IGNORED: &str = "hyperkill-ignored";

/// Returns the system with a step for every input in every state, for the original and each mutant. A system without constraints already
/// has these steps and is returned unchanged.
///
/// Constraints on states (`INVAR`), and so the initial states, are kept.
///
/// # Errors
/// If computing the inputs that have steps exceeds the time or the limit of gates.
pub fn complete(system: &TransitionSystem, budget: &Budget) -> Result<TransitionSystem, Undone> {
    if system.constraints.is_empty() {
        return Ok(system.clone());
    }
    let mut steps = Steps::new(system, budget)?;
    let choices = steps.inputs(&[InputRole::Choice]);
    let enabled = exists(&mut steps.system, steps.possible, &choices, budget)?;
    let (start, proper, possible) = (steps.start, steps.proper, steps.possible);
    let mut system = steps.system;
    let terms = &mut system.terms;
    let ignored = terms.not(enabled)?;
    for (index, state) in system.states.iter_mut().enumerate() {
        if index != start {
            let now = terms.state(index, state.sort.clone());
            state.next = terms.ite(enabled, state.next, now)?;
        }
    }
    for output in &mut system.outputs {
        let sort = terms.sort(output.term).clone();
        let nothing = terms.constant(sort, 0);
        output.term = terms.ite(enabled, output.term, nothing)?;
    }
    system.outputs.push(Output {
        name: IGNORED.to_owned(),
        term: ignored,
    });
    let at_start = terms.state(start, hyperkill_core::sort::Sort::Bool);
    let later = terms.not(at_start)?;
    let initial = terms.binary(BinaryOp::Or, later, proper)?;
    let step = terms.binary(BinaryOp::Or, ignored, possible)?;
    for (name, term) in [("initial", initial), ("step", step)] {
        system.constraints.push(Constraint {
            name: Some(name.to_owned()),
            term,
            when: When::Always,
            span: None,
        });
    }
    Ok(system)
}
