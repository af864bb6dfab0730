//! Projection: eliminates inputs from the condition that some values of them make another condition hold.
//!
//! The result is a disjunction of instances of the condition. A solver finds them one after the other until they cover all states. An
//! instance replaces each input by a constant, or by a term that the condition compares the input with. It reads state variables, the other
//! inputs, and selectors. At most one selector is on.

use hyperkill_core::budget::Budget;
use hyperkill_core::substitution::Substitution;
use hyperkill_core::system::TransitionSystem;
use hyperkill_core::term::{BinaryOp, Term, TermId};

use super::Undone;
use super::candidates::{Candidate, Witness, candidates, cone};
use super::instances::Instances;

/// Returns a term that is true where some values of the inputs make `condition` true.
pub(super) fn exists(
    system: &mut TransitionSystem,
    condition: TermId,
    inputs: &[usize],
    budget: &Budget,
) -> Result<TermId, Undone> {
    let cone = cone(&system.terms, condition);
    let inputs: Vec<usize> = (inputs.iter().copied())
        .filter(|input| cone.contains(&Term::Input(*input as u32)))
        .collect();
    if inputs.is_empty() {
        return Ok(condition);
    }
    let candidates = candidates(system, condition, &inputs)?;
    let mut found = Instances::new(system, condition, &inputs, &candidates)?;
    let terms = &mut system.terms;
    let mut result = terms.bool(false);
    while let Some(witnesses) = found.missing(budget)? {
        found.add(&witnesses)?;
        let mut instance = Substitution::new();
        let mut inside = terms.bool(true);
        for (input, witness) in inputs.iter().zip(witnesses) {
            let sort = system.inputs[*input].sort.clone();
            let variable = terms.input(*input, sort.clone());
            let by = match witness {
                Witness::Constant(code) => terms.constant(sort, code),
                Witness::Candidate(index) => {
                    let Candidate {
                        term, inside: here, ..
                    } = candidates[index];
                    inside = terms.binary(BinaryOp::And, inside, here)?;
                    term
                }
            };
            instance.replace(variable, by);
        }
        let holds = instance.apply(terms, condition)?;
        let holds = terms.binary(BinaryOp::And, inside, holds)?;
        result = terms.binary(BinaryOp::Or, result, holds)?;
    }
    Ok(result)
}
