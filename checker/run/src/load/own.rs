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

/// The procedures of a language that decides its mutants itself.
pub struct OwnProcedures {
    /// The procedure that finds tests and proofs.
    pub decision: Box<dyn Decision>,
    /// The procedure that checks them. It shares no code with the other one.
    pub recheck: Box<dyn Recheck>,
}

/// Parses a model, and returns it with its listing and the two procedures. Its contents have the warnings of the language.
///
/// # Errors
/// If the model is invalid or options do not fit.
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
            "--complete is for languages with circuits, and models in {name} have none"
        ))
        .into());
    }
    let operators = Globs::compile("--operator", asked.operators)?;
    check_operators(frontend, operators.as_ref())?;
    let options = FrontendOptions {
        operators: operators.as_ref().map(Globs::predicate),
        // A change may declare variables, which must exist before the model is parsed.
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
    // The catalogue is moved, so that large catalogues are not copied.
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

/// Returns the number of changes of each mutant, for which the language mutates the model repeatedly; `None` without an order.
///
/// # Errors
/// If the language has no mutants of higher order, or does not support the other options of the order.
fn mutated_again(frontend: &dyn Frontend, order: Option<Order>) -> Result<Option<usize>, Unfit> {
    let name = frontend.name();
    let Some(order) = order else {
        return Ok(None);
    };
    if !frontend.is_about_processes() {
        return Err(Unfit::new(format!(
            "--order {order}: leave it out, since a domain of faults combines the changes of models in {name}"
        )));
    }
    if order.sample.is_some() {
        return Err(Unfit::new(format!(
            "--order {order}: for processes, write --order K and select a sample with --sample N"
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
