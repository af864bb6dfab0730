//! `hyperkill verify --specs`: what a model states itself, above all invariants.
//!
//! A state that breaks an invariant counts even if no step leaves it, whatever outputs show of such a step.

use std::path::Path;

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::paths::CARRIED;
use hyperkill_core::system::Output;
use hyperkill_formulas::Formula;
use hyperkill_formulas::ast::Atom;
use hyperkill_frontend::{Diagnostic, Severity};

use super::linear::check_linear;
use super::safety::{self, check_safety, unknown};
use crate::args::{HardwareArgs, ModelArgs, ProcessArgs, VerifyArgs};
use crate::documents::{SafetyResult, TruthWord};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Model, Origin};
use crate::model::Loaded;
use crate::session::Session;

/// Carries it out.
pub(super) fn check_specs(
    session: &mut Session<'_>,
    args: &VerifyArgs,
) -> Result<ExitCode, Failure> {
    let model = model_of(args, &args.file);
    let mut loaded = load::load(session, &model, &[])?;
    if loaded.listing.sources.is_empty() {
        return Err(Failure::usage(
            "--specs is about models in other languages, and this is an AIGER file: its bad states are checked without it",
        ));
    }
    load::invariants_have_values(session, &model)?;
    let mut others = match args.explain {
        true => Vec::new(),
        false => check_linear(session, args, &model, &loaded)?,
    };
    others.extend(unchecked(session, &loaded)?);
    loaded.model = with_all_variables(session, &model, Origin::Places(&model.files))?;
    loaded.listing.catalogue.clear();
    if loaded.model.aig.bad.is_empty() {
        let file = args.file.display();
        if others
            .iter()
            .any(|other| other.verdict != TruthWord::Unknown || other.known_to.is_some())
        {
            safety::print(session, &loaded.listing.description.name, &others)?;
            return Ok(safety::exit_code(session, &others, args.limits.accept));
        }
        let only = match others.first() {
            Some(first) => format!(", only {}, which is not checked", first.property),
            None => String::new(),
        };
        return Err(Failure::usage(format!("{file} states no invariants{only}")));
    }
    let constraints = &mut loaded.model.aig.constraints;
    constraints.retain(|signal| signal.name.as_deref() != Some(CARRIED));
    check_safety(session, args, &loaded, others)
}

/// A model in another language: what formulas about it are about. Every variable and definition can be named, unless
/// the formula compares all outputs, which are then those that the model has.
///
/// # Errors
/// If it cannot be read or has no circuit.
pub(super) fn model_by_itself(
    session: &mut Session<'_>,
    mut model: ModelArgs,
    origin: Origin<'_>,
    formula: &Formula,
) -> Result<Loaded, Failure> {
    let atoms = formula.body.atoms();
    let compares_outputs = atoms
        .iter()
        .any(|atom| matches!(atom, Atom::OutputsEqual(..)));
    if model.roles.outputs.is_empty() && !compares_outputs {
        model.roles.outputs.push("*".to_owned());
    }
    let mut loaded = match load::model_from(session, &model, origin, &[])? {
        Model::Circuit(loaded) => *loaded,
        Model::Own(own) => return Err(languages::no_circuit(&own.listing.description.language)),
    };
    let about_mutants = atoms.iter().any(|atom| matches!(atom, Atom::Selector(_)));
    if !compares_outputs {
        loaded.model = with_all_variables(session, &model, origin)?;
    } else if !about_mutants {
        loaded.model = without_mutants(session, &model, origin)?;
    }
    Ok(loaded)
}

pub(super) fn model_of(args: &VerifyArgs, file: &Path) -> ModelArgs {
    ModelArgs {
        files: vec![file.to_owned()],
        language: None,
        define: Vec::new(),
        domain: None,
        hardware: HardwareArgs::default(),
        process: ProcessArgs::default(),
        complete: false,
        roles: args.roles.clone(),
    }
}

/// What the model states in temporal logic: said with its place, and left open.
fn unchecked(session: &mut Session<'_>, loaded: &Loaded) -> Result<Vec<SafetyResult>, Failure> {
    let frontend = languages::by_name(&loaded.listing.description.language)?;
    let stated = frontend.undecided_specifications(&loaded.listing.sources);
    let stated =
        stated.map_err(|diagnostics| Failure::diagnosed(&loaded.listing.sources, diagnostics))?;
    let results = stated.into_iter().map(|spec| {
        let mut warning = Diagnostic::error(
            spec.span,
            format!(
                "this {} is not checked: only invariants and formulas of linear temporal logic are",
                spec.kind
            ),
        );
        warning.severity = Severity::Warning;
        session.warn(&loaded.listing.sources, &warning);
        let text = loaded.listing.sources.get(spec.span.file);
        let text = text.map_or("", |source| spec.span.of(&source.text));
        let words: Vec<&str> = text.split_whitespace().skip(1).collect();
        let mut result = unknown(
            spec.kind,
            Some(spec.name.unwrap_or_else(|| words.join(" "))),
        );
        result.reason = Some("not-checked".to_owned());
        result
    });
    Ok(results.collect())
}

/// The model without mutants, with the outputs that it has.
fn without_mutants(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<ConditionalMutant, Failure> {
    let (system, _) = load::system_from(session, args, origin)?;
    match bit_blast(&system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(Failure::model(error.to_string())),
    }
}

/// The model without mutants, of which a run shows every variable.
fn with_all_variables(
    session: &mut Session<'_>,
    args: &ModelArgs,
    origin: Origin<'_>,
) -> Result<ConditionalMutant, Failure> {
    let (mut system, _) = load::system_from(session, args, origin)?;
    let mut outputs = Vec::new();
    for (index, state) in system.states.iter().enumerate() {
        let term = system.terms.state(index, state.sort.clone());
        outputs.push(Output {
            name: state.name.clone(),
            term,
        });
    }
    // What is no variable, such as a DEFINE, follows.
    system
        .outputs
        .retain(|output| outputs.iter().all(|other| other.name != output.name));
    outputs.append(&mut system.outputs);
    system.outputs = outputs;
    match bit_blast(&system) {
        Ok(blasted) => Ok(blasted.model),
        Err(error) => Err(Failure::model(error.to_string())),
    }
}
