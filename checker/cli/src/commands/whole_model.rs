//! Models in other languages as circuits of which every variable can be named.

use std::path::Path;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::{Output, TransitionSystem};
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Atom;
use hyperkill_run::reading::ModelSpec;

use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::load::{self, Origin};
use crate::model::Loaded;
use crate::session::Session;

/// A model in another language: what formulas about it are about. Every variable and definition can be named, unless
/// the formula compares all outputs, which are then those that the model has.
///
/// # Errors
/// If it cannot be read or has no circuit.
pub(super) fn model_by_itself(
    session: &mut Session<'_>,
    mut model: ModelSpec,
    origin: Origin<'_>,
    formula: &Formula,
) -> Result<Loaded, Failure> {
    let atoms = formula.body.atoms();
    let compares_outputs = atoms
        .iter()
        .any(|atom| matches!(atom, Atom::OutputsEqual(..)));
    let outputs = &mut model.options.roles.outputs;
    if outputs.is_empty() && !compares_outputs {
        outputs.push("*".to_owned());
    }
    let mut loaded = load::circuit_from(session, &model, origin, &[])?;
    let about_mutants = atoms.iter().any(|atom| matches!(atom, Atom::Selector(_)));
    if !compares_outputs {
        loaded.model = with_all_variables(session, &model, origin)?;
    } else if !about_mutants {
        loaded.model = without_mutants(session, &model, origin)?;
    }
    Ok(loaded)
}

pub(super) fn model_of(args: &VerifyArgs, file: &Path) -> ModelSpec {
    let mut spec = ModelSpec::of(file);
    spec.options.roles = args.roles.options();
    spec
}

/// The model without mutants, with the outputs that it has.
fn without_mutants(
    session: &mut Session<'_>,
    args: &ModelSpec,
    origin: Origin<'_>,
) -> Result<ConditionalMutant, Failure> {
    let (system, _) = load::system_from(session, args, origin)?;
    match bit_blast(&system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(Failure::model(error.to_string())),
    }
}

/// The model without mutants, of which a run shows every variable.
pub(super) fn with_all_variables(
    session: &mut Session<'_>,
    args: &ModelSpec,
    origin: Origin<'_>,
) -> Result<ConditionalMutant, Failure> {
    let (mut system, _) = load::system_from(session, args, origin)?;
    show_variables(&mut system);
    match bit_blast(&system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(Failure::model(error.to_string())),
    }
}

/// Makes every variable an output, before what is defined.
pub(super) fn show_variables(system: &mut TransitionSystem) {
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
