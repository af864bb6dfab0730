//! Models in a front end's language: translation, and which mutants are models at all.

use std::collections::BTreeMap;

use hyperkill_checker::existence::have_initial_states;
use hyperkill_checker::totality::complete;
use hyperkill_checker::validity::{Validity, validity};
use hyperkill_core::bit_blast::{BitBlastError, Blasted, bit_blast};
use hyperkill_core::budget::Stop;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::system::{Obligation, TransitionSystem, Translation, When};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, NamePredicate, ResetOption, Severity, SourceFile, Span,
};

use super::{Entry, Loaded, RoleOptions, Standing, describe, must_have_a_run};
use crate::args::{ModelArgs, Reset};
use crate::documents::Reading;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::patterns::Globs;
use crate::session::{Level, Session};

/// Translates a model and sets its invalid mutants aside.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub(super) fn translate(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    args: &ModelArgs,
    roles: &RoleOptions,
    operators: &[String],
) -> Result<Loaded, Failure> {
    if roles.selectors.is_some() {
        return Err(Failure::usage(
            "--mut names latches of an AIGER file; the mutants of a source model come from its operators",
        ));
    }
    let operators = Globs::compile("--operator", operators)?;
    check_operators(frontend, operators.as_ref())?;
    let chosen = operators.as_ref().map(Globs::predicate);
    let (sources, mut translation) = translated(session, frontend, sources, args, roles, chosen)?;
    if args.complete {
        let budget = session.budget();
        translation.system = complete(&translation.system, &budget).map_err(|error| {
            let over = session.over();
            over.unwrap_or_else(|| Failure::model(format!("--complete: {error}")))
        })?;
    }
    let blasted = blasted(&translation.system, &sources)?;
    let found = well_formed(&translation.checks, &sources, session)?;
    must_have_a_run(&blasted.model, session)?;
    let initial = have_initial_states(&blasted.model, &session.budget());
    // What of this could not be finished is not known.
    if let Some(over) = session.over() {
        return Err(over);
    }
    // A language that asks nothing has no mutants in its checks.
    let reason = |selector: usize| match found.mutants.get(selector).copied().flatten() {
        Some(obligation) => Some(translation.checks.obligations[obligation].message.clone()),
        None if initial[selector] => None,
        None => Some("it has no initial state".to_owned()),
    };
    let selectors: Vec<MutantId> = blasted
        .model
        .selectors
        .iter()
        .map(|s| s.id.clone())
        .collect();
    let live: Vec<usize> = (0..selectors.len())
        .filter(|&selector| reason(selector).is_none())
        .collect();
    let mut model = blasted.model;
    if live.len() < selectors.len() {
        model = keep_mutants(&model, &live);
    }
    let catalogue = catalogue(&translation, &selectors, &live, reason)?;
    model.mutants = catalogue
        .iter()
        .filter(|entry| matches!(entry.standing, Standing::Live(_)))
        .filter_map(|entry| entry.mutant.clone())
        .collect();
    for warning in &translation.warnings {
        let (start, end) = warning.bytes;
        let mut diagnostic = Diagnostic::error(
            Span {
                file: warning.file,
                ..Span::new(start, end)
            },
            &warning.message,
        );
        diagnostic.severity = Severity::Warning;
        session.warn(&sources, &diagnostic);
    }
    for note in &translation.role_notes {
        session.say(Level::Detail, note);
    }
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    Ok(Loaded {
        description: describe(&sources[0].name, frontend.name(), contents),
        reading: Reading::default(),
        model,
        catalogue,
        role_notes: translation.role_notes,
        sources,
    })
}

/// The system of a model without mutants.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub(super) fn system(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    args: &ModelArgs,
    roles: &RoleOptions,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let none = NamePredicate::new(|_| false);
    let (sources, translation) = translated(session, frontend, sources, args, roles, Some(none))?;
    well_formed(&translation.checks, &sources, session)?;
    Ok((translation.system, sources))
}

/// Refuses a model some of whose invariants have no value, as one that divides by zero.
///
/// # Errors
/// Where the value is missing; as [`system`].
pub(super) fn invariants_have_values(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    args: &ModelArgs,
    roles: &RoleOptions,
) -> Result<(), Failure> {
    let none = NamePredicate::new(|_| false);
    let (sources, translation) = translated(session, frontend, sources, args, roles, Some(none))?;
    well_formed(&translation.invariant_checks, &sources, session).map(drop)
}

/// The sources with constants written in, and what the front end makes of them.
fn translated(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    args: &ModelArgs,
    roles: &RoleOptions,
    operators: Option<NamePredicate>,
) -> Result<(Vec<SourceFile>, Translation), Failure> {
    let options = FrontendOptions {
        operators,
        ..options(roles)
    };
    let (sources, options) = prepare(session, frontend, sources, args, options)?;
    match frontend.translate(&sources, &options) {
        Ok(translation) => {
            roles.must_have_matched()?;
            Ok((sources, translation))
        }
        Err(diagnostics) => {
            if are_unlocated(&diagnostics) {
                roles.must_have_matched()?;
            }
            Err(Failure::diagnosed(&sources, diagnostics))
        }
    }
}

/// The options that say which variables are what.
pub(super) fn options(roles: &RoleOptions) -> FrontendOptions {
    FrontendOptions {
        inputs: roles.inputs.as_ref().map(Globs::predicate),
        choices: roles.nd.as_ref().map(Globs::predicate),
        outputs: roles.outputs.as_ref().map(Globs::predicate),
        ..FrontendOptions::default()
    }
}

fn blasted(system: &TransitionSystem, sources: &[SourceFile]) -> Result<Blasted, Failure> {
    bit_blast(system).map_err(|error| match error {
        BitBlastError::MalformedTerm { .. }
        | BitBlastError::SortMismatch { .. }
        | BitBlastError::Term(_) => Failure::message(ExitCode::Internal, anyhow::Error::new(error)),
        error => Failure::model(format!("{}: {error}", sources[0].name)),
    })
}

/// Which mutants break which obligation.
///
/// # Errors
/// If the original breaks one.
fn well_formed(
    checks: &TransitionSystem,
    sources: &[SourceFile],
    session: &Session<'_>,
) -> Result<Validity, Failure> {
    let blasted = blasted(checks, sources)?;
    let found = validity(&blasted.model, &blasted.obligations, &session.budget())
        .map_err(|stop| session.over().unwrap_or_else(|| unlimited(stop)))?;
    if found.original.is_empty() {
        return Ok(found);
    }
    let broken = found.original.iter();
    Err(Failure::Model {
        code: ExitCode::InvalidModel,
        sources: sources.to_vec(),
        diagnostics: broken
            .map(|&i| diagnostic(&checks.obligations[i]))
            .collect(),
    })
}

/// Writes the constants given into the sources; the options with them.
///
/// # Errors
/// If one cannot be written in.
pub(super) fn prepare(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    args: &ModelArgs,
    options: FrontendOptions,
) -> Result<(Vec<SourceFile>, FrontendOptions), Failure> {
    if args.hardware.is_given() && !frontend.is_about_hardware() {
        return Err(Failure::usage(format!(
            "options about hardware mean nothing for models in {}",
            frontend.name()
        )));
    }
    let options = FrontendOptions {
        constants: constants(frontend, args)?,
        top: args.hardware.top.clone(),
        resets: (args.hardware.reset.iter())
            .filter(|reset| !reset.is_none())
            .map(reset_option)
            .collect(),
        infer_no_resets: args.hardware.reset.iter().any(Reset::is_none),
        zero_init: args.hardware.zero_init,
        parameters: parameters(args)?,
        one_clock: args.hardware.one_clock,
        assumptions: args.hardware.assume.clone(),
        loader: Some(super::include::loader(args, session.allow_outside)),
        ..options
    };
    let given = sources.clone();
    let sources = frontend
        .prepare(sources, &options)
        .map_err(|diagnostics| Failure::Model {
            // What cannot be written in, as opposed to what is written, is the option's fault.
            code: if are_unlocated(&diagnostics) {
                ExitCode::Usage
            } else {
                ExitCode::InvalidModel
            },
            sources: given,
            diagnostics,
        })?;
    Ok((sources, options))
}

/// What `-D` says. Another program that has read the files has been given it. A macro without a value is 1, as for other tools.
fn constants(frontend: &dyn Frontend, args: &ModelArgs) -> Result<Vec<(String, String)>, Failure> {
    if args.hardware.via.is_some() {
        return Ok(Vec::new());
    }
    let constants = args.define.iter().map(|definition| {
        if frontend.is_about_hardware() && definition.value.is_none() {
            return Ok((definition.name.clone(), "1".to_owned()));
        }
        let problem = |how| Failure::usage(format!("-D {}: {how}", definition.name));
        definition.valued().map_err(problem)
    });
    constants.collect()
}

/// What `-P` says, likewise.
fn parameters(args: &ModelArgs) -> Result<Vec<(String, String)>, Failure> {
    if args.hardware.via.is_some() {
        return Ok(Vec::new());
    }
    let parameters = args.hardware.parameter.iter().map(|definition| {
        let problem = |how| Failure::usage(format!("-P {}: {how}", definition.name));
        definition.valued().map_err(problem)
    });
    parameters.collect()
}

fn reset_option(reset: &Reset) -> ResetOption {
    ResetOption {
        name: reset.name.clone(),
        active: reset.active,
        steps: reset.steps,
    }
}

fn are_unlocated(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().all(|problem| problem.span.is_none())
}

/// Every glob must name an operator of the language.
fn check_operators(frontend: &dyn Frontend, operators: Option<&Globs>) -> Result<(), Failure> {
    let Some(globs) = operators else {
        return Ok(());
    };
    for operator in frontend.operators() {
        // Asked for the record only: matching marks the glob as used.
        let _ = globs.matches(&operator.name);
    }
    globs
        .must_have_matched(&format!("operator of {}", frontend.name()))
        .map_err(|failure| failure.with_help("`hyperkill operators` lists them"))
}

fn unlimited(stop: Stop) -> Failure {
    let error = anyhow::anyhow!("the well-formedness check gave up without a limit: {stop:?}");
    Failure::message(ExitCode::Internal, error)
}

fn diagnostic(obligation: &Obligation) -> Diagnostic {
    let message = obligation.message.clone();
    let diagnostic = match obligation.span {
        Some((start, end)) => Diagnostic::error(Span::new(start, end), message),
        None => Diagnostic::unlocated(message),
    };
    diagnostic.with_help(match obligation.when {
        When::Always | When::Leaving => {
            "a value must fit for all values of all variables, reachable or not, whatever their own assignments are: \
            guard the expression, or widen the type"
        }
        When::Initially => "the initial value must be well-formed for all inputs: guard the expression, or widen the type",
    })
}

/// All mutants with their standing. `live` maps new selectors to old ones.
fn catalogue(
    translation: &Translation,
    selectors: &[MutantId],
    live: &[usize],
    reason: impl Fn(usize) -> Option<String>,
) -> Result<Vec<Entry>, Failure> {
    let index: BTreeMap<&MutantId, usize> = selectors
        .iter()
        .enumerate()
        .map(|(i, id)| (id, i))
        .collect();
    let standing = |id: &MutantId| {
        let old = *index.get(id)?;
        Some(match live.binary_search(&old) {
            Ok(new) => Standing::Live(new),
            Err(_) => Standing::Invalid(reason(old).unwrap_or_default()),
        })
    };
    let entries = translation.catalogue.iter().map(|(mutant, problem)| {
        let standing = match problem {
            Some(problem) => Some(Standing::Invalid(problem.clone())),
            None => standing(&mutant.id),
        };
        let standing = standing.ok_or_else(|| {
            let id = &mutant.id;
            let error = anyhow::anyhow!("the front end lost mutant {id}");
            Failure::message(ExitCode::Internal, error)
        })?;
        Ok(Entry {
            id: mutant.id.clone(),
            mutant: Some(mutant.clone()),
            standing,
        })
    });
    entries.collect()
}
