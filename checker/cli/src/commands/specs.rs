//! `hyperkill verify --specs`: checks the properties that a model states, above all invariants.
//!
//! A state that violates an invariant counts even if it has no successor. Outputs are values of steps, so they do not show such a state.

use hyperkill_core::paths::CARRIED;
use hyperkill_frontend::{Diagnostic, Severity};
use hyperkill_run::reading::ModelSpec;
use hyperkill_verify::linear;
use hyperkill_verify::safety::unknown;
use hyperkill_verify::show::Needed;

use super::safety::{self, check_safety, means};
use super::whole_model::{model_of, without_mutants};
use crate::args::VerifyArgs;
use crate::decision::pool;
use crate::documents::{SafetyResult, TruthWord};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::load::{self, Origin};
use crate::model::Loaded;
use crate::session::Session;

/// Decides the properties that a model states, prints the answers, and returns the exit status.
pub(super) fn check_specs(
    session: &mut Session<'_>,
    args: &VerifyArgs,
) -> Result<ExitCode, Failure> {
    let model = model_of(args, &args.file);
    let mut loaded = load::load(session, &model, &[])?;
    if loaded.listing.sources.is_empty() {
        return Err(Failure::usage(
            "--specs is for models in other languages: the bad states of this AIGER file are checked without it",
        ));
    }
    load::invariants_have_values(session, &model)?;
    let mut others = match args.explain {
        true => Vec::new(),
        false => check_linear(session, args, &model, &loaded)?,
    };
    others.extend(unchecked(session, &loaded)?);
    let origin = Origin::Places(&model.files);
    loaded.model = without_mutants(session, &model, origin, Needed::Variables)?;
    loaded.listing.catalogue.clear();
    if loaded.model.aig.bad.is_empty() {
        let file = args.file.display();
        if others
            .iter()
            .any(|other| other.verdict != TruthWord::Unknown || other.known_to.is_some())
        {
            safety::print(session, &loaded.listing.description.name, &others)?;
            let verdicts = others.iter().map(|other| other.verdict);
            return Ok(safety::exit_code(session, args, verdicts));
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

/// Decides the properties in linear temporal logic that the sources state. Returns an answer for each; empty if they state none.
fn check_linear(
    session: &mut Session<'_>,
    args: &VerifyArgs,
    model: &ModelSpec,
    loaded: &Loaded,
) -> Result<Vec<SafetyResult>, Failure> {
    let frontend = languages::by_name(&loaded.listing.description.language)?;
    let sources = &loaded.listing.sources;
    let stated = frontend.linear_specifications(sources);
    let stated = stated.map_err(|diagnostics| Failure::diagnosed(sources, diagnostics))?;
    let Some(stated) = stated.filter(|stated| !stated.specifications.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut model = model.clone();
    model.options.roles.outputs = vec![format!("*{}*", stated.mark)];
    let (system, _) = load::system_of(session, &model, vec![stated.source.clone()])?;
    let (means, threads) = (means(session, args), pool(session.jobs)?);
    Ok(linear::decide(&stated, system, sources, &means, &threads)?)
}

/// Warns of each property in another temporal logic at its place, and returns it with the answer that it is unknown.
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
