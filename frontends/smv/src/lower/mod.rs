//! Lowers a syntax tree to a featured transition system: the original and all mutants at once, each part once.
//!
//! A place with mutants becomes `ite(selector, mutated, …, original)` with shared operands, so the system grows linearly with the number of
//! mutants. Values outside a domain, cases without a true branch and divisions by zero become obligations of a second system with the same
//! selectors. This pass does not decide them.

mod assignments;
mod checks;
mod constraints;
mod errors;
mod fits;
mod lowering;
mod obligations;
mod operators;
mod planted;
mod sets;
mod words;

use hyperkill_core::system::TransitionSystem;
use hyperkill_frontend::Diagnostic;

use crate::context::Context;
use crate::mutate::Mutation;
use crate::resolve::Model;
use crate::roles::Roles;
use crate::types::Types;

use lowering::Lowering;

/// A lowered model.
pub struct Systems {
    /// The transition system of the behaviour.
    pub system: TransitionSystem,
    /// The obligations on the model, and on each mutant, to be valid.
    pub checks: TransitionSystem,
    /// The obligations for its invariants to have values; without mutants.
    pub invariant_checks: TransitionSystem,
}

/// Lowers a model with its mutants. Mutants without a term are marked as rejected.
///
/// # Errors
/// If the original has errors that only its terms show: integers of more than 62 bits, and, only without mutants, values that are always
/// outside their domain.
pub fn lower(
    model: &Model<'_>,
    types: &Types,
    context: &Context,
    roles: &Roles,
    mutations: &mut [Mutation],
) -> Result<Systems, Vec<Diagnostic>> {
    loop {
        let mut steps = Lowering::new(model, types, context, roles, mutations);
        let errors = steps.assignments();
        let mut checks = Lowering::new(model, types, context, roles, mutations);
        let more = match errors.is_empty() {
            true => checks.obligations(),
            false => Vec::new(),
        };
        let mut failures = std::mem::take(&mut steps.failures);
        failures.append(&mut checks.failures);
        if failures.is_empty() {
            if !errors.is_empty() || !more.is_empty() {
                return Err([errors, more].concat());
            }
            let mut invariants = Lowering::new(model, types, context, roles, &[]);
            let errors = invariants.obligations_of_invariants();
            return match errors.is_empty() {
                true => Ok(Systems {
                    system: steps.system,
                    checks: checks.system,
                    invariant_checks: invariants.system,
                }),
                false => Err(errors),
            };
        }
        // Selectors are numbered before it is known which mutants have terms, so the model is lowered again without the failed ones.
        for (mutation, reason) in failures {
            mutations[mutation].meaning.rejected = Some(reason);
        }
    }
}
