//! `hyperkill check --specs`: the invariants that a model states itself.
//!
//! A state that breaks an invariant counts even if no step leaves it. So the constraints on steps, which a circuit demands of its
//! last step too, become a latch that remembers whether all steps before could be made.

use hyperkill_checker::totality::is_step_name;
use hyperkill_core::aig::{Reset, Signal};
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Aig, Lit};

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
    remember_steps(&mut loaded.model.aig);
    check_safety(session, args, &loaded)
}

/// Makes the constraints on steps a latch, and bad states those that are reached while it is set.
fn remember_steps(aig: &mut Aig) {
    let is_step = |signal: &&Signal| signal.name.as_deref().is_some_and(is_step_name);
    let steps: Vec<Lit> = (aig.constraints.iter().filter(is_step))
        .map(|signal| signal.lit)
        .collect();
    if steps.is_empty() {
        return;
    }
    aig.constraints.retain(|signal| !is_step(&signal));
    let latch = aig.latches().len();
    let possible = aig.add_latch(Reset::One, Some("hyperkill:possible".to_owned()));
    let here = aig.and_all(&steps);
    let next = aig.and(possible, here);
    aig.set_next(latch, next);
    for index in 0..aig.bad.len() {
        let bad = aig.and(aig.bad[index].lit, possible);
        aig.bad[index].lit = bad;
    }
}
