//! The self-loop with empty output of \[3\]: an input that a state has no step for is ignored.
//!
//! A step that ignores its input changes no state variable, and shows nothing: outputs have the first value of their sort (`FALSE`),
//! and one more output says that this is not what the model showed.

use hyperkill_core::budget::Budget;
use hyperkill_core::system::{Constraint, InputRole, Output, TransitionSystem, When};
use hyperkill_core::term::BinaryOp;

use super::Undone;
use super::projection::exists;
use super::steps::Steps;

/// The output that is true at a step that ignores its input.
pub const IGNORED: &str = "hyperkill-ignored";

/// The system, of the original and of each mutant, with a step for every input in every state. Without constraints it has
/// them already and is left as it is.
///
/// What a state may be without regard to steps (an `INVAR`), and so which states are initial, is not changed.
///
/// # Errors
/// If which inputs have steps takes too long or too many gates to say.
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
