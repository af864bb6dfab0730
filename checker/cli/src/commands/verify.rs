//! `hyperkill verify`: checks properties of a model without its mutants: formulas, bad states, stated properties, totality. Also checks the
//! completeness of a suite for a domain of faults.

use std::path::Path;

use hyperkill_core::aig::Reset;
use hyperkill_verify::safety::properties;

use super::check::reject_sources;
use super::circuit::circuit;
use super::completeness::check_suite;
use super::formula::check_formula;
use super::safety::check_safety;
use super::specs::check_specs;
use super::totality::check_totality;
use super::{formula_subject, queries};
use crate::args::VerifyArgs;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::Loaded;
use crate::question;
use crate::session::{Level, Session};

/// Checks properties of a model without its mutants, as the options ask, prints the answers, and returns the exit status.
pub(super) fn verify(session: &mut Session<'_>, args: &VerifyArgs) -> Result<ExitCode, Failure> {
    session.limit(args.limits.total_timeout.0);
    if args.specs {
        return check_specs(session, args);
    }
    if args.totality {
        return check_totality(session, args);
    }
    if let Some(suite) = &args.suite {
        return check_suite(session, args, suite);
    }
    if !queries::asked(args).is_empty() || asks_itself(args) {
        return queries::check_queries(session, args);
    }
    let formula = question::formula(
        session.io,
        args.formula.as_deref(),
        args.formula_file.as_deref(),
        args.dialect.into(),
    )?;
    if let Some(formula) = formula {
        let subject = formula_subject::read(session, args, &formula)?;
        return check_formula(session, args, &subject);
    }
    reject_sources(&args.file, "verify")?;
    let mut loaded = circuit(session, &args.file, &args.roles)?;
    must_have_properties(&args.file, &loaded)?;
    keep_to_the_original(session, &mut loaded);
    check_safety(session, args, &loaded, Vec::new())
}

/// Whether a file is a model of timed processes, which may contain queries, and no option gives a formula.
fn asks_itself(args: &VerifyArgs) -> bool {
    let frontend = languages::of_file(&args.file);
    let is_asked = args.formula.is_some() || args.formula_file.is_some();
    !is_asked && frontend.is_some_and(|frontend| frontend.is_about_processes())
}

/// Refuses a file without properties, since an empty list of answers would look like success.
fn must_have_properties(file: &Path, loaded: &Loaded) -> Result<(), Failure> {
    if !properties(&loaded.model).is_empty() {
        return Ok(());
    }
    let file = file.display();
    let failure = Failure::usage(format!(
        "{file} has no bad states, and no formula is given: there is nothing to verify"
    ));
    Err(match loaded.model.selectors.is_empty() {
        true => failure.with_help("--formula asks whether a HyperLTL formula holds"),
        false => failure.with_help(format!("`hyperkill check {file}` decides its mutants")),
    })
}

/// Restricts bad states to the original: all selectors are 0. They stay latches, so that witnesses are valid for the file.
fn keep_to_the_original(session: &mut Session<'_>, loaded: &mut Loaded) {
    if loaded.model.selectors.is_empty() {
        return;
    }
    session.say(
        Level::Note,
        "the bad states are looked for in the original; the file's mutants are left out",
    );
    for selector in &loaded.model.selectors {
        loaded.model.aig.set_reset(selector.latch, Reset::Zero);
    }
}
