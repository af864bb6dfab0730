//! Circuits for formulas, with every variable as an output where a formula may name it.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::{Output, TransitionSystem};
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Atom;

use crate::error::VerifyError;

/// The part of a model, in another language than AIGER, that a formula needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// The model with its mutants and its own outputs.
    Mutants,
    /// The model alone, with its own outputs.
    Outputs,
    /// The model alone, with every variable as an output.
    Variables,
}

impl Needed {
    /// Returns the part of the model that a formula needs: every variable, unless the formula compares all outputs of two traces.
    #[must_use]
    pub fn by(formula: &Formula) -> Needed {
        let atoms = formula.body.atoms();
        let compares_outputs = atoms
            .iter()
            .any(|atom| matches!(atom, Atom::OutputsEqual(..)));
        let about_mutants = atoms.iter().any(|atom| matches!(atom, Atom::Selector(_)));
        match (compares_outputs, about_mutants) {
            (false, _) => Needed::Variables,
            (true, true) => Needed::Mutants,
            (true, false) => Needed::Outputs,
        }
    }
}

/// Returns the circuit of a system without mutants. With [`Needed::Variables`] a run shows every variable.
///
/// # Errors
/// If the system has no circuit.
pub fn circuit(
    mut system: TransitionSystem,
    needed: Needed,
) -> Result<ConditionalMutant, VerifyError> {
    if needed == Needed::Variables {
        show_variables(&mut system);
    }
    match bit_blast(&system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(VerifyError::Model(error.to_string())),
    }
}

/// Makes every variable of a system an output, in front of the other outputs. An output with the name of a variable is replaced.
fn show_variables(system: &mut TransitionSystem) {
    let mut outputs = Vec::new();
    for (index, state) in system.states.iter().enumerate() {
        let term = system.terms.state(index, state.sort.clone());
        outputs.push(Output {
            name: state.name.clone(),
            term,
        });
    }
    system
        .outputs
        .retain(|output| outputs.iter().all(|other| other.name != output.name));
    outputs.append(&mut system.outputs);
    system.outputs = outputs;
}
