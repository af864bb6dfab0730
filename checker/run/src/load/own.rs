//! Models in a language that decides its mutants itself.

use hyperkill_frontend::decision::{Contents, Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};

use super::describe::{listing, of_texts};
use super::error::{Blame, LoadError};
use super::roles::Asked;
use super::source::{catalogue, check_operators, prepare};
use crate::documents::reading::Order;
use crate::documents::{PortDescription, Signature};
use crate::language::OwnModel;
use crate::patterns::Globs;
use crate::unfit::Unfit;

/// The procedures of a language that decides the mutants of its models itself.
pub struct OwnProcedures {
    /// Finds tests and proofs.
    pub decision: Box<dyn Decision>,
    /// Checks them, without the other's code.
    pub recheck: Box<dyn Recheck>,
}

/// Reads a model. Its contents have the warnings of the language.
///
/// # Errors
/// If it is invalid or options do not fit.
pub fn translate(
    frontend: &dyn Frontend,
    procedures: OwnProcedures,
    sources: Vec<SourceFile>,
    asked: &Asked<'_>,
) -> Result<OwnModel, LoadError> {
    let name = frontend.name();
    let Asked { spec, roles, .. } = *asked;
    if spec.options.events.complete {
        return Err(Unfit::new(format!(
            "--complete is for circuits, but models in {name} are none"
        ))
        .into());
    }
    let operators = Globs::compile("--operator", asked.operators)?;
    check_operators(frontend, operators.as_ref())?;
    let options = FrontendOptions {
        operators: operators.as_ref().map(Globs::predicate),
        // Each change may need declarations of its own, which are made before the model is read.
        order: mutated_again(frontend, spec.options.mutant_order())?,
        ..roles.options()
    };
    let (sources, options) = prepare(frontend, sources, asked, options)?;
    let rechecker = match procedures.recheck.read(&sources, &options) {
        Ok(rechecker) => rechecker,
        Err(errors) => {
            return Err(LoadError::Refused {
                blame: Blame::Either,
                sources,
                errors,
            });
        }
    };
    let mut contents = rechecker.contents().clone();
    roles.must_have_matched()?;
    let signature = signature(&contents);
    let mut listing = listing(of_texts(name, &sources), sources, signature);
    // Very many mutants are not held twice.
    listing.catalogue = catalogue(std::mem::take(&mut contents.catalogue));
    listing.role_notes.clone_from(&contents.role_notes);
    Ok(OwnModel {
        language: name,
        listing,
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
fn mutated_again(frontend: &dyn Frontend, order: Option<Order>) -> Result<Option<usize>, Unfit> {
    let name = frontend.name();
    let Some(order) = order else {
        return Ok(None);
    };
    if !frontend.is_about_processes() {
        return Err(Unfit::new(format!(
            "--order {order}: mutants of models in {name} are combined by its domain of faults"
        )));
    }
    if order.sample.is_some() {
        return Err(Unfit::new(format!(
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
