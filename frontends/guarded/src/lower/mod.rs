//! Lowers a tree to a transition system: the original and all mutants at once, each part once.
//!
//! A place with mutants becomes `ite(selector, mutated, original)`. A choice `[]` becomes an input that selects a branch. If that branch is
//! disabled together with the remaining commands, the first enabled one is taken. So every valuation of the inputs is a step if there is
//! any, and nothing must be guessed. That an event is *disabled* is a condition on the state without choices (`ability`), and without the
//! values of parameters if it is about all of them (`exists`).

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
    /// The transition system of the behaviour.
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
        // Selectors are numbered before it is known which mutants have terms, so the system is lowered again without the failed ones.
        for (mutation, reason) in failures {
            mutations[mutation].meaning.rejected = Some(reason);
        }
    }
}

/// Returns a system with only the inputs and outputs.
///
/// # Errors
/// If names are reserved, or options leave no output.
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
