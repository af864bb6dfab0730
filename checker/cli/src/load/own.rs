//! Models in a language that decides its mutants itself.

use std::collections::BTreeMap;

use hyperkill_frontend::decision::{Contents, Decider};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_run::language::OwnModel;
use hyperkill_run::patterns::Globs;

use super::files::describe;
use super::roles::Asked;
use super::source;
use crate::documents::reading::Order;
use crate::documents::{PortDescription, Reading, Signature};
use crate::failure::Failure;
use crate::languages::OwnProcedures;
use crate::model::Listing;
use crate::session::Session;

/// Reads a model for the procedure that decides.
///
/// # Errors
/// If it does not take the model: both procedures take the same ones, so this is a fault of the language.
pub(crate) fn decider(model: &OwnModel) -> Result<Box<dyn Decider>, Failure> {
    let sources = &model.listing.sources;
    (model.decider()).map_err(|errors| Failure::diagnosed(sources, errors))
}

/// Reads a model.
///
/// # Errors
/// If it is invalid or options do not fit.
pub(super) fn translate(
    session: &mut Session<'_>,
    frontend: &dyn Frontend,
    procedures: OwnProcedures,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<OwnModel, Failure> {
    let name = frontend.name();
    let Asked { spec, roles, .. } = *asked;
    if spec.options.events.complete {
        return Err(Failure::usage(format!(
            "--complete is for circuits, but models in {name} are none"
        )));
    }
    let operators = Globs::compile("--operator", asked.operators)?;
    source::check_operators(frontend, operators.as_ref())?;
    let options = FrontendOptions {
        operators: operators.as_ref().map(Globs::predicate),
        // Each change may need declarations of its own, which are made before the model is read.
        order: mutated_again(frontend, spec.options.mutant_order())?,
        ..source::options(roles)
    };
    let (sources, options) = source::prepare(session, frontend, sources, asked, options)?;
    let rechecker = match procedures.recheck.read(&sources, &options) {
        Ok(rechecker) => rechecker,
        Err(errors) => return Err(Failure::diagnosed(&sources, errors)),
    };
    let mut contents = rechecker.contents().clone();
    roles.must_have_matched()?;
    for warning in &contents.warnings {
        session.warn(&sources, warning);
    }
    let texts = sources
        .iter()
        .map(|source| (source.name.as_str(), source.text.as_bytes()));
    Ok(OwnModel {
        language: name,
        listing: Listing {
            description: describe(&sources[0].name, name, texts),
            reading: Reading::default(),
            copies: Vec::new(),
            signature: signature(&contents),
            // Very many mutants are not held twice.
            catalogue: source::catalogue(std::mem::take(&mut contents.catalogue)),
            role_notes: contents.role_notes.clone(),
            places: BTreeMap::new(),
            sources,
        },
        contents,
        rechecker,
        decision: procedures.decision,
        options,
    })
}

/// How often the language mutates the model.
///
/// # Errors
/// If it does not, or does not do what else is asked.
fn mutated_again(frontend: &dyn Frontend, order: Option<Order>) -> Result<Option<usize>, Failure> {
    let name = frontend.name();
    let Some(order) = order else {
        return Ok(None);
    };
    if !frontend.is_about_processes() {
        return Err(Failure::usage(format!(
            "--order {order}: mutants of models in {name} are combined by its domain of faults"
        )));
    }
    if order.sample.is_some() {
        return Err(Failure::usage(format!(
            "--order {order}: of processes a sample is taken with --sample"
        )));
    }
    Ok(Some(order.changes))
}

fn signature(contents: &Contents) -> Signature {
    let describe = |variables: &[hyperkill_frontend::decision::Variable]| {
        let variables = variables.iter();
        let described = variables.map(|v| PortDescription::of_variable(&v.name, &v.sort));
        described.collect()
    };
    Signature {
        inputs: describe(&contents.inputs),
        choices: Vec::new(),
        outputs: describe(&contents.outputs),
        events: Vec::new(),
    }
}
