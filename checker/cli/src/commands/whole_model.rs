//! Circuits of models in other languages for formulas: the formula can name every variable.

use std::path::Path;

use hyperkill_core::ConditionalMutant;
use hyperkill_formulas::Formula;
use hyperkill_run::reading::ModelSpec;
use hyperkill_verify::show::{Needed, circuit};

use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::load::{self, Origin};
use crate::model::Loaded;
use crate::session::Session;

/// Returns the circuit of a source for formulas. A formula can name every variable and definition. If the formula compares all outputs, the
/// outputs are those of the model.
///
/// # Errors
/// If the model cannot be read or has no circuit.
pub(super) fn model_by_itself(
    session: &mut Session<'_>,
    mut model: ModelSpec,
    origin: Origin<'_>,
    formula: &Formula,
) -> Result<Loaded, Failure> {
    let needed = Needed::by(formula);
    let outputs = &mut model.options.roles.outputs;
    if outputs.is_empty() && needed == Needed::Variables {
        outputs.push("*".to_owned());
    }
    let mut loaded = load::circuit_from(session, &model, origin, &[])?;
    if needed != Needed::Mutants {
        loaded.model = without_mutants(session, &model, origin, needed)?;
    }
    Ok(loaded)
}

pub(super) fn model_of(args: &VerifyArgs, file: &Path) -> ModelSpec {
    let mut spec = ModelSpec::of(file);
    spec.options.roles = args.roles.options();
    spec
}

/// Returns the circuit of a model without mutants, with what the formula needs.
pub(super) fn without_mutants(
    session: &mut Session<'_>,
    args: &ModelSpec,
    origin: Origin<'_>,
    needed: Needed,
) -> Result<ConditionalMutant, Failure> {
    let (system, _) = load::system_from(session, args, origin)?;
    Ok(circuit(system, needed)?)
}
