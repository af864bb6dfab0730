//! Models in the language of a front end: translation, and the listing of their mutants.

use hyperkill_audit::catalogue::{Entry, Standing};
use hyperkill_audit::model::{Checks, Draft, Listed, Listing, Loaded};
use hyperkill_core::bit_blast::{Blasted, bit_blast};
use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::{Mutant, MutantId};
use hyperkill_core::system::{TransitionSystem, Translation, Warning};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_frontend::decision::Decision;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, NamePredicate, Severity, SourceFile, Span,
};

use super::describe::{listing, of_texts};
use super::error::{Blame, LoadError};
use super::judgement::{breaches, completed};
use super::roles::Asked;
use crate::documents::build::signature;
use crate::patterns::Globs;
use crate::reading::{frontend_options, refuse_unknown};
use crate::unfit::Unfit;

/// The language of a model.
#[derive(Clone, Copy)]
pub struct Language<'a> {
    /// Parses the model.
    pub frontend: &'a dyn Frontend,
    /// Decides the mutants, if the language does so itself.
    pub decision: Option<&'a dyn Decision>,
}

/// A model without mutants, with its texts.
pub struct Translated {
    /// The model.
    pub system: TransitionSystem,
    /// The prepared texts.
    pub sources: Vec<SourceFile>,
}

/// The result of a translation, with its texts and options.
struct Made<T> {
    sources: Vec<SourceFile>,
    options: FrontendOptions,
    made: T,
}

/// Translates a model with all its mutants.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub fn translate(
    language: Language<'_>,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<Draft, LoadError> {
    let chosen = chosen(language.frontend, asked)?;
    let made = translated(language, sources, asked, chosen)?;
    draft(language.frontend, asked, made)
}

/// A circuit whose mutants make several changes each.
pub struct CombinedCircuit {
    /// The circuit, with the mutants that are models.
    pub model: ConditionalMutant,
    /// For each mutant, the reason why it is no model; `None` if it is one.
    pub problems: Vec<Option<String>>,
}

/// Translates a model again with mutants that make several changes each, by the ids of their changes. `None` if the circuit of single
/// changes has them, too.
///
/// # Errors
/// As [`translate`].
pub fn combined(
    frontend: &dyn Frontend,
    draft: &Draft,
    asked: &Asked<'_>,
    mutants: &[Vec<MutantId>],
) -> Result<Option<CombinedCircuit>, LoadError> {
    let Loaded {
        listing, options, ..
    } = &draft.loaded;
    let (sources, Some(options)) = (&listing.sources, options) else {
        return Ok(None);
    };
    let Some(made) = frontend.combined(sources, options, mutants) else {
        return Ok(None);
    };
    let mut made = made.map_err(|errors| LoadError::Refused {
        blame: Blame::Either,
        sources: sources.clone(),
        errors,
    })?;
    if asked.spec.options.events.complete && !frontend.is_about_events() {
        made.system = completed(&made.system, asked.budget)?;
    }
    Ok(Some(CombinedCircuit {
        model: blasted(&made.system, sources)?.model,
        problems: made.problems,
    }))
}

/// The result of [`listed`].
pub enum Found {
    /// A model with all its mutants.
    Draft(Box<Draft>),
    /// The description of the model and its mutants, and warnings.
    Listing(Box<Listing>, Vec<Diagnostic>),
}

/// Translates a model only as far as the list of its mutants needs; with `shows_ports`, also as far as its inputs and outputs need.
///
/// # Errors
/// As [`translate`].
pub fn listed(
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    shows_ports: bool,
) -> Result<Found, LoadError> {
    let chosen = chosen(frontend, asked)?;
    let made = made(frontend, sources, asked, chosen, |sources, options| {
        frontend.listed(sources, options, shows_ports)
    })?;
    let Made {
        sources,
        options,
        made,
    } = made;
    let translation = match made {
        hyperkill_frontend::Listed::Ports(translation) => translation,
        hyperkill_frontend::Listed::Whole(made) => {
            let made = Made {
                sources,
                options,
                made,
            };
            return Ok(Found::Draft(Box::new(draft(frontend, asked, made)?)));
        }
    };
    let signature = signature(&blasted(&translation.system, &sources)?.model);
    let mut listing = listing(of_texts(frontend.name(), &sources), sources, signature);
    listing.catalogue = catalogue(translation.catalogue);
    listing.role_notes = translation.role_notes;
    listing.places = translation.places;
    let warnings = translation.warnings.iter().map(warning).collect();
    Ok(Found::Listing(Box::new(listing), warnings))
}

/// Returns the catalogue of a model that has no circuit: each mutant that is a model gets its index as selector. The texts in `mutants` are
/// the reasons of invalid ones.
pub(crate) fn catalogue(mutants: Vec<(Mutant, Option<String>)>) -> Vec<Entry> {
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

/// Returns a predicate on names of operators for the requested ones; `None` if none are requested.
///
/// # Errors
/// If options do not fit the language.
fn chosen(frontend: &dyn Frontend, asked: &Asked<'_>) -> Result<Option<NamePredicate>, LoadError> {
    let operators = Globs::compile("--operator", asked.operators)?;
    check_operators(frontend, operators.as_ref())?;
    Ok(operators.as_ref().map(Globs::predicate))
}

/// Returns the circuit of a translation, with its catalogue.
///
/// # Errors
/// If the translation has no circuit.
fn draft(
    frontend: &dyn Frontend,
    asked: &Asked<'_>,
    made: Made<Translation>,
) -> Result<Draft, LoadError> {
    let Made {
        sources,
        options,
        made: mut translation,
    } = made;
    if asked.spec.options.events.complete && !frontend.is_about_events() {
        translation.system = completed(&translation.system, asked.budget)?;
    }
    let model = blasted(&translation.system, &sources)?.model;
    let checks = checks(&translation.checks, &sources)?;
    let listed = translation.catalogue.into_iter();
    let listed = listed.map(|(mutant, problem)| Listed {
        id: mutant.id.clone(),
        mutant: Some(mutant),
        problem,
    });
    let description = of_texts(frontend.name(), &sources);
    let mut listing = listing(description, sources, signature(&model));
    listing.role_notes = translation.role_notes;
    listing.places = translation.places;
    Ok(Draft {
        loaded: Loaded {
            listing,
            model,
            validity: None,
            options: Some(options),
        },
        listed: listed.collect(),
        checks: Some(checks),
        warnings: translation.warnings.iter().map(warning).collect(),
    })
}

/// Returns the obligations of a model as a circuit.
fn checks(system: &TransitionSystem, sources: &[SourceFile]) -> Result<Checks, LoadError> {
    let blasted = blasted(system, sources)?;
    Ok(Checks {
        circuit: blasted.model,
        conditions: blasted.obligations,
        obligations: system.obligations.clone(),
    })
}

/// Returns a warning of a front end as a diagnostic.
fn warning(warning: &Warning) -> Diagnostic {
    let (start, end) = warning.bytes;
    let span = Span {
        file: warning.file,
        ..Span::new(start, end)
    };
    // A warning on an option has an empty span: it has no place in the sources.
    let mut diagnostic = match start == end {
        true => Diagnostic::unlocated(&warning.message),
        false => Diagnostic::error(span, &warning.message),
    };
    diagnostic.severity = Severity::Warning;
    diagnostic
}

/// Returns the system of a model without mutants.
///
/// # Errors
/// If the model is invalid or options do not fit.
pub fn system(
    language: Language<'_>,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<Translated, LoadError> {
    let none = NamePredicate::new(|_| false);
    let made = translated(language, sources, asked, Some(none))?;
    must_be_well_formed(&made.made.checks, &made.sources, asked.budget)?;
    Ok(Translated {
        system: made.made.system,
        sources: made.sources,
    })
}

/// Refuses a model whose invariants may have no value, for example by a division by zero.
///
/// # Errors
/// If a value is missing: the location. Also as [`system`].
pub fn invariants_have_values(
    language: Language<'_>,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<(), LoadError> {
    let none = NamePredicate::new(|_| false);
    let made = translated(language, sources, asked, Some(none))?;
    must_be_well_formed(&made.made.invariant_checks, &made.sources, asked.budget)
}

/// Translates a model to a system, after the constants of `-D` are set. `operators` selects mutation operators; `None` leaves the choice to
/// the front end.
///
/// # Errors
/// As [`made`].
fn translated(
    language: Language<'_>,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    operators: Option<NamePredicate>,
) -> Result<Made<Translation>, LoadError> {
    let Language { frontend, decision } = language;
    made(frontend, sources, asked, operators, |sources, options| {
        let made = decision.and_then(|decision| decision.circuit(sources, options));
        made.unwrap_or_else(|| frontend.translate(sources, options))
    })
}

/// Sets the constants of `-D` in the sources, and calls `make` with these texts and the front end's options. Returns the result of `make`,
/// the texts and the options.
///
/// `operators` is passed on as the front end's choice of mutation operators.
///
/// # Errors
/// If a constant cannot be set, `make` reports diagnostics, or a glob for roles matches no name.
fn made<T>(
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    operators: Option<NamePredicate>,
    make: impl FnOnce(&[SourceFile], &FrontendOptions) -> Result<T, Vec<Diagnostic>>,
) -> Result<Made<T>, LoadError> {
    let roles = asked.roles;
    let options = FrontendOptions {
        operators,
        ..roles.options()
    };
    let (sources, options) = prepare(frontend, sources, asked, options)?;
    match make(&sources, &options) {
        Ok(made) => {
            roles.must_have_matched()?;
            Ok(Made {
                sources,
                options,
                made,
            })
        }
        Err(errors) => {
            if are_unlocated(&errors) {
                roles.must_have_matched()?;
            }
            Err(LoadError::Refused {
                blame: Blame::Either,
                sources,
                errors,
            })
        }
    }
}

fn blasted(system: &TransitionSystem, sources: &[SourceFile]) -> Result<Blasted, LoadError> {
    bit_blast(system).map_err(|error| LoadError::NoCircuit {
        file: sources[0].name.clone(),
        error,
    })
}

/// Refuses a system without mutants that breaks an obligation.
///
/// # Errors
/// If it breaks one: the location. If the budget ends first.
fn must_be_well_formed(
    system: &TransitionSystem,
    sources: &[SourceFile],
    budget: &Budget,
) -> Result<(), LoadError> {
    breaches(&checks(system, sources)?, budget, sources).map(drop)
}

/// Sets the constants of `-D` in the sources, and returns the options for the front end.
///
/// # Errors
/// If a constant cannot be set.
pub fn prepare(
    frontend: &dyn Frontend,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
    options: FrontendOptions,
) -> Result<(Vec<SourceFile>, FrontendOptions), LoadError> {
    let spec = asked.spec;
    refuse_unknown(&spec.options, frontend)?;
    let options = FrontendOptions {
        loader: Some(asked.loader.clone()),
        ..frontend_options(&spec.options, frontend, options)?
    };
    let given = sources.clone();
    match frontend.prepare(sources, &options) {
        Ok(sources) => Ok((sources, options)),
        Err(errors) => Err(LoadError::Refused {
            // Diagnostics without a span are about the option, not about the source.
            blame: match are_unlocated(&errors) {
                true => Blame::Options,
                false => Blame::Model,
            },
            sources: given,
            errors,
        }),
    }
}

fn are_unlocated(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().all(|problem| problem.span.is_none())
}

/// Checks that every glob matches an operator of the language.
pub(crate) fn check_operators(
    frontend: &dyn Frontend,
    operators: Option<&Globs>,
) -> Result<(), Unfit> {
    let Some(globs) = operators else {
        return Ok(());
    };
    for operator in frontend.operators() {
        // The call only marks the glob as used.
        let _ = globs.matches(&operator.name);
    }
    globs
        .must_have_matched(&format!("operator of {}", frontend.name()))
        .map_err(|unfit| unfit.with_help("`hyperkill operators` lists them"))
}
