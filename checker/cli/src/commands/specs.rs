//! `hyperkill check --specs`: the invariants that a model states itself.
//!
//! A state that breaks an invariant counts even if no step leaves it, whatever outputs show of such a step.

use hyperkill_core::paths::CARRIED;
use hyperkill_core::specialise::keep_mutants;

use super::safety::check_safety;
use crate::args::{CheckArgs, HardwareArgs, ModelArgs};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::load;
use crate::session::Session;

/// Carries it out.
pub(super) fn check_specs(
    session: &mut Session<'_>,
    args: &CheckArgs,
) -> Result<ExitCode, Failure> {
    let model = ModelArgs {
        files: vec![args.file.clone()],
        language: None,
        define: Vec::new(),
        hardware: HardwareArgs::default(),
        complete: false,
        roles: args.roles.clone(),
    };
    let mut loaded = load::load(session, &model, &[])?;
    if loaded.sources.is_empty() {
        return Err(Failure::usage(
            "--specs is about models in other languages, and this is an AIGER file: its bad states are checked without it",
        ));
    }
    load::invariants_have_values(session, &model)?;
    loaded.model = keep_mutants(&loaded.model, &[]);
    loaded.catalogue.clear();
    if loaded.model.aig.bad.is_empty() {
        let file = args.file.display();
        return Err(Failure::usage(format!("{file} states no invariants")));
    }
    let constraints = &mut loaded.model.aig.constraints;
    constraints.retain(|signal| signal.name.as_deref() != Some(CARRIED));
    check_safety(session, args, &loaded)
}
