//! The circuit of an AIGER file.

use std::path::Path;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::{Cone, Node};
use hyperkill_run::load::kit::must_say_something;
use hyperkill_run::load::roles::CompiledRoles;

use crate::args::RoleArgs;
use crate::failure::Failure;
use crate::load;
use crate::model::Loaded;
use crate::session::{Level, Session};

/// Reads an AIGER file with these roles of its signals, and decides which of its mutants are models.
pub(super) fn circuit(
    session: &mut Session<'_>,
    file: &Path,
    roles: &RoleArgs,
) -> Result<Loaded, Failure> {
    let reading = session.stage("the model was read");
    let roles = roles.options();
    let options = CompiledRoles::compile(&roles)?;
    let bytes = load::read_bytes(session.io, file)?;
    must_say_something(file, &[&bytes])?;
    let mut loaded = load::aiger_from_bytes(session, file, &bytes, &options)?;
    load::keep_circuit(&mut loaded.listing, file, bytes, &roles);
    drop(reading);
    session.say(Level::Detail, size(&loaded.model));
    Ok(loaded)
}

/// Returns a message on the size of a circuit, and of the part that its outputs and properties depend on.
pub(super) fn size(model: &ConditionalMutant) -> String {
    let aig = &model.aig;
    let cone = Cone::sequential(aig, aig.roots());
    let latches = aig.latches().iter();
    let needed_latches = latches.filter(|latch| cone.contains(latch.var)).count();
    let inputs = aig.inputs().iter();
    let needed_inputs = inputs.filter(|input| cone.contains(input.var)).count();
    let gates = aig
        .nodes()
        .filter(|(var, node)| matches!(node, Node::And(..)) && cone.contains(*var));
    format!(
        "circuit: {} inputs, {} latches, {} gates, {} outputs, {} constraints, {} mutants; outputs and properties depend \
        on {} inputs, {} latches, {} gates",
        aig.inputs().len(),
        aig.latches().len(),
        aig.gate_count(),
        aig.outputs.len(),
        aig.constraints.len(),
        model.selectors.len(),
        needed_inputs,
        needed_latches,
        gates.count()
    )
}
