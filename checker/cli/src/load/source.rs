//! Models in a front end's language: translation, and which mutants are models at all.

use hyperkill_core::SelectorId;
use hyperkill_core::bit_blast::{BitBlastError, Blasted, bit_blast};
use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::{TransitionSystem, Translation, Warning};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, NamePredicate, Severity, SourceFile, Span,
};

use super::files::describe;
use super::judgement::{breaches, completed};
use super::roles::{Asked, CompiledRoles};
use crate::catalogue::{Entry, Standing};
use crate::documents::Reading;
use crate::documents::build::signature;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::model::{Checks, Draft, Listed, Listing, Loaded};
use crate::session::Session;
use hyperkill_run::patterns::Globs;
use hyperkill_run::reading::{frontend_options, refuse_unknown};

/// Translates a model with all its mutants.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub(super) fn translate(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<Draft, Failure> {
    let chosen = chosen(frontend, asked)?;
    let (sources, options, translation) = translated(session, frontend, sources, asked, chosen)?;
    draft(session, frontend, asked, (sources, options), translation)
}

/// A translation for a list.
pub(super) enum Found {
    /// The model with all of its mutants.
    Draft(Box<Draft>),
    /// The description of the model and its mutants, and warnings.
    Listing(Box<Listing>, Vec<Diagnostic>),
}

/// Translates a model with all its mutants as far as listing them needs it.
///
/// # Errors
/// As [`translate`].
pub(super) fn listed(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    shows_ports: bool,
) -> Result<Found, Failure> {
    let chosen = chosen(frontend, asked)?;
    let (sources, options, found) = made(
        session,
        frontend,
        sources,
        asked,
        chosen,
        |sources, options| frontend.listed(sources, options, shows_ports),
    )?;
    let translation = match found {
        hyperkill_frontend::Listed::Ports(translation) => translation,
        hyperkill_frontend::Listed::Whole(translation) => {
            let draft = draft(session, frontend, asked, (sources, options), translation)?;
            return Ok(Found::Draft(Box::new(draft)));
        }
    };
    let signature = signature(&blasted(&translation.system, &sources)?.model);
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    let listing = Listing {
        description: describe(&sources[0].name, frontend.name(), contents),
        reading: Reading::default(),
        copies: Vec::new(),
        catalogue: catalogue(translation.catalogue),
        role_notes: translation.role_notes,
        places: translation.places,
        signature,
        sources,
    };
    let warnings = translation.warnings.iter().map(warning).collect();
    Ok(Found::Listing(Box::new(listing), warnings))
}

/// Where circuits have selectors, there are the places in the catalogue.
pub(super) fn catalogue(mutants: Vec<(Mutant, Option<String>)>) -> Vec<Entry> {
    let listed = mutants.into_iter().enumerate();
    let entries = listed.map(|(place, (mutant, problem))| Entry {
        id: mutant.id.clone(),
        mutant: Some(mutant),
        standing: match problem {
            Some(problem) => Standing::Invalid(problem),
            None => Standing::Live(SelectorId(place)),
        },
    });
    entries.collect()
}

/// The operators that are asked for, of a model in a front end's language.
///
/// # Errors
/// If options do not fit the language.
fn chosen(frontend: &dyn Frontend, asked: &Asked<'_>) -> Result<Option<NamePredicate>, Failure> {
    let operators = Globs::compile("--operator", asked.operators)?;
    check_operators(frontend, operators.as_ref())?;
    Ok(operators.as_ref().map(Globs::predicate))
}

/// The circuits of a translation.
///
/// # Errors
/// If it has none.
fn draft(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    asked: &Asked<'_>,
    (sources, options): (Vec<SourceFile>, FrontendOptions),
    mut translation: Translation,
) -> Result<Draft, Failure> {
    if asked.spec.options.events.complete && !frontend.is_about_events() {
        translation.system = completed(session, &translation.system)?;
    }
    let model = blasted(&translation.system, &sources)?.model;
    let checks = blasted(&translation.checks, &sources)?;
    let listed = translation
        .catalogue
        .iter()
        .map(|(mutant, problem)| Listed {
            id: mutant.id.clone(),
            mutant: Some(mutant.clone()),
            problem: problem.clone(),
        });
    let contents = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    Ok(Draft {
        loaded: Loaded {
            listing: Listing {
                description: describe(&sources[0].name, frontend.name(), contents),
                reading: Reading::default(),
                copies: Vec::new(),
                catalogue: Vec::new(),
                role_notes: translation.role_notes,
                places: translation.places,
                sources,
                signature: signature(&model),
            },
            model,
            validity: None,
            options: Some(options),
        },
        listed: listed.collect(),
        checks: Some(Checks {
            circuit: checks.model,
            conditions: checks.obligations,
            obligations: translation.checks.obligations,
        }),
        warnings: translation.warnings.iter().map(warning).collect(),
    })
}

/// A warning as a diagnostic.
fn warning(warning: &Warning) -> Diagnostic {
    let (start, end) = warning.bytes;
    let span = Span {
        file: warning.file,
        ..Span::new(start, end)
    };
    // A warning about an option has no place in the sources.
    let mut diagnostic = match start == end {
        true => Diagnostic::unlocated(&warning.message),
        false => Diagnostic::error(span, &warning.message),
    };
    diagnostic.severity = Severity::Warning;
    diagnostic
}

/// The system of a model without mutants.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub(super) fn system(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<(TransitionSystem, Vec<SourceFile>), Failure> {
    let none = NamePredicate::new(|_| false);
    let (sources, _, translation) = translated(session, frontend, sources, asked, Some(none))?;
    must_be_well_formed(&translation.checks, &sources, session)?;
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
    asked: &Asked<'_>,
) -> Result<(), Failure> {
    let none = NamePredicate::new(|_| false);
    let (sources, _, translation) = translated(session, frontend, sources, asked, Some(none))?;
    must_be_well_formed(&translation.invariant_checks, &sources, session)
}

/// The sources with constants written in, the options, and what the front end makes of both.
fn translated(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    operators: Option<NamePredicate>,
) -> Result<(Vec<SourceFile>, FrontendOptions, Translation), Failure> {
    made(
        session,
        frontend,
        sources,
        asked,
        operators,
        |sources, options| {
            let own = languages::own(frontend.name());
            let made = own.and_then(|own| own.decision.circuit(sources, options));
            made.unwrap_or_else(|| frontend.translate(sources, options))
        },
    )
}

/// The same, with something else that is made.
fn made<T>(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    operators: Option<NamePredicate>,
    make: impl FnOnce(&[SourceFile], &FrontendOptions) -> Result<T, Vec<Diagnostic>>,
) -> Result<(Vec<SourceFile>, FrontendOptions, T), Failure> {
    let roles = asked.roles;
    let options = FrontendOptions {
        operators,
        ..options(roles)
    };
    let (sources, options) = prepare(session, frontend, sources, asked, options)?;
    match make(&sources, &options) {
        Ok(made) => {
            roles.must_have_matched()?;
            Ok((sources, options, made))
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
pub(super) fn options(roles: &CompiledRoles) -> FrontendOptions {
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

/// Refuses a system without mutants that breaks an obligation.
fn must_be_well_formed(
    checks: &TransitionSystem,
    sources: &[SourceFile],
    session: &Session<'_>,
) -> Result<(), Failure> {
    let blasted = blasted(checks, sources)?;
    let checks = Checks {
        circuit: blasted.model,
        conditions: blasted.obligations,
        obligations: checks.obligations.clone(),
    };
    breaches(session, &checks, sources).map(drop)
}

/// Writes the constants given into the sources; the options with them.
///
/// # Errors
/// If one cannot be written in.
pub(super) fn prepare(
    session: &Session<'_>,
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    options: FrontendOptions,
) -> Result<(Vec<SourceFile>, FrontendOptions), Failure> {
    let spec = asked.spec;
    refuse_unknown(&spec.options, frontend)?;
    let options = FrontendOptions {
        loader: Some(asked.origin.loader(session, spec)),
        ..frontend_options(&spec.options, frontend, options)?
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

fn are_unlocated(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().all(|problem| problem.span.is_none())
}

/// Every glob must name an operator of the language.
pub(super) fn check_operators(
    frontend: &dyn Frontend,
    operators: Option<&Globs>,
) -> Result<(), Failure> {
    let Some(globs) = operators else {
        return Ok(());
    };
    for operator in frontend.operators() {
        // Asked for the record only: matching marks the glob as used.
        let _ = globs.matches(&operator.name);
    }
    globs
        .must_have_matched(&format!("operator of {}", frontend.name()))
        .map_err(|unfit| unfit.with_help("`hyperkill operators` lists them").into())
}
