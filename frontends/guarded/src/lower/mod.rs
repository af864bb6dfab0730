//! From the tree to a transition system: the original and all mutants at once, each part lowered once.
//!
//! A place with mutants becomes `ite(selector, mutated, original)`. A choice `[]` becomes an input that picks a branch; where that branch
//! cannot run through, together with all that follows, the first one that can is taken. So every valuation of the inputs is a step if
//! there is one at all, and nothing has to be guessed. Whether something *cannot* be done is a condition on the state without choices
//! (`ability`), and without the values of parameters where all of them are meant (`exists`).

mod ability;
mod assembly;
mod exchange;
mod exists;
mod lowering;
mod refinement;
mod stacks;
mod values;

use hyperkill_core::system::TransitionSystem;
use hyperkill_frontend::{Diagnostic, FrontendOptions};

use crate::model::Model;
use crate::mutate::Mutation;

pub use lowering::{Observed, Reading};

use lowering::{Lowering, Stop};

/// A lowered system.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The behaviour.
    pub system: TransitionSystem,
    /// The decisions on roles, one sentence for each input that an option has decided.
    pub role_notes: Vec<String>,
}

/// Lowers a system with its mutants. Mutants without terms are marked as rejected.
///
/// # Errors
/// If the original has errors that only terms show: numbers beyond 62 bits, and choices and parameters that cannot be decided.
pub fn lower(
    model: &Model<'_>,
    reading: Reading,
    mutations: &mut [Mutation],
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    loop {
        let mut lowering = Lowering::new(model, reading, mutations, options);
        let result = lowering.all();
        let failures = std::mem::take(&mut lowering.failures);
        if failures.is_empty() {
            return match result {
                Ok(()) => Ok(Lowered {
                    system: lowering.system,
                    role_notes: lowering.notes,
                }),
                Err(Stop::Model(diagnostic)) => Err(vec![diagnostic]),
                Err(Stop::Term(error)) => Err(vec![Diagnostic::unlocated(error.to_string())]),
                Err(Stop::Mutants) => Err(vec![Diagnostic::unlocated("no mutant is to blame")]),
            };
        }
        // Selectors are numbered before it is known which mutants have terms: once more without those.
        for (mutation, reason) in failures {
            mutations[mutation].meaning.rejected = Some(reason);
        }
    }
}

/// Only the inputs and outputs of a system.
///
/// # Errors
/// Names that tests need for something else, and options that leave no output.
pub(crate) fn ports(
    model: &Model<'_>,
    reading: Reading,
    options: &FrontendOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(model, reading, &[], options);
    lowering.are_ports_enough = true;
    match lowering.all() {
        Ok(()) => {
            lowering.system.constraints.clear();
            Ok(Lowered {
                system: lowering.system,
                role_notes: lowering.notes,
            })
        }
        Err(Stop::Model(diagnostic)) => Err(vec![diagnostic]),
        Err(Stop::Term(error)) => Err(vec![Diagnostic::unlocated(error.to_string())]),
        Err(Stop::Mutants) => Err(vec![Diagnostic::unlocated("no mutant is to blame")]),
    }
}
